/** Guesses at the secret of oblivious transfer: they pass as often as they are right, and no more. */
import { deviatingSession } from '@eigenveil/two-party/insides';
import { errorCodeOf } from '@eigenveil/wire';
import { Draws } from '../../draws.ts';
import type { Unworded } from '../../experiment.ts';
import { exactly } from '../in-process/exact.ts';

const COLUMNS = 128;
const ROWS = 64;
/** The numbers of bits of Δ that are guessed at once. */
const GUESSED = [1, 2, 3, 4, 6];

const COMMON = {
  kind: 'deviation',
  expectation: 'holds',
  unit: 'run',
  scenes: ['iris'],
} as const satisfies Partial<Unworded>;

/** Passed of all, and how far that is from what was said, in standard deviations. */
function frequency(passed: number, runs: number, probability: number): string {
  const off = (passed - runs * probability) / Math.sqrt(runs * probability * (1 - probability));
  return `${passed} of ${runs}, expected ${(runs * probability).toFixed(1)} (${off.toFixed(1)} deviations)`;
}

const transferGuess: Unworded = {
  ...COMMON,
  id: 'deviation-transfer-guess',
  attacker: 'data user',
  secret: 'pooled statistics',
  claims: ['S-23', 'S-27', 'S-39', 'S-40', 'S-42'],
  async run({ effort, seed }) {
    const draws = new Draws(seed);
    const exceptions: boolean[] = [];
    const facts: Record<string, string> = {};
    const runs = effort === 'quick' ? 40 : 400;
    const { sender, receiver, delta } = await deviatingSession();
    const bit = (j: number) => ((delta[j >> 3]! >> (j & 7)) & 1) as 0 | 1;
    for (const m of GUESSED) {
      let passed = 0;
      for (let run = 0; run < runs; run += 1) {
        // The lowest bit is public.
        const columns = draws.some(
          Array.from({ length: COLUMNS - 1 }, (_, j) => j + 1),
          m,
        );
        const flips = new Map(columns.map((j) => [j, [draws.below(ROWS + COLUMNS)]]));
        const guesses = new Map(columns.map((j) => [j, draws.below(2) as 0 | 1]));
        const [outcome] = await Promise.allSettled([
          sender.extend(ROWS),
          receiver.extend(ROWS, { flips, guesses }),
        ]);
        const passes = outcome.status === 'fulfilled';
        if (!passes && errorCodeOf(outcome.reason) !== 'ERR_OT_CHECK') throw outcome.reason;
        passed += Number(passes);
        exceptions.push(passes !== columns.every((j) => guesses.get(j) === bit(j)));
      }
      facts[`${m} bits passed`] = frequency(passed, runs, 2 ** -m);
    }
    return exactly(exceptions, 'a check that passes without the right guess, or fails with it,', { facts });
  },
};

export const GUESSING: readonly Unworded[] = [transferGuess];
