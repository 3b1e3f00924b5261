/**
 * The release of a task over given rows, by the clear reference on exact integers, and rows reduced by it: for attacks, which ask it hundreds of
 * times. That real runs release the same is an experiment of its own.
 */
import { type FlatResult, flatResult } from '@eigenveil/methods';
import { Projector, resultInClear } from '@eigenveil/projection';
import {
  addStatistics,
  Discretiser,
  drawNoise,
  flatten,
  noisedStatistics,
  RowAccumulator,
  type Statistics,
  unflatten,
} from '@eigenveil/statistics';
import { programOf, shiftOf, type TaskProposal, withoutShift } from '@eigenveil/task';
import type { Draws } from './draws.ts';
import type { SceneRow } from './scene.ts';

/** Rows by owner, as scenes have them. */
type RowsByOwner = readonly (readonly SceneRow[])[];

/** The values of a row and its classes as a task reads them. */
type TaskRow = Pick<SceneRow, 'values' | 'labels'>;

/**
 * Returns what the task releases. Rows and owners are not counted against the task's bounds: attackers compute with any rows.
 * @param draws of the noise of differential privacy and of the floor, which both servers (or as the task says) then add; without them a task with differential
 *   privacy is refused, and one with a floor releases what it would without noise
 * @throws RangeError for a task with differential privacy without draws; as decompose
 * @example
 * const { vectors, eigenvalues } = releasedBy(scene.proposal, scene.owners);
 */
export function releasedBy(proposal: TaskProposal, rowsByOwner: RowsByOwner, draws?: Draws): FlatResult {
  return releasedOf(proposal, pooledStatistics(proposal, rowsByOwner), draws);
}

/** The exact integers of all rows together, of a sketch by these signs. For attacks that add a row to many: `addStatistics(pooled, statisticsOf(proposal, [row]))`. */
export function statisticsOf(
  proposal: TaskProposal,
  rows: readonly TaskRow[],
  signs?: Int32Array,
): Statistics {
  const { labellings } = proposal;
  // Not the task's bound, which is one owner's.
  const accumulator = new RowAccumulator(
    { ...proposal, maximumSamplesPerOwner: Math.max(1, rows.length) },
    signs,
  );
  for (const { values, labels } of rows)
    accumulator.add(
      values,
      labellings.map(({ column }) => labels[column]!),
    );
  return accumulator.statistics();
}

/** The statistics of all owners; the sums are exact, so it does not matter who adds which row. */
export function pooledStatistics(
  proposal: TaskProposal,
  rowsByOwner: RowsByOwner,
  signs?: Int32Array,
): Statistics {
  return { ...statisticsOf(proposal, rowsByOwner.flat(), signs), owners: BigInt(rowsByOwner.length) };
}

/** The statistics without those of rows that are in them. */
export function withoutRows(
  proposal: TaskProposal,
  pooled: Statistics,
  rows: readonly TaskRow[],
): Statistics {
  const negative = flatten(proposal, statisticsOf(proposal, rows)).map((value) => -value);
  const left = addStatistics(pooled, unflatten(proposal, negative));
  return { ...left, owners: pooled.owners };
}

/**
 * Returns what `releasedBy` does, from statistics.
 * @throws as releasedBy
 */
export function releasedOf(proposal: TaskProposal, pooled: Statistics, draws?: Draws): FlatResult {
  const program = { ...programOf(proposal), minimumOwners: 1 };
  const isExact = program.floor === undefined || draws === undefined;
  if (!proposal.differentialPrivacy && isExact) return flatResult(resultInClear(program, pooled));
  if (draws === undefined) throw new RangeError('"draws" expected ones for a task with differential privacy');
  return withoutShift(proposal, flatResult(resultInClear(program, noisyStatistics(proposal, pooled, draws))));
}

/** With the noise that the task asks for (of `owners`, each owner's part), its floor, and the public shift. */
function noisyStatistics(proposal: TaskProposal, pooled: Statistics, draws: Draws): Statistics {
  const plus = (values: readonly bigint[], noises: readonly (readonly bigint[])[]) =>
    noises.reduce<readonly bigint[]>((sum, noise) => sum.map((value, i) => value + noise[i]!), values);
  const noiseOf = (drawer: 'csp' | 'dataUser' | 'owner') => drawNoise(proposal, drawer, draws.source);
  const servers = (['csp', 'dataUser'] as const).map(noiseOf);
  const owners = Array.from({ length: Number(pooled.owners) }, () => noiseOf('owner'));
  const sums = plus(flatten(proposal, pooled), [...owners, shiftOf(proposal)]);
  return { ...noisedStatistics(proposal, sums, servers), owners: pooled.owners };
}

/**
 * Reduces rows as owners do, by what a task released: one coordinate per component.
 * @throws ERR_PROJECTION_INVALID for a projection that is not one of the task
 */
export function reducerOf(
  proposal: TaskProposal,
  released: FlatResult,
): (rows: readonly Pick<SceneRow, 'values'>[]) => number[][] {
  // Bounds that no number of rows leaves: see releasedBy.
  const unbounded = { ...proposal, maximumSamplesPerOwner: 1_000_000 };
  const { method, twoParty, features, fractionBits, outputs, differentialPrivacy } = proposal;
  const projector = new Projector(unbounded, {
    ...{ method, twoParty, features, fractionBits, outputs, differentialPrivacy },
    ...released,
  });
  return (rows) => projector.transform(rows.map(({ values }) => values));
}

/** Features in [−1, 1], rounded as for the contribution: what vectors, means and reduced rows are about. */
export function scaledRows(
  { features, fractionBits }: Pick<TaskProposal, 'features' | 'fractionBits'>,
  rows: readonly Pick<SceneRow, 'values'>[],
): number[][] {
  const discretiser = new Discretiser({ features, fractionBits });
  const unit = 2 ** -fractionBits;
  return rows.map(({ values }) => discretiser.discretise(values).map((cell) => cell * unit));
}
