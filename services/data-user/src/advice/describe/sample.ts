/**
 * Says what a sample lets expect of the task that was drafted from it, in words for the person who drafts.
 * Nothing of it gets into the draft.
 */
import { flatResult, methodOf } from '@eigenveil/methods';
import { isOf } from '@eigenveil/platform';
import {
  type Link,
  meanOfRows,
  PROJECTION_CODES,
  pencil,
  rankOf,
  resultInClear,
  statisticsThrough,
  symmetricEigen,
  totalScatter,
  ZERO_EIGENVALUE,
} from '@eigenveil/projection/portable';
import type { Statistics } from '@eigenveil/statistics/owner';
import {
  cappedComponents,
  noiseNorm,
  programOf,
  rowsToStandOut,
  type TaskProposal,
  takesFloor,
} from '@eigenveil/task';
import type { ReadSampleRows } from '../draft/sample.ts';
import { describeFloor, forecastFloor, partOfResult, programFor } from './forecast-floor.ts';
import { describeSketch } from './sketch.ts';

/** The sample, summed as an owner's rows are. */
export interface Summed {
  readonly statistics: Statistics;
  readonly rows: number;
  readonly clippedRows: number;
}

/** λ of MDR up to 2^14 come out right (docs/precision.md); a quarter of that is aimed at. */
const LARGEST_RATIO = 2 ** 12;
/** Nor is a ridge known that is below 2^-18 of m·d times the largest squares (docs/precision.md). */
const SMALLEST_PIVOT = 2 ** 18;

/**
 * Reads the sample once more, for its statistics.
 * @param basis what the task stands on
 * @throws as `statisticsOfRows`
 */
export function sumSample(
  read: ReadSampleRows,
  task: TaskProposal,
  basis: readonly Link[] = [],
): Promise<Summed> {
  // The sample may be of several owners.
  const room = { ...task, maximumOwners: 1, maximumSamplesPerOwner: Number.MAX_SAFE_INTEGER };
  // The draft has looked at clipped cells already.
  const allowClipping = [...task.features, ...(basis[0]?.task.features ?? [])].map(({ name }) => name);
  return statisticsThrough(room, basis, { ignoredColumns: 'others', allowClipping }, read);
}

/**
 * @param basis what the task stands on, or the result that it refines
 * @throws as `sumSample`
 */
export async function describeSample(
  read: ReadSampleRows,
  task: TaskProposal,
  basis: readonly Link[] = [],
): Promise<string[]> {
  if (!takesFloor(task)) return [];
  if (task.sketch !== undefined) return describeSketch(read, task, basis.at(-1)?.projection);
  const sample = await sumSample(read, task, basis);
  return [...describeSummed(task, sample), ...describeFloor(task, forecastFloor(task, sample))];
}

function describeSummed(task: TaskProposal, sample: Summed): string[] {
  const { result, decomposes, sums } = methodOf(task);
  if (result === 'regression') return describeFit(task, sample);
  const isPencil = decomposes === 'pencil';
  if (decomposes === undefined) return describeClipping(task, sample);
  if (!sums(task).R) return [...describePrivacyRidge(task, sample), ...describeClipping(task, sample)];
  const { values } = symmetricEigen(totalScatter(sample.statistics, task.fractionBits));
  return [
    ...(isPencil && task.twoParty !== 'rotated' ? [] : describeRank(task, values, sample)),
    ...(isPencil ? describeNoiseMatrix(task, sample) : []),
    ...describeClipping(task, sample),
    ...describeForecast(task, values, sample),
  ];
}

/** Says how much of the sample's last column its own regression explains, or why it would be refused. */
function describeFit(task: TaskProposal, { statistics }: Summed): string[] {
  const target = JSON.stringify(task.features.at(-1)!.name);
  try {
    const program = { ...programFor(task), allowFullRank: task.allowFullRank };
    const part = partOfResult(task, statistics)(flatResult(resultInClear(program, statistics)));
    return Number.isFinite(part)
      ? [`in the sample its own regression explains ${percent(part)} of the variance of ${target}`]
      : [`in the sample ${target} does not vary: there is nothing to predict`];
  } catch (error) {
    if (!isOf(PROJECTION_CODES, error)) throw error;
    switch (error.code) {
      case 'ERR_NOT_POSITIVE_DEFINITE':
        return [
          'in the sample features follow from each other, and the task would end with ERR_NOT_POSITIVE_DEFINITE: "ridge": 1 would do',
        ];
      case 'ERR_FULL_RANK':
        return [`of rows like the sample's the task would end with ERR_FULL_RANK: ${error.message}`];
      default:
        throw error;
    }
  }
}

/**
 * Warns where results are refused if the scatter's rank is too low: of a pencil by `rotated` alone.
 * Noise has every rank.
 */
function describeRank(task: TaskProposal, values: readonly number[], { rows }: Summed): string[] {
  if (task.allowFullRank || task.differentialPrivacy !== null) return [];
  const program = programOf(task);
  const components = cappedComponents(program);
  const least = methodOf(program).leastRank({ ...program, components });
  if (rows <= least)
    return [
      `all owners together need at least ${least + 1} rows, and the sample has ${rows}: with fewer the task ends with ERR_FULL_RANK`,
    ];
  const rank = rankOf(values, program.floor?.norm);
  if (rank >= least) return [];
  const most = rank - (least - components);
  const { floor } = program;
  if (floor !== undefined && rankOf(values) >= least)
    return [
      `in the sample only ${rank} of ${values.length} eigenvalues are larger than the noise of the floor, and the task would end with ERR_FULL_RANK; it takes about ${Math.ceil((rows * floor.norm) / values[least - 1]!).toLocaleString('en-US')} rows${most > 0 ? `, or "components": ${most} or fewer` : ''}`,
    ];
  return [
    `in the sample only ${rank} of ${values.length} features vary on their own, the others follow from them: the task would end with ERR_FULL_RANK; ${most > 0 ? `take "components": ${most} or fewer, ` : ''}leave features out, or consent with "allowFullRank"`,
  ];
}

/**
 * Warns for DCA and LDA: a noise matrix that is not clearly positive definite is refused once all owners have
 * contributed.
 */
function describeNoiseMatrix(task: TaskProposal, { statistics }: Summed): string[] {
  // The public shift of differential privacy is a ridge, too.
  if (task.differentialPrivacy !== null) return [];
  const { ridge, noise } = pencilOf(task, statistics);
  const largest = noise[0]! - ridge;
  if (noise.at(-1)! > ZERO_EIGENVALUE * largest) return [];
  return [
    `in the sample the noise matrix is singular with ρ = ${ridge}, and the task would end with ERR_NOT_POSITIVE_DEFINITE: "ridge": ${rounded(largest / 1000)} would do`,
  ];
}

/** The sample's pencil: ρ, and the eigenvalues of its signal matrix and, with ρ, of its noise matrix. */
function pencilOf(task: TaskProposal, statistics: Statistics) {
  const { A, B } = pencil(programFor(task), statistics);
  return {
    ridge: 'ridge' in task.method ? task.method.ridge : 0,
    signal: symmetricEigen(A).values,
    noise: symmetricEigen(B!).values,
  };
}

/**
 * Warns where the noise matrix is S_B of privacy labels, as MDR's is, and the ridge is not between what its
 * numbers can hold and what leaves those labels without weight.
 */
function describePrivacyRidge(task: TaskProposal, { statistics, rows }: Summed): string[] {
  const { ridge, signal, noise } = pencilOf(task, statistics);
  const [utility, privacy] = [signal[0]!, noise[0]! - ridge];
  const growth = Math.max(1, (task.maximumOwners * task.maximumSamplesPerOwner) / rows);
  const entries = (task.labellings[1]!.classes.length - 1) * task.features.length;
  const least =
    growth * Math.max(utility / LARGEST_RATIO, (entries * Math.max(utility, privacy)) / SMALLEST_PIVOT);
  const most = privacy / 10;
  const wouldDo = `"ridge": ${rounded(Math.max(least, most / 10))} would do`;
  if (ridge < least)
    return [
      `ρ = ${ridge} is too small for utility labels whose scatter has the eigenvalue ${rounded(utility)} in the sample, and ${rounded(utility * growth)} with as many rows as there is room for: ${wouldDo}`,
    ];
  if (ridge > most)
    return [
      `ρ = ${ridge} leaves privacy labels little weight, whose scatter has the eigenvalue ${rounded(privacy)} in the sample (that of utility ${rounded(utility)}): ${wouldDo}`,
    ];
  return [];
}

function describeClipping({ differentialPrivacy }: TaskProposal, { rows, clippedRows }: Summed): string[] {
  return differentialPrivacy === null
    ? []
    : [`the clipping norm scales down ${percent(clippedRows / rows)} of the sample's rows`];
}

/** Forecasts a task with differential privacy, except for MDR. */
function describeForecast(
  task: TaskProposal,
  values: readonly number[],
  { statistics, rows }: Summed,
): string[] {
  const norm = noiseNorm(task, Math.hypot(...meanOfRows(statistics, task.fractionBits)));
  if (norm === undefined) return [];
  const total = values.reduce((sum, value) => sum + value, 0);
  const standsOut = (i: number) =>
    `component ${i + 1} (${percent(values[i]! / total)} of the variance) from ${rowsToStandOut(norm, values[i]! / rows).toLocaleString('en-US')}`;
  const shown = [...new Set([0, task.components - 1])].filter((i) => values[i]! > 0);
  return [
    `if rows are like the sample's, noise on their scatter has a norm of about ${rounded(norm)}, and the scatter's largest eigenvalue is ${rounded(values[0]! / rows)} times the rows`,
    ...(methodOf(task).decomposes !== 'pencil' && shown.length > 0
      ? [`components of the sample stand out of the noise: ${shown.map(standsOut).join(', ')} rows on`]
      : []),
  ];
}

function percent(part: number): string {
  return `${Math.round(100 * part)} %`;
}

/** Rounds to two digits, without an exponent where people would write none. */
function rounded(value: number): string {
  return `${Number(value.toPrecision(2))}`;
}
