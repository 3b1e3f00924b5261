/** Durations of an operation on inputs of two classes, which take turns at random. */
import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Kind } from './verdict.ts';
import type { Samples } from './welch.ts';

export type Class = 0 | 1;

/** One call on one input. Inputs of both classes are made alike, so that only what they hold differs. */
type Call = () => unknown;

export interface Operation {
  readonly name: string;
  readonly kind: Kind;
  readonly classes: readonly [string, string];
  /** One sample for so many of an operation that takes microseconds. */
  readonly slowness: number;
  /** Makes what all calls share. `prepare` then makes an input afresh and returns the call on it. */
  open(): Promise<{ prepare(which: Class): Call; close?(): void }>;
}

/** Inputs are made in groups of this number: the call before a measurement is then never the making of its input. */
const BATCH = 200;
/** The share of a warm-up for the compiler and the caches. */
const WARM_UP = 0.05;

/** @param onProgress called with the fraction that is done */
export async function measureOperation(
  { open, slowness }: Operation,
  samples: number,
  onProgress: (done: number) => void,
): Promise<Samples> {
  const count = Math.ceil(samples / slowness);
  const warmUp = Math.ceil(WARM_UP * count);
  const subject = await open();
  const times = new Float64Array(count);
  const classes = new Uint8Array(count);
  for (let from = -warmUp; from < count; from += BATCH) {
    const length = Math.min(BATCH, count - from);
    // One random bit per measurement: noise with a period falls on both classes.
    const chosen = randomBytes(length).map((byte) => byte & 1);
    const calls = Array.from(chosen, (which) => subject.prepare(which as Class));
    for (let i = 0; i < length; i += 1) {
      const call = calls[i]!;
      const start = performance.now();
      const result = call();
      if (result instanceof Promise) await result;
      const time = performance.now() - start;
      if (from + i < 0) continue;
      times[from + i] = time;
      classes[from + i] = chosen[i]!;
    }
    onProgress(Math.max(0, from + length) / count);
    await setImmediate(); // for the progress bar, and for who interrupts
  }
  subject.close?.();
  return { times, classes };
}
