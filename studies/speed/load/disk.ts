/** The time that the disk takes to make a write durable: what every group of contributions waits for. */
import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { quantile } from '../../instrument/statistics.ts';

const REPETITIONS = 200;

export interface SyncTimes {
  /** The bytes of each write. */
  readonly bytes: number;
  readonly p50Milliseconds: number;
  readonly p95Milliseconds: number;
  readonly p99Milliseconds: number;
}

/** Appends `bytes` to a file in `folder` and syncs it, again and again, as a database's log is written. */
export function measureSync(folder: string, bytes: number): SyncTimes {
  const path = join(folder, 'sync');
  const block = new Uint8Array(bytes).fill(1);
  const file = openSync(path, 'w');
  try {
    const samples = Array.from({ length: REPETITIONS }, () => {
      const started = performance.now();
      writeSync(file, block);
      fdatasyncSync(file);
      return performance.now() - started;
    });
    return {
      bytes,
      p50Milliseconds: quantile(samples, 0.5),
      p95Milliseconds: quantile(samples, 0.95),
      p99Milliseconds: quantile(samples, 0.99),
    };
  } finally {
    closeSync(file);
    rmSync(path);
  }
}
