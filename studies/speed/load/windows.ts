/** A load in consecutive windows of equally many contributions, which show whether anything grows with their number. */
import type { Latency } from './latency.ts';

/** Everything that has happened since the first contribution was sent. */
export interface Snapshot {
  readonly contributions: number;
  readonly seconds: number;
  readonly dataUserCpuMilliseconds: number;
  /** The time of PostgreSQL; SQLite is a part of the data user. */
  readonly databaseCpuMilliseconds: number;
  readonly clientCpuMilliseconds: number;
  readonly dataUserResidentBytes: number;
  readonly databaseBytes: number;
}

export interface Window extends Latency {
  /** At its end, of the whole load. */
  readonly contributions: number;
  readonly perSecond: number;
  /** The time per contribution. */
  readonly dataUserCpuMilliseconds: number;
  /** The time of PostgreSQL; SQLite is a part of the data user. */
  readonly databaseCpuMilliseconds: number;
  readonly clientCpuMilliseconds: number;
  /** The memory at its end. */
  readonly dataUserResidentBytes: number;
  readonly databaseBytes: number;
}

export function windowBetween(before: Snapshot, after: Snapshot, latency: Latency): Window {
  const count = after.contributions - before.contributions;
  return {
    contributions: after.contributions,
    perSecond: count / (after.seconds - before.seconds),
    ...latency,
    dataUserCpuMilliseconds: (after.dataUserCpuMilliseconds - before.dataUserCpuMilliseconds) / count,
    databaseCpuMilliseconds: (after.databaseCpuMilliseconds - before.databaseCpuMilliseconds) / count,
    clientCpuMilliseconds: (after.clientCpuMilliseconds - before.clientCpuMilliseconds) / count,
    dataUserResidentBytes: after.dataUserResidentBytes,
    databaseBytes: after.databaseBytes,
  };
}
