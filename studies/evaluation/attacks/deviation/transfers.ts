/** Guesses at the secrets of oblivious transfer and of the products on top of it: they pass as often as they are right, and no more. */
import { randomBytes } from 'node:crypto';
import {
  checkSize,
  deviatingSession,
  drawDelta,
  MessageStream,
  memoryChannelPair,
  multiplyChosen,
  multiplyLying,
  setUpReceiver,
  setUpSender,
} from '@eigenveil/two-party/insides';
import { errorCodeOf } from '@eigenveil/wire';
import { Draws } from '../../draws.ts';
import type { Unworded } from '../../experiment.ts';
import { exactly } from '../in-process/exact.ts';

const COLUMNS = 128;
const ROWS = 64;
/** So many bits of Δ are guessed at once. */
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

const SIZES = { rows: 2, inner: 2, columns: 3, entryBits: 8, ringBits: 40, part: 'whole' } as const;
/** Shows in the highest bit of an entry, times 16. */
const LIE = 1n << 35n;
const DIGITS = 16;

const digitGuess: Unworded = {
  ...COMMON,
  id: 'deviation-digit-guess',
  attacker: 'data user',
  secret: 'pooled statistics',
  claims: ['S-50', 'S-51'],
  async run({ effort, seed }) {
    const draws = new Draws(seed);
    const [left, right] = memoryChannelPair();
    const delta = drawDelta();
    const [sender, receiver] = await Promise.all([
      setUpSender(new MessageStream(left), delta),
      setUpReceiver(new MessageStream(right)),
    ]);
    const size = checkSize(SIZES);
    const offset = 1n << BigInt(SIZES.entryBits - 1);
    const exceptions: boolean[] = [];
    let passed = 0;
    const runs = effort === 'quick' ? 60 : 1000;
    const matrix = (rows: number, columns: number, entry: () => bigint) =>
      Array.from({ length: rows }, () => Array.from({ length: columns }, entry));
    for (let run = 0; run < runs; run += 1) {
      const a = matrix(2, 2, () => BigInt(randomBytes(1)[0]!));
      const c = matrix(2, 3, () => BigInt(`0x${randomBytes(5).toString('hex')}`));
      const guess = BigInt(draws.below(DIGITS));
      const [chosen] = await Promise.allSettled([
        multiplyChosen(receiver, {
          matrix: a.map((row) => row.map((entry) => entry - offset)),
          columns: SIZES.columns,
          entryBits: SIZES.entryBits,
          ringBits: SIZES.ringBits,
          part: SIZES.part,
        }),
        multiplyLying(sender, size, c, {
          deviation: ({ row, inner, t }, column) =>
            row === 1 && inner === 0 && t === 1 && column === 2 ? LIE : 0n,
          guess: (row, column) => (row === 1 && column === 2 ? 16n * guess * LIE : 0n),
        }),
      ]);
      const passes = chosen.status === 'fulfilled';
      if (!passes && errorCodeOf(chosen.reason) !== 'ERR_PRODUCT_CHECK') throw chosen.reason;
      passed += Number(passes);
      exceptions.push(passes !== (a[1]![0]! >> 4n === guess));
    }
    return exactly(exceptions, 'a check that passes without the right guess, or fails with it,', {
      facts: { 'one digit passed': frequency(passed, runs, 1 / DIGITS) },
    });
  },
};

export const GUESSING: readonly Unworded[] = [transferGuess, digitGuess];
