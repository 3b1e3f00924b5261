/** The times that requests took. */
import type { RecordableHistogram } from 'node:perf_hooks';

export interface Latency {
  readonly p50Milliseconds: number;
  readonly p95Milliseconds: number;
  readonly p99Milliseconds: number;
}

const NANOSECONDS_PER_MILLISECOND = 1e6;

export function recordLatency(histogram: RecordableHistogram, milliseconds: number): void {
  histogram.record(Math.max(1, Math.round(milliseconds * NANOSECONDS_PER_MILLISECOND)));
}

export function latencyOf(histogram: RecordableHistogram): Latency {
  const at = (percentile: number) => histogram.percentile(percentile) / NANOSECONDS_PER_MILLISECOND;
  return { p50Milliseconds: at(50), p95Milliseconds: at(95), p99Milliseconds: at(99) };
}
