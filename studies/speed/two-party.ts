/** The messages that the processes of a benchmarked decomposition send each other. */
import type { Components } from '@eigenveil/projection';
import type { Task } from '@eigenveil/task';

/** One server's part of the work. Structured clones carry bigints. */
export interface Assignment {
  readonly task: Task;
  readonly shares: readonly bigint[];
  /** The Ω of a task with a sketch. */
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
  /** The time from the request for a connection to the result. */
  readonly seconds: number;
  /** The part of these that are waits until a public moment. */
  readonly waitSeconds: number;
  readonly andGates: number;
  /** The bytes of both directions. */
  readonly bytes: number;
  /** Messages that wait for each other, if these were counted. */
  readonly trips: number | undefined;
}

/** The resources that a process has used, from its start on. */
export interface Used {
  readonly peakMemoryBytes: number;
  readonly cpuSeconds: number;
}

export function used(): Used {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  return { peakMemoryBytes: maxRSS * 1024, cpuSeconds: (userCPUTime + systemCPUTime) / 1e6 };
}
