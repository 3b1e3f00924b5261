/**
 * Tells what to know of a result before it is relied on, from what is released anyway: components whose
 * vectors are arbitrary, whose eigenvalues are no more than the arithmetic's error or the noise, or of which
 * a status bit says nothing.
 */

import { isPrincipal, methodOf, varyingFeatures } from '@eigenveil/methods';
import { roundingAngles, type Remark as ToldRemark, wholeVariance } from '@eigenveil/projection/portable';
import { noiseNorm, programOf, shiftRidge, type Task } from '@eigenveil/task';
import { type Resolution, resolutionOf } from '@eigenveil/two-party/plan';
import type { Projection } from '@eigenveil/wire';

export type RemarkCode =
  | 'not-found'
  | 'no-classes'
  | 'zero'
  | 'mixed'
  | 'rounding'
  | 'noise'
  | 'status'
  | 'sketch';

/** Radians. A component that rounding alone turns by more has a direction that hangs on it. */
const TURNED = 0.01;

/**
 * A released eigenvalue in norms of the noise, from which on its component stands out: one as large as the
 * norm is released with a quarter more. Noise alone is released with the norm.
 */
const STANDS_OUT = 1.25;

export interface Remark extends ToldRemark {
  readonly code: RemarkCode;
}

/**
 * Returns remarks in the order in which they are told; a component without any has an eigenvalue and a vector
 * that stand out from all that is known to disturb them.
 */
export function remarksOf(task: Task, projection: Projection): Remark[] {
  const { eigenvalues, converged } = projection;
  if (eigenvalues.length === 0) return [];
  const method = methodOf(task);
  const resolution = resolutionOf(task.twoParty, programOf(task), {
    largest: eigenvalues[0] ?? 0,
    trace: decomposedTrace(task, projection),
  });
  const where = (holds: (value: number, j: number) => boolean): number[] =>
    eigenvalues.flatMap((value, j) => (holds(value, j) ? [j + 1] : []));
  const alone = withoutClasses(task, projection);
  const rank = largestRank(task, projection);
  const noise = isPrincipal(method) ? noiseNorm(task, Math.hypot(...(projection.mean ?? []))) : undefined;
  // With a ridge on the signal, zero is a number like others.
  const hasNullSpace = (method.pencil?.signalRidge ?? 0) === 0;
  const isZero = (value: number, j: number) =>
    hasNullSpace && (j >= rank || Math.abs(value) <= resolution.error(value));
  const { floor } = programOf(task);
  const isFloor = (value: number) =>
    floor !== undefined && method.decomposes === 'scatter' && value <= floor.norm;
  const found = (j: number) => converged?.[j] !== false;
  const isAbout = (value: number) => noise !== undefined && value >= noise && value < STANDS_OUT * noise;
  const dpNoise = `the noise of differential privacy, about ${noise?.toPrecision(3)}${projection.mean === undefined ? ' or more' : ''}`;
  const ofSketch = `of a sketch of ${task.sketch?.columns} columns`;
  const onFaces =
    'on faces of 20 components 60 columns lost 0.1 to 0.9 % of the variance that exact ones capture, on handwritten digits 2 %';
  const runs = mixed(task, projection, resolution);
  const angles = roundingOf(projection);
  const hangs = (value: number, j: number) =>
    found(j) && !isZero(value, j) && !runs.flat().includes(j + 1) && (angles?.[j] ?? 0) > TURNED;
  const rounded = `rounding the rows to 2^-${projection.fractionBits}`;
  const estimated = `by more than ${TURNED} rad, as an estimate from the eigenvalues`;
  const remarks: Remark[] = [
    remark(
      'not-found',
      where((_, j) => !found(j)),
      {
        one: 'the computation has not found it: use neither its eigenvalue nor its vector',
        many: 'the computation has not found them: use neither their eigenvalues nor their vectors',
      },
    ),
    remark(
      'no-classes',
      where((value, j) => alone(value - resolution.error(value), j)),
      {
        one: 'its eigenvalue is no larger than the ridges alone can make it, so that class means need not differ along it at all',
        many: 'their eigenvalues are no larger than the ridges alone can make them, so that class means need not differ along them at all',
      },
    ),
    remark(
      'zero',
      where((value, j) => found(j) && isZero(value, j)),
      {
        one: "its eigenvalue is no larger than the arithmetic's error or the rank allows: it may be zero, and its vector arbitrary",
        many: "their eigenvalues are no larger than the arithmetic's error or the rank allows: they may be zero, and their vectors arbitrary",
      },
    ),
    ...runs.map((components) =>
      remark('mixed', components, {
        one: 'its eigenvalue and the next one are equal within what the arithmetic resolves: its vector is arbitrary, only the space that both vectors span is not',
        many: 'their eigenvalues are equal within what the arithmetic resolves: each vector alone is arbitrary, only the space that they span is not',
      }),
    ),
    remark('rounding', where(hangs), {
      one: `${rounded} turns it ${estimated}: its direction hangs on it, and more "fractionBits" turn it less`,
      many: `${rounded} turns each of them ${estimated}: their directions hang on it, and more "fractionBits" turn them less`,
    }),
    remark('noise', noise === undefined ? [] : where((value) => value < noise), {
      one: `its eigenvalue is below ${dpNoise}: its vector is mostly noise`,
      many: `their eigenvalues are below ${dpNoise}: their vectors are mostly noise`,
    }),
    remark('noise', where(isAbout), {
      one: `its eigenvalue is little above ${dpNoise}, and may be noise alone: a quarter or more of its vector is`,
      many: `their eigenvalues are little above ${dpNoise}, and may be noise alone: a quarter or more of their vectors is`,
    }),
    remark(
      'noise',
      where((value, j) => found(j) && !isZero(value, j) && isFloor(value)),
      {
        one: `its eigenvalue is no larger than the noise of the floor, about ${floor?.norm.toPrecision(3)}: its vector is mostly noise`,
        many: `their eigenvalues are no larger than the noise of the floor, about ${floor?.norm.toPrecision(3)}: their vectors are mostly noise`,
      },
    ),
    remark(
      'status',
      where(
        (value, j) => converged?.[j] === true && !isZero(value, j) && Math.abs(value) <= resolution.status,
      ),
      {
        one: '"converged" says little about it: it allows an error of 2^-10 of the first eigenvalue, which is more than its own',
        many: '"converged" says little about them: it allows an error of 2^-10 of the first eigenvalue, which is more than theirs',
      },
    ),
    remark('sketch', task.sketch === undefined ? [] : where(() => true), {
      one: `it is ${ofSketch}: its eigenvalue is too small rather than too large, and its vector may be far from the exact one; ${onFaces}`,
      many: `they are ${ofSketch}: their eigenvalues are too small rather than too large, the last ones most, and single vectors may be far from the exact ones; ${onFaces}`,
    }),
  ];
  return remarks.filter(({ components }) => components.length > 0);
}

/** @param words for one component, and for several */
function remark(
  code: RemarkCode,
  components: readonly number[],
  { one, many }: { readonly one: string; readonly many: string },
): Remark {
  return { code, components, text: components.length === 1 ? one : many };
}

/**
 * Returns the trace of what was decomposed, with the public shift of differential privacy; at most so large,
 * where neither trace nor spectrum was declared.
 */
function decomposedTrace(task: Task, projection: Projection): number {
  if (!isPrincipal(methodOf(task))) return 0;
  const { eigenvalues } = projection;
  const d = task.features.length;
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + Math.max(0, value), 0);
  const most =
    methodOf(task).decomposes === 'correlation'
      ? d
      : sum(eigenvalues) + (d - eigenvalues.length) * Math.max(0, eigenvalues.at(-1) ?? 0);
  return (wholeVariance(projection) ?? most) + d * shiftRidge(task);
}

/**
 * Says whether a component of this eigenvalue needs no difference of class means. They differ in a direction
 * less than there are classes with rows, as far as that was declared. With ρ′ = 0 those come first. Otherwise
 * (S_B + ρ′I) w = ν (S̄ + ρI) w has ν = (wᵀ S_B w + ρ′ wᵀ w)/(wᵀ S̄ w + ρ wᵀ w), so that a direction without a
 * difference may have any ν up to ρ′/ρ, and may even come first.
 */
function withoutClasses(task: Task, { classCounts }: Projection): (eigenvalue: number, j: number) => boolean {
  const { pencil } = methodOf(task);
  if (pencil === undefined) return () => false;
  const { ridge, signalRidge } = pencil;
  if (signalRidge !== 0) {
    const most = pencil.eigenvalue(signalRidge > 0 ? signalRidge / ridge : 0);
    return (eigenvalue) => eigenvalue <= most;
  }
  const { labellings, differentialPrivacy } = task;
  const counted = differentialPrivacy === null ? classCounts?.[0] : undefined;
  const classes = counted?.filter((count) => count > 0).length ?? labellings[0]!.classes.length;
  return (_, j) => j >= classes - 1;
}

/**
 * Returns the rank of the scatter matrix of a PCA, as far as it is public: features that vary, and one less
 * than rows.
 */
function largestRank(task: Task, { sampleCount }: Projection): number {
  const method = methodOf(task);
  if (!isPrincipal(method)) return method.maximumComponents(programOf(task));
  const varying = varyingFeatures(task.features);
  if (task.differentialPrivacy !== null) return task.features.length; // noise has full rank
  return sampleCount === undefined ? varying : Math.min(varying, sampleCount - 1);
}

/**
 * Runs of components whose eigenvalues cannot be distinguished; also from the next one that was not asked
 * for, where a spectrum of a PCA tells it.
 */
function mixed(
  task: Task,
  { eigenvalues, converged, spectrum }: Projection,
  { error, gap }: Resolution,
): number[][] {
  const values = isPrincipal(methodOf(task))
    ? [...eigenvalues, ...(spectrum?.slice(eigenvalues.length) ?? [])]
    : eigenvalues;
  const isTold = (j: number) => converged?.[j] !== false && Math.abs(values[j]!) > error(values[j]!);
  const runs: number[][] = [];
  for (const [j, value] of values.entries()) {
    const before = values[j - 1];
    const joins = before !== undefined && isTold(j) && isTold(j - 1) && before - value <= gap(before, value);
    if (joins) runs.at(-1)!.push(j + 1);
    else runs.push([j + 1]);
  }
  return runs
    .filter(({ length }) => length > 1)
    .map((run) => run.filter((component) => component <= eigenvalues.length))
    .filter(({ length }) => length > 0);
}

/**
 * Says by how many radians rounding turns each component, 0 for one that was not found; undefined for what
 * has no such estimate, and where the noise does much more.
 */
export function roundingOf(projection: Projection): number[] | undefined {
  const { sketch, differentialPrivacy } = projection;
  const isCovariance = methodOf(projection).decomposes === 'scatter' && sketch === undefined;
  if (!isCovariance || differentialPrivacy !== null) return undefined;
  const { eigenvalues, converged } = projection;
  const isFound = (_: number, j: number) => converged?.[j] !== false;
  const angles = roundingAngles({ ...projection, eigenvalues: eigenvalues.filter(isFound) });
  return eigenvalues.map((value, j) => (isFound(value, j) ? angles.shift()! : 0));
}

/** A sentence, without its end; undefined where there is no estimate. */
export function roundingInWords(projection: Projection): string | undefined {
  const angles = roundingOf(projection);
  if (angles === undefined) return undefined;
  const { trace, spectrum, fractionBits } = projection;
  const from =
    trace === undefined && spectrum === undefined ? 'of the components alone' : 'that are declared';
  return `an estimate from the eigenvalues ${from}: rounding the rows to 2^-${fractionBits} turns the components by ${Math.max(...angles).toExponential(0)} rad at most`;
}
