/**
 * A planted delay that must show beside the noise of the machine, whatever that is. Each pair takes three times in a random order: two without the
 * delay and one with it. The attack calls the delayed one by comparing it with the first of the others. The two without it say what the noise
 * does by itself, at the same moment: where they differ by as much as the delay, it is the machine that hides it and not the instrument.
 *
 * A delay that is not found is planted again, four times as long. A pair is missed where a time without the delay is longer than one with it: by
 * the same noise that lets the two others differ by the delay, one with probability P, the other with about twice that. So a machine that
 * hides the longest delay shows it in its own pairs; an instrument that sees no delay misses half of the pairs, while these hardly differ.
 */

import type { Draws } from '../../draws.ts';
import type { Trials } from '../../experiment.ts';

const CHANCE = 0.5;
/** The first, and those that follow where it is not found. */
export const DELAYS_MILLISECONDS = [100, 400, 1600] as const;
/** The number of pairs that may be missed: of 24, a guess is as good with probability 1.5 × 10⁻⁶. */
const MISSES = 1;

/** Returns how long something took, in milliseconds, with `delay` planted in it; `turn` counts what a pair takes. */
export type Timed = (pair: number, turn: number, delay: number) => Promise<number>;

/** @param begin is called before each delay is tried, and says how times are taken then */
export async function pairedDelays(
  pairs: number,
  draws: Draws,
  begin: () => Promise<Timed>,
): Promise<Trials> {
  let tried: Tried | undefined;
  for (const delay of DELAYS_MILLISECONDS) {
    tried = await tryDelay(pairs, delay, draws, await begin());
    if (missesOf(tried) <= MISSES) break;
  }
  const { delay, attack, noise } = tried!;
  const asLong = noise.filter((difference) => difference >= delay).length;
  const isFound = missesOf(tried!) <= MISSES;
  return {
    kind: 'trials',
    attack,
    control: new Array<number>(pairs).fill(CHANCE),
    chance: true,
    baseline: CHANCE,
    facts: {
      'milliseconds planted': delay,
      'pairs without a delay that differ by as much': asLong,
      'milliseconds by which two without a delay differ at most': Math.max(...noise),
    },
    ...(!isFound &&
      2 * asLong >= missesOf(tried!) && {
        tooNoisy: `in ${asLong} of ${pairs} pairs two times without a delay differ by the ${delay} ms that were planted`,
      }),
  };
}

interface Tried {
  readonly delay: number;
  readonly attack: readonly number[];
  /** By how much the two without the delay differ, by pair. */
  readonly noise: readonly number[];
}

const missesOf = ({ attack }: Tried): number => attack.filter((success) => success === 0).length;

async function tryDelay(pairs: number, delay: number, draws: Draws, timed: Timed): Promise<Tried> {
  const attack: number[] = [];
  const noise: number[] = [];
  for (let pair = 0; pair < pairs; pair += 1) {
    const planted = draws.shuffled([0, 0, delay]);
    const plain: number[] = [];
    let delayed = 0;
    for (const [turn, milliseconds] of planted.entries()) {
      const time = await timed(pair, turn, milliseconds);
      if (milliseconds === 0) plain.push(time);
      else delayed = time;
    }
    const [first, second] = plain as [number, number];
    attack.push(Number(delayed > first));
    noise.push(Math.abs(first - second));
  }
  return { delay, attack, noise };
}
