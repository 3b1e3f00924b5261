/** A data user that weighs: one owner's contribution against the others', or all sums against the noise of differential privacy. */

import { dpDeltaOfGaussian } from '@eigenveil/privacy';
import { decompose, pencil } from '@eigenveil/projection';
import { addStatistics, flatten, type Statistics, unflatten } from '@eigenveil/statistics';
import { noisePlanOf, placesOf, programOf, shiftOf, type Task } from '@eigenveil/task';
import { mean } from '@eigenveil/testbed/goodness/mean';
import { only } from '../../../instrument/figure.ts';
import { Draws } from '../../draws.ts';
import type { Unworded } from '../../experiment.ts';
import { statisticsOf } from '../../released.ts';
import { lineChart, recordTable } from '../../shown.ts';
import { agreed, smallTask, tooSmall } from '../in-process/small-task.ts';
import { runTwoParty } from '../in-process/two-party.ts';
import { EncryptedSums } from './encrypted-sums.ts';

const OWNERS = 3;

/** Adapts the encrypted number of owners, so that nothing is noticed. */
function countOnly(task: Task, count: bigint): bigint[] {
  const { owners, length } = placesOf(task);
  return Array.from({ length }, (_, i) => (i === owners.from ? count : 0n));
}

const scatter = (task: Task, statistics: Statistics) =>
  pencil({ ...programOf(task), minimumOwners: 1 }, statistics).A;

/** The distance of two matrices, relative to the second. */
function distance(a: readonly (readonly number[])[], b: readonly (readonly number[])[]): number {
  return Math.hypot(...a.flatMap((row, i) => row.map((x, j) => x - b[i]![j]!))) / Math.hypot(...b.flat());
}

/** Closer than rounding of a two-party computation, farther than its noise. */
const CLOSE = 1e-6;
const WEIGHTS = [1, 2, 4, 8, 16, 64, 256];

const oneOwner: Unworded = {
  id: 'deviation-one-owner',
  kind: 'deviation',
  attacker: 'data user',
  secret: 'statistics of an owner',
  expectation: 'admitted',
  claims: ['S-134', 'S-142'],
  unit: 'owner',
  scenes: ['iris'],
  omits: (scene) =>
    tooSmall(scene) ?? (scene.owners.length < OWNERS ? `fewer than ${OWNERS} owners` : undefined),
  async run({ scene, effort, seed, note }) {
    await using sums = await EncryptedSums.start();
    const small = smallTask(scene, { twoParty: 'rotated', minimumOwners: OWNERS });
    const draws = new Draws(seed);
    const attack: number[] = [];
    const control: number[] = [];
    const errors: number[] = [];
    const curve = WEIGHTS.map(() => [] as number[]);
    for (let unit = 0; unit < (effort === 'quick' ? 2 : 20); unit += 1) {
      note(`owner ${unit + 1}`);
      const task = agreed(small.proposal);
      const own = draws.some(scene.owners, OWNERS).map((rows) => statisticsOf(task, small.cut(rows)));
      const contributions = await Promise.all(own.map((it) => sums.contribution(task, it)));
      const adapted = (weight: bigint, others: bigint) =>
        sums.packed(task, countOnly(task, BigInt(OWNERS) - weight - others * BigInt(OWNERS - 1)));
      const exact = decompose({ ...programOf(task), minimumOwners: 1 }, own[0]!);
      const matches = async (others: bigint) => {
        const weights = own.map((_, i) => (i === 0 ? 1n : others));
        const aggregate = await sums.weighted(contributions, weights, adapted(1n, others));
        const { shares } = await sums.unblinded(task, aggregate);
        const { result, code } = await runTwoParty(task, { owners: BigInt(OWNERS) }, shares);
        if (result === undefined) throw new Error(`expected a result, got ${code}`);
        const off = Math.max(...result.spectrum!.map((x, i) => Math.abs(x - exact.spectrum![i]!)));
        return off / exact.spectrum![0]!;
      };
      const error = await matches(0n);
      errors.push(error);
      attack.push(Number(error < CLOSE));
      control.push(Number((await matches(1n)) < CLOSE));
      const alone = scatter(task, own[0]!);
      for (const [w, weight] of WEIGHTS.entries()) {
        const weights = own.map((_, i) => (i === 0 ? BigInt(weight) : 1n));
        const { values } = await sums.unblinded(
          task,
          await sums.weighted(contributions, weights, adapted(BigInt(weight), 1n)),
        );
        const seen = scatter(task, { ...unflatten(task, values), owners: BigInt(OWNERS) });
        curve[w]!.push(
          distance(
            seen.map((row) => row.map((x) => x / weight)),
            alone,
          ),
        );
      }
    }
    return {
      kind: 'trials',
      attack,
      control,
      paired: true,
      baseline: 0,
      facts: { 'largest error of the spectrum, relative': Math.max(...errors) },
      blocks: [
        lineChart(
          {
            name: 'one-owner-by-weight',
            caption:
              'What one owner’s weight does to the pooled scatter matrix: its distance from that of the owner alone, relative, on average. With the others left out it is 0.',
          },
          { title: 'weight of the owner', scale: 'log' },
          { title: 'relative distance', scale: 'log' },
          [{ name: 'pooled scatter matrix', points: WEIGHTS.map((x, w) => ({ x, y: mean(curve[w]!) })) }],
        ),
      ],
    };
  },
};

const EPSILON = 1;
const DELTA = 1e-6;
const ROWS = 20;
const SCALES = [1, 2, 4, 8, 16] as const;
/** Figures of docs/privacy.md, by scale. */
const TEXT = { 1: '1', 2: '2.1', 4: '4.6', 8: '10', 16: '25' } as const;

/** The least ε that noise with this number of deviations between neighbours has for δ. */
function epsilonOf(deviations: number): number {
  let [low, high] = [1e-6, 1000];
  while (high / low > 1 + 1e-9) {
    const middle = Math.sqrt(low * high);
    if (dpDeltaOfGaussian({ sigma: 1, sensitivity: deviations, epsilon: middle }) > DELTA) low = middle;
    else high = middle;
  }
  return high;
}

const scaledPrivacy: Unworded = {
  id: 'deviation-scaled-privacy',
  terms: { epsilon: EPSILON },
  kind: 'deviation',
  attacker: 'data user',
  secret: 'membership',
  expectation: 'admitted',
  claims: ['S-144', 'P-47', 'P-48', 'P-49'],
  unit: 'run',
  scenes: ['iris'],
  omits: tooSmall,
  async run({ scene, effort, seed }) {
    await using sums = await EncryptedSums.start();
    const { proposal, cut } = smallTask(scene, {
      features: 2,
      differentialPrivacy: {
        epsilon: EPSILON,
        delta: DELTA,
        neighbours: 'add-remove',
        clippingNorm: 1,
        noise: 'servers',
        honestOwners: null,
        dataIndependentRanges: true,
      },
    });
    const task = agreed(proposal);
    const draws = new Draws(seed);
    const rows = cut(draws.some(scene.owners.flat(), ROWS));
    const { min, max } = { min: task.features.map((it) => it.min), max: task.features.map((it) => it.max) };
    // A row that clipping leaves at its full length: nothing shows better.
    const target = { values: max, labels: {}, person: 'target' };
    if (min.some((it, i) => it === max[i])) throw new RangeError('expected features with a range');
    const known = [rows, rows].map((own) => statisticsOf(task, own)).reduce(addStatistics);
    const base = flatten(task, known);
    const places = placesOf(task);
    const row = flatten(task, statisticsOf(task, [target])).with(places.owners.from, 0n);
    const variances = variancesOf(task);
    const signal = Math.hypot(
      ...row.map((x, i) => (variances[i] === 0 ? 0 : Number(x) / Math.sqrt(variances[i]!))),
    );
    const residuals: number[] = [];
    const shift = shiftOf(task);
    const right = async (scale: number) => {
      const present = draws.uniform() < 0.5;
      const values = base.map((x, i) => x + (present ? row[i]! : 0n));
      const contribution = await sums.contribution(task, { ...unflatten(task, values), owners: 2n });
      const more = sums.packed(task, countOnly(task, 2n - 2n * BigInt(scale)));
      const aggregate = await sums.weighted([contribution], [BigInt(scale)], more);
      const seen = await sums.unblinded(task, aggregate);
      const left = seen.values.map((x, i) =>
        Number(x - seen.ownNoise[i]! - shift[i]! - BigInt(scale) * base[i]!),
      );
      let score = 0;
      for (const [i, x] of left.entries()) {
        if (variances[i] === 0) continue;
        const mean = scale * Number(row[i]!);
        score += (mean * (x - mean / 2)) / variances[i]!;
        residuals.push((x - (present ? mean : 0)) / Math.sqrt(variances[i]!));
      }
      return Number(score > 0 === present);
    };
    const count = effort === 'quick' ? 20 : 200;
    const calls = { attack: [] as number[], control: [] as number[] };
    for (let run = 0; run < count; run += 1) {
      calls.attack.push(await right(16));
      calls.control.push(await right(1));
    }
    const noise = Math.sqrt(residuals.reduce((sum, x) => sum + x * x, 0) / residuals.length);
    const error = 1.96 / Math.sqrt(2 * residuals.length);
    const measured = SCALES.map((scale) => {
      const at = (relative: number) => epsilonOf((scale * signal) / (noise * relative));
      return {
        ...{ scale, text: TEXT[scale], measured: at(1).toFixed(2) },
        interval: `${at(1 + error).toFixed(2)} to ${at(1 - error).toFixed(2)}`,
      };
    });
    return {
      kind: 'trials',
      ...calls,
      baseline: 0.5,
      facts: {
        'noise that is left, over that of one server': noise,
        'largest factor by the bounds': (task.maximumOwners * task.maximumSamplesPerOwner) / (2 * ROWS),
        ...Object.fromEntries(
          measured.map(({ scale, text, measured: value }) => [`epsilon at ${scale} (text: ${text})`, value]),
        ),
      },
      blocks: recordTable(
        {
          caption: `What is left of epsilon for the same delta, by the noise that was measured over ${residuals.length} values`,
          rows: ['scale'],
          cells: { text: only('text'), measured: only('measured'), interval: only('interval') },
        },
        measured,
      ),
    };
  },
};

/** Variances of the CSP's noise, value by value; 0 where there is none. */
function variancesOf(task: Task): number[] {
  const { variances, offDiagonal } = noisePlanOf(task)!;
  const { R, labellings, length } = placesOf(task);
  const d = task.features.length;
  const number = ({ numerator, denominator }: typeof offDiagonal) => Number(numerator) / Number(denominator);
  const result = new Array<number>(length).fill(0);
  let at = R.from;
  for (let i = 0; i < d; i += 1)
    for (let j = i; j < d; j += 1) result[at++] = number(i === j ? variances.R : offDiagonal);
  for (const { V, M } of labellings.flat()) {
    result.fill(number(variances.V), V.from, V.to);
    result.fill(number(variances.M), M.from, M.to);
  }
  return result;
}

export const WEIGHING: readonly Unworded[] = [oneOwner, scaledPrivacy];
