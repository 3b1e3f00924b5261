/** What the processes of a benchmarked decomposition tell each other. */
import type { Decomposition } from '@eigenveil/projection';
import type { Task } from '@eigenveil/wire';

/** One server's part of the work. Structured clones carry bigints. */
export interface Assignment {
  readonly task: Task;
  readonly shares: bigint[];
  readonly verifiedOwners: number;
}

export interface GarblerAddress {
  readonly url: string;
  readonly ca: string;
}

export interface Evaluated {
  readonly decomposition: Decomposition;
  /** From the request for a connection to the result. */
  readonly seconds: number;
  readonly andGates: number;
  /** From garbler to evaluator and back. */
  readonly bytes: number;
  readonly peakMemoryBytes: number;
}

export interface Garbled {
  readonly peakMemoryBytes: number;
}
