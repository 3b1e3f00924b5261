/**
 * Draws noise on statistics: what a task asks for its differential privacy and for its floor, and what an
 * owner adds for a floor of its own.
 */

import { methodOf } from '@eigenveil/methods';
import {
  type NoiseDrawers,
  noisePlan,
  type RandomSource,
  rationalOf,
  roundedGaussianSampler,
  sampleNoise,
} from '@eigenveil/privacy';
import {
  computedValues,
  floorDeviations,
  floorOf,
  OWN_FLOOR_REACH,
  type OwnFloor,
  ownNoiseBounds,
  placesOf,
  type StatisticsTask,
  stageTaskOf,
} from '@eigenveil/task';

type Drawer = 'csp' | 'dataUser' | 'owner';

const DRAWERS: Readonly<Record<NoiseDrawers, readonly Drawer[]>> = {
  servers: ['csp', 'dataUser'],
  csp: ['csp'],
  owners: ['owner'],
};

/**
 * One draw of the noise that an owner adds to the flat statistics of the task, or a server to what it
 * computes with (`computedValues`): zeros where the task has them add none. Whoever draws must draw once per
 * task and keep it, since the mean of several draws is closer to the statistics.
 * @param signs of a task with `sketch`: Ω, as sketchMatrix makes it
 * @throws ERR_DP_PARAMETER, and RangeError where a server's Ω of a sketch with a floor is missing
 */
export function drawNoise(
  task: StatisticsTask,
  drawer: Drawer,
  source: RandomSource,
  signs?: Int32Array,
): bigint[] {
  const noise = drawForPrivacy(task, drawer, source);
  return drawer === 'owner' ? noise : withFloor(task, noise, source, signs);
}

function drawForPrivacy(task: StatisticsTask, drawer: Drawer, source: RandomSource): bigint[] {
  const stage = stageTaskOf(task);
  if (stage === undefined || !DRAWERS[stage.setting.noise].includes(drawer))
    return new Array<bigint>(placesOf(task).length).fill(0n);
  return sampleNoise(source, stage, noisePlan(stage));
}

function withFloor(
  task: StatisticsTask,
  noise: readonly bigint[],
  source: RandomSource,
  signs: Int32Array | undefined,
): bigint[] {
  const deviations = floorDeviations(task);
  const draw = gaussiansOf(source);
  const ofSketch = sketchFloor(task, source, signs);
  const { from } = placesOf(task).Y;
  return computedValues(task, noise).map(
    (value, i) => value + draw(deviations[i] ?? 0) + (ofSketch[i - from] ?? 0n),
  );
}

/** Draws the noise on Y, whose entries hold noise of a whole row of R; nothing for another task. */
function sketchFloor(task: StatisticsTask, source: RandomSource, signs: Int32Array | undefined): bigint[] {
  const floor = floorOf(task);
  const { columns } = methodOf(task).sums(task);
  if (floor === undefined || columns === 0) return [];
  const unit = Math.sqrt(floor.deviation) * 2 ** floor.fractionBits;
  const scales = floor.grains.map((grain) => grain * unit);
  return sketchNoise({ signs: checkSigns(task, columns, signs), columns, scales }, source);
}

/**
 * One draw for all values of the flat statistics. An owner's program gives the same source for the same
 * statistics, since the mean of several draws is closer to its sums. What slots have no room for is drawn
 * again.
 * @param signs of a task with `sketch`: Ω, as sketchMatrix makes it
 * @throws RangeError where those of a sketch are missing
 */
export function drawOwnNoise(
  task: StatisticsTask,
  { deviations, scales }: OwnFloor,
  source: RandomSource,
  signs?: Int32Array,
): bigint[] {
  const draw = gaussiansOf(source);
  const noise = deviations.map((deviation) => {
    const most = BigInt(Math.floor(OWN_FLOOR_REACH * deviation));
    for (;;) {
      const noise = deviation === 0 ? 0n : draw(deviation);
      if (noise <= most && noise >= -most) return noise;
    }
  });
  if (scales === undefined) return noise;
  const { from, to } = placesOf(task).Y;
  return [...noise.slice(0, from), ...drawOwnSketch(task, scales, source, signs), ...noise.slice(to)];
}

/** Draws the noise on Y. All of it is drawn again where an entry has no room. */
function drawOwnSketch(
  task: StatisticsTask,
  scales: readonly number[],
  source: RandomSource,
  signs: Int32Array | undefined,
): bigint[] {
  const { Y: most } = ownNoiseBounds(task);
  const { columns } = methodOf(task).sums(task);
  for (;;) {
    const noise = sketchNoise({ signs: checkSigns(task, columns, signs), columns, scales }, source);
    if (noise.every((entry) => entry <= most && entry >= -most)) return noise;
  }
}

/** A standard normal number is drawn in units of 2^−40. */
const NORMAL_UNIT = 2 ** 40;
/** A column of which no more is left beside those before it depends on them. */
const DEPENDENT = 1e-9;

interface Asked {
  /** Ω, d × l, row by row. */
  readonly signs: ArrayLike<number>;
  readonly columns: number;
  /**
   * The scale of each feature. Noise on entry (i, j) has the deviation scales[i]·scales[j], √2 times that on
   * the diagonal.
   */
  readonly scales: readonly number[];
}

/**
 * Draws the floor of a sketch, E·Ω for noise E on the scatter matrix, without the d² numbers of E.
 * docs/floor.md says why it is on the scatter and not on the sketch's entries.
 *
 * E·Ω comes as d × l numbers, row by row, rounded to whole ones, for E = G W G with G = diag(scales) and W of
 * the Gaussian orthogonal ensemble.
 *
 * G·Ω = B·R with orthonormal columns B. W·B has the part B·BᵀWB in their span, and BᵀWB is of the ensemble
 * again; the rest of W·B, orthogonal to B, is as that of independent normal numbers. So d·l of these and a
 * small matrix of the ensemble have exactly the distribution of W·B.
 */
export function sketchNoise({ signs, columns: l, scales }: Asked, source: RandomSource): bigint[] {
  const d = scales.length;
  const draw = gaussiansOf(source);
  const normal = () => Number(draw(NORMAL_UNIT)) / NORMAL_UNIT;
  const { basis, factor } = orthonormal(
    Array.from({ length: l }, (_, a) => Float64Array.from(scales, (own, i) => own * signs[i * l + a]!)),
  );
  const inside = basis.map(() => new Float64Array(basis.length));
  for (let a = 0; a < basis.length; a += 1)
    for (let b = a; b < basis.length; b += 1)
      inside[a]![b] = inside[b]![a] = normal() * (a === b ? Math.SQRT2 : 1);
  // W·B, column by column.
  const turned = basis.map((_, b) => {
    const column = Float64Array.from({ length: d }, normal);
    for (const [a, other] of basis.entries()) add(column, other, inside[a]![b]! - inner(column, other));
    return column;
  });
  const noise = new Array<bigint>(d * l);
  for (let a = 0; a < l; a += 1) {
    const column = new Float64Array(d);
    for (const [b, weight] of factor[a]!.entries()) add(column, turned[b]!, weight);
    for (let i = 0; i < d; i += 1) noise[i * l + a] = BigInt(Math.round(scales[i]! * column[i]!));
  }
  return noise;
}

/**
 * Ω of the task.
 * @throws RangeError for another size, or none
 */
function checkSigns(
  { features }: Pick<StatisticsTask, 'features'>,
  columns: number,
  signs: Int32Array | undefined,
): Int32Array {
  if (signs === undefined || signs.length !== features.length * columns)
    throw new RangeError('"signs" expected those of the sketch, for its floor');
  return signs;
}

/** An orthonormal basis of these columns, and of each column what it is in the basis. */
function orthonormal(columns: readonly Float64Array[]): { basis: Float64Array[]; factor: number[][] } {
  const basis: Float64Array[] = [];
  const factor = columns.map((column) => {
    const rest = Float64Array.from(column);
    const weights = basis.map(() => 0);
    // Twice: once leaves what rounding left.
    for (let pass = 0; pass < 2; pass += 1) {
      for (const [b, other] of basis.entries()) {
        const part = inner(rest, other);
        weights[b]! += part;
        add(rest, other, -part);
      }
    }
    const left = Math.sqrt(inner(rest, rest));
    if (left <= DEPENDENT * Math.sqrt(inner(column, column))) return weights;
    basis.push(rest.map((entry) => entry / left));
    return [...weights, left];
  });
  return { basis, factor };
}

function inner(one: Float64Array, other: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < one.length; i += 1) sum += one[i]! * other[i]!;
  return sum;
}

function add(to: Float64Array, other: Float64Array, factor: number): void {
  for (let i = 0; i < to.length; i += 1) to[i]! += factor * other[i]!;
}

/** Draws whole numbers of a Gaussian with the deviation that is asked for. */
function gaussiansOf(source: RandomSource): (deviation: number) => bigint {
  const samplers = new Map<number, () => bigint>();
  return (deviation) => {
    const sampler =
      samplers.get(deviation) ??
      roundedGaussianSampler(source, {
        sigmaSquared: rationalOf('deviation', deviation ** 2),
        latticeBits: 0,
      });
    samplers.set(deviation, sampler);
    return sampler();
  };
}
