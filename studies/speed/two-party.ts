/** What the processes of a benchmarked decomposition tell each other. */
import type { Components } from '@eigenveil/projection';
import type { Task } from '@eigenveil/task';

/** One server's part of the work. Structured clones carry bigints. */
export interface Assignment {
  readonly task: Task;
  readonly shares: readonly bigint[];
  /** Of a task with a sketch: Ω. */
  readonly signs?: Int32Array;
  readonly verifiedOwners: number;
  /** Slows the computation down a little. */
  readonly countsTrips: boolean;
}

export interface CspAddress {
  readonly url: string;
  readonly ca: string;
}

export interface Evaluated extends Used {
  readonly decomposition: Components;
  /** From the request for a connection to the result. */
  readonly seconds: number;
  /** Of these, waits until a public moment. */
  readonly waitSeconds: number;
  readonly andGates: number;
  /** Of both directions. */
  readonly bytes: number;
  /** Messages that wait for each other, if these were counted. */
  readonly trips: number | undefined;
}

/** What a process has used, from its start on. */
export interface Used {
  readonly peakMemoryBytes: number;
  readonly cpuSeconds: number;
}

export function used(): Used {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  return { peakMemoryBytes: maxRSS * 1024, cpuSeconds: (userCPUTime + systemCPUTime) / 1e6 };
}
