/**
 * The stage of Eigenveil as studies see it: exact integer statistics of rows with the Gaussian noise, rounded to integers, that the noise plan of a task
 * asks for, of both servers or of the CSP alone. Plan, weights and sampler are those of the protocol.
 */

import { CLASS_WEIGHTS, SCATTER_WEIGHTS } from '@eigenveil/methods';
import { noisePlan, type RandomSource, type StageTask, sampleNoise } from '@eigenveil/privacy';
import type { Neighbours } from '@eigenveil/privacy/parts';
import {
  bounded,
  centredScatter,
  featuresOf,
  fromUpperTriangle,
  secondMoment,
  sumOfRows,
  topEigenvectors,
  upperTriangle,
} from './matrix.ts';
import { APPROXIMATE, type PcaMethod, type PcaSetting, type Row, type Site } from './method.ts';

export interface Budget {
  readonly epsilon: number;
  readonly dpDelta: number;
}

/** Sums of squares of up to 2^21 rows stay exact in doubles. */
const FRACTION_BITS = 16;
export const UNIT = 2 ** FRACTION_BITS;

/** The number of servers that add noise. */
export type Draws = 0 | 1 | 2;

interface TaskOf {
  readonly features: number;
  /** The number of classes that have sums of their own; without it all rows have common ones. */
  readonly classes?: number | undefined;
  readonly owners?: number;
  readonly neighbours?: Neighbours;
}

export const stageTask = (
  { features, classes, owners = 1, neighbours = 'add-remove' }: TaskOf,
  { epsilon, dpDelta }: Budget,
): StageTask => ({
  weights: classes === undefined ? SCATTER_WEIGHTS : CLASS_WEIGHTS,
  collectsR: true,
  features,
  classes: [classes ?? 1],
  fractionBits: FRACTION_BITS,
  maximumOwners: owners,
  setting: {
    epsilon,
    delta: dpDelta,
    neighbours,
    clippingNorm: 1,
    noise: 'servers',
    honestOwners: null,
    dataIndependentRanges: true,
  },
});

/** Rows in units of 2^-16, rounded towards zero, so that none becomes longer; adding 0 turns −0 into 0. */
export const discretised = (rows: readonly Row[]): number[][] =>
  rows.map((row) => row.map((x) => Math.trunc(x * UNIT) + 0));

/** The upper triangle of R of all rows, then V and the number of rows of each class, of rows as `discretised` gives them. */
export const statisticsOf = (classes: readonly (readonly Row[])[], features: number): number[] => [
  ...upperTriangle(secondMoment(classes.flat(), features)),
  ...classes.flatMap((rows) => [...sumOfRows(rows, features), rows.length]),
];

interface Sums {
  readonly V: readonly number[];
  readonly M: number;
}

/** R, and the sums of each class, of such statistics: with their noise, they are below 2^53. */
export function partsOf(
  released: readonly bigint[],
  features: number,
): { readonly R: number[][]; readonly sums: readonly Sums[] } {
  const statistics = released.map(Number);
  const triangle = (features * (features + 1)) / 2;
  const classes = Math.floor((statistics.length - triangle) / (features + 1));
  const sums = Array.from({ length: classes }, (_, c) => {
    const own = statistics.slice(triangle + c * (features + 1)).slice(0, features + 1);
    return { V: own.slice(0, features), M: own[features]! };
  });
  return { R: fromUpperTriangle(statistics, features), sums };
}

/** Statistics with the noise of this number of servers, which add none for ε = Infinity. */
export function released(
  source: RandomSource,
  statistics: readonly number[],
  task: StageTask,
  draws: Draws = 2,
): StageRelease {
  const exact = statistics.map(BigInt);
  const plan = task.setting.epsilon === Infinity || draws === 0 ? undefined : noisePlan(task);
  const noises =
    plan === undefined ? [] : Array.from({ length: draws }, () => sampleNoise(source, task, plan));
  return {
    noisy: exact.map((value, i) => noises.reduce((sum, noise) => sum + noise[i]!, value)),
    exact,
    noises,
  };
}

/** The decomposition is computed from `noisy`; each server knows its own noise beside. */
interface StageRelease {
  readonly noisy: readonly bigint[];
  readonly exact: readonly bigint[];
  readonly noises: readonly (readonly bigint[])[];
}

/** The statistics and the number of owners, of rows that are clipped to C and divided by it. */
export function stageRelease(
  source: RandomSource,
  sites: readonly Site[],
  setting: PcaSetting,
  draws: Draws,
): StageRelease {
  const features = featuresOf(sites);
  const rows = discretised(bounded(sites, setting).flat());
  const statistics = [...statisticsOf([rows], features), sites.length];
  return released(source, statistics, stageTask({ features, owners: sites.length }, setting), draws);
}

/** A server that subtracts its own noise is left with this: the other's is still there. */
export const subtractOwnNoise = ({ noisy }: Pick<StageRelease, 'noisy'>, own: readonly bigint[]): bigint[] =>
  noisy.map((value, i) => value - own[i]!);

/** Undefined where the noisy number of rows is not positive: the protocol refuses to decompose that. */
export function stageComponents(
  statistics: readonly bigint[],
  features: number,
  components: number,
): number[][] | undefined {
  const { R, sums } = partsOf(statistics, features);
  const { V, M } = sums[0]!;
  // The public shift of R moves no component, so it is left out.
  return M <= 0 ? undefined : topEigenvectors(centredScatter(R, V, M), components);
}

/** The mean in the units of rows in the unit ball; undefined where `stageComponents` is. */
export function stageMean(
  statistics: readonly bigint[],
  features: number,
  { clippingNorm }: PcaSetting,
): number[] | undefined {
  const { V, M } = partsOf(statistics, features).sums[0]!;
  return M <= 0 ? undefined : V.map((sum) => (sum / M / UNIT) * Math.min(clippingNorm, 1));
}

/** Both servers' noise takes this trust. */
export const SERVERS_APART =
  'the two servers not to join: each alone is promised (ε, δ) by the other’s noise';

/** A method whose noise is that of the stage. */
export const stageMethod = ({
  trust,
  remarks,
  ...own
}: Pick<PcaMethod, 'name' | 'title' | 'reference' | 'run'> &
  Pick<PcaMethod['promise'], 'trust' | 'remarks'>): PcaMethod => ({
  ...own,
  panel: 'approximate',
  dependsOnSites: false,
  promise: { ...APPROXIMATE, trust, means: 'protected', counts: 'protected', remarks },
});

const oneTask =
  (draws: Draws): PcaMethod['run'] =>
  (source, sites, setting) =>
    stageComponents(stageRelease(source, sites, setting, draws).noisy, featuresOf(sites), setting.components);
const STAGE = 'the differential-privacy stage of this project';

export const eigenveilOne = stageMethod({
  name: 'eigenveil-one',
  title: 'Eigenveil, one server’s noise',
  reference: STAGE,
  trust:
    'the two servers not to join, and nobody to show the CSP the result: it knows all the noise that is in it',
  remarks:
    'Noise of the CSP alone, as tasks may have it; and what is left of both servers’ noise for one that subtracts its own.',
  run: oneTask(1),
});

export const eigenveil = stageMethod({
  name: 'eigenveil',
  title: 'Eigenveil',
  reference: STAGE,
  trust: SERVERS_APART,
  remarks: 'Both servers’ noise, as released. Gaussian noise rounded to integers, drawn exactly.',
  run: oneTask(2),
});
