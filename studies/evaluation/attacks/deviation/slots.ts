/** Values that take no noise, and what a data user moves into their slots: an exact test for a row, and digits of a sum. */
import { addStatistics, flatten, layout, type Statistics } from '@eigenveil/statistics';
import { placesOf } from '@eigenveil/task';
import { modInv } from 'bigint-crypto-utils';
import { Draws } from '../../draws.ts';
import type { Unworded } from '../../experiment.ts';
import { statisticsOf } from '../../released.ts';
import { agreed, smallTask, tooSmall } from '../in-process/small-task.ts';
import { runTwoParty } from '../in-process/two-party.ts';
import { EncryptedSums } from './encrypted-sums.ts';

const ROWS = 20;
const OWNERS = 2n;

const privacy = (neighbours: 'add-remove' | 'replace') => ({
  epsilon: 1,
  delta: 1e-6,
  neighbours,
  clippingNorm: 1,
  noise: 'servers' as const,
  honestOwners: null,
  dataIndependentRanges: true as const,
});

const COMMON = {
  kind: 'deviation',
  attacker: 'data user',
  expectation: 'admitted',
  unit: 'run',
  scenes: ['iris'],
  omits: tooSmall,
} as const satisfies Partial<Unworded>;

const countSlot: Unworded = {
  ...COMMON,
  id: 'deviation-count-slot',
  secret: 'membership',
  claims: ['S-144', 'P-94', 'P-95', 'P-96'],
  async run({ scene, effort, seed }) {
    await using sums = await EncryptedSums.start();
    const { proposal, cut } = smallTask(scene, { features: 2, differentialPrivacy: privacy('add-remove') });
    const task = agreed(proposal);
    const draws = new Draws(seed);
    const [target, ...rows] = cut(draws.some(scene.owners.flat(), ROWS + 1));
    const known = [rows, rows].map((own) => statisticsOf(task, own)).reduce(addStatistics);
    const one = statisticsOf(task, [target!]);
    const row = sums.packed(task, flatten(task, { ...one, owners: 0n }));
    const base = sums.packed(task, flatten(task, known));
    // The number of owners is in the last plaintext.
    const { offset } = layout(task)
      .plaintexts.at(-1)!
      .find(({ value }) => value === placesOf(task).owners.from)!;
    const factor = modInv(row.at(-1)!, sums.n) << BigInt(offset);
    /** The slot less what is known is the row or 0: times this weight it is 1 or 0, and what is known is added again. */
    const weight = (moved: boolean) => (moved ? factor : 1n);
    const called = async (present: boolean, moved: boolean) => {
      const statistics: Statistics = present ? { ...addStatistics(known, one), owners: OWNERS } : known;
      const contribution = await sums.contribution(task, statistics);
      const more = base.map((x, i) => (i === base.length - 1 ? x * (1n - weight(moved)) : 0n));
      const weights = base.map((_, i) => (i === base.length - 1 ? weight(moved) : 1n));
      const { shares } = await sums.unblinded(task, await sums.weightedEach(contribution, weights, more));
      const { code } = await runTwoParty(task, { owners: OWNERS }, shares);
      return Number((code === 'ERR_OWNER_COUNT') === present);
    };
    const attack: number[] = [];
    const control: number[] = [];
    for (let run = 0; run < (effort === 'quick' ? 2 : 20); run += 1) {
      attack.push(await called(run % 2 === 0, true));
      control.push(await called(run % 2 === 0, false));
    }
    return { kind: 'trials', attack, control, paired: true, baseline: 0.5 };
  },
};

const rowsSlot: Unworded = {
  ...COMMON,
  id: 'deviation-rows-slot',
  secret: 'pooled statistics',
  claims: ['P-94', 'P-97'],
  async run({ scene, effort, seed }) {
    await using sums = await EncryptedSums.start();
    const { proposal, cut } = smallTask(scene, { features: 3, differentialPrivacy: privacy('replace') });
    const task = agreed(proposal);
    const draws = new Draws(seed);
    const { owners, labellings } = placesOf(task);
    const { V, M } = labellings[0]![0]!;
    const slots = layout(task).plaintexts.at(-1)!;
    const slotOf = (value: number) => slots.find((slot) => slot.value === value)!;
    const [sum, count, many] = [slotOf(V.to - 1), slotOf(M.from), slotOf(owners.from)];
    const digits = count.valueBits - 2;
    const dropped = BigInt(sum.valueBits - digits);
    const attack: number[] = [];
    const control: number[] = [];
    for (let run = 0; run < (effort === 'quick' ? 6 : 40); run += 1) {
      const own = cut(draws.some(scene.owners.flat(), ROWS));
      const statistics = { ...statisticsOf(task, own), owners: OWNERS };
      const secret = flatten(task, statistics)[sum.value]!;
      const contribution = await sums.contribution(task, statistics);
      const known = (BigInt(ROWS) << BigInt(count.offset)) + (OWNERS << BigInt(many.offset));
      const factor = 1n << (BigInt(count.offset - sum.offset) - dropped);
      const put = (1n << BigInt(count.offset + digits - 1)) + (OWNERS << BigInt(many.offset));
      const last = layout(task).plaintexts.length - 1;
      const moved = await sums.unblinded(
        task,
        await sums.weightedEach(
          contribution,
          contribution.map((_, i) => (i === last ? factor : 1n)),
          contribution.map((_, i) => (i === last ? put - known * factor : 0n)),
        ),
      );
      const wanted = secret >> dropped;
      // The blinding of the slot below carries at most 1.
      const off = moved.values[count.value]! - (1n << BigInt(digits - 1)) - wanted;
      attack.push(Number(off === 0n || off === 1n));
      const honest = await sums.unblinded(task, contribution);
      const noisy = (honest.values[sum.value]! - honest.ownNoise[sum.value]!) >> dropped;
      control.push(Number(noisy === wanted || noisy === wanted + 1n));
    }
    return {
      kind: 'trials',
      attack,
      control,
      paired: true,
      baseline: 2 ** (1 - digits),
      facts: { 'leading digits that come out, of 2': digits, 'digits of the sum': sum.valueBits },
    };
  },
};

export const SLOTS: readonly Unworded[] = [countSlot, rowsSlot];
