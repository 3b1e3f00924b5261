/** The number of rows of each class that have each feature, from one direction of an MDR: S_BU w = λ(S_BP + ρI) w, both of two classes and of whole numbers. */
import type { FlatResult } from '@eigenveil/methods';
import { floorOf } from '@eigenveil/task';
import type { Draws } from '../../draws.ts';
import type { Unworded } from '../../experiment.ts';
import type { Scene, SceneRow } from '../../scene.ts';
import { RELEASES, realResult } from './floor.ts';
import { drawnTask, singlesOf } from './matrices.ts';
import { type Equation, type Expected, type Reading, readWhole } from './reader.ts';
import { GRAIN } from './scatter.ts';
import { COMMON, found, notFound, type Scored, scoreOf } from './scoring.ts';
import { LABELS, tooFewDivided, twoValuedTask, type Wanted } from './two-valued.ts';

const FEATURES = 6;
const ROWS = 110;
const RIDGE = 1;

const TASK: Wanted = {
  method: { kind: 'mdr', ridge: RIDGE },
  twoParty: 'rotated',
  features: FEATURES,
  components: 1,
  outputs: ['mean'],
};

/** A labelling of two classes: how large one is, and what is expected of how many of its rows have each feature. */
interface Side {
  readonly size: number;
  readonly expected: readonly Expected[];
}

/** A class's rows with a feature, less what its size lets expect: S_B = weight · y yᵀ. */
interface Known {
  readonly rows: number;
  readonly singles: readonly number[];
}

const weightOf = ({ rows }: Known, { size }: Side) => 1 / (rows * size * (rows - size));
const contrast = ({ rows, singles }: Known, { size }: Side, i: number, count: number) =>
  GRAIN * (rows * count - size * singles[i]!);
const countOf = ({ rows, singles }: Known, { size }: Side, i: number, y: number) =>
  (y / GRAIN + size * singles[i]!) / rows;

/** Counts are sought within this number of deviations of what is expected. */
const REACH = 4;

function rangeOf({ size }: Side, { mean, deviation }: Expected, single: number): number[] {
  const from = Math.max(0, Math.floor(mean - REACH * deviation));
  const to = Math.min(size, single, Math.ceil(mean + REACH * deviation));
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);
}

/** yᵀw of both labellings: all that is not linear. */
type Inner = readonly [utility: number, privacy: number];

/**
 * Two counts of one feature give the inner products: with a = yᵀw, b = zᵀw it is c a y_i − λ c′ b z_i = λρ w_i, and the same times w is c a² − λ c′ b² = λρ.
 */
function innersOf(A: number, B: number, C: number, square: (b: number) => number, curve: number): Inner[] {
  // A² a² = (C + B b)², a² = square(b), of which the coefficient of b² is `curve`.
  const [p, q, r] = [A ** 2 * curve - B ** 2, -2 * B * C, A ** 2 * square(0) - C ** 2];
  const root = q ** 2 - 4 * p * r;
  if (root < 0 || p === 0 || A === 0) return [];
  return [1, -1].map((sign): Inner => {
    const b = (-q + sign * Math.sqrt(root)) / (2 * p);
    return [(C + B * b) / A, b];
  });
}

/** Inner products for which the counts of all features are whole: those of one feature are tried, and the others judge. */
function bestInners(
  w: readonly number[],
  value: number,
  known: Known,
  [utility, privacy]: readonly [Side, Side],
) {
  const [c, cPrivacy] = [weightOf(known, utility), value * weightOf(known, privacy)];
  const square = (b: number) => (value * RIDGE + cPrivacy * b ** 2) / c;
  const ranges = known.singles.map((single, i) => [
    rangeOf(utility, utility.expected[i]!, single),
    rangeOf(privacy, privacy.expected[i]!, single),
  ]);
  const misfit = ([a, b]: Inner, most: number) => {
    let sum = 0;
    for (const [i, [, own]] of ranges.entries()) {
      let least = 1;
      for (const count of own!) {
        const z = contrast(known, privacy, i, count);
        const guess = countOf(known, utility, i, (value * RIDGE * w[i]! + cPrivacy * b * z) / (c * a));
        least = Math.min(least, (guess - Math.round(guess)) ** 2);
      }
      sum += least;
      if (sum >= most) break;
    }
    return sum;
  };
  let best: { inner: Inner; misfit: number } | undefined;
  const first = w.reduce((most, x, i) => (Math.abs(x) > Math.abs(w[most]!) ? i : most), 0);
  for (const one of ranges[first]![0]!) {
    for (const other of ranges[first]![1]!) {
      const A = c * contrast(known, utility, first, one);
      const B = cPrivacy * contrast(known, privacy, first, other);
      for (const inner of innersOf(A, B, value * RIDGE * w[first]!, square, cPrivacy / c)) {
        const own = misfit(inner, best?.misfit ?? Infinity);
        if (own < (best?.misfit ?? Infinity)) best = { inner, misfit: own };
      }
    }
  }
  return best?.inner;
}

/** The equations that are left, linear in the counts. */
function equationsOf(
  w: readonly number[],
  value: number,
  known: Known,
  sides: readonly [Side, Side],
  [a, b]: Inner,
  noise: number,
) {
  const [utility, privacy] = sides;
  const left = weightOf(known, utility) * a * GRAIN;
  const right = value * weightOf(known, privacy) * b * GRAIN;
  return w.map((x, i): Equation => {
    const constant = known.singles[i]! * (left * utility.size - right * privacy.size);
    return {
      whole: new Map([
        [i, left * known.rows],
        [w.length + i, -right * known.rows],
      ]),
      real: new Map(),
      right: value * RIDGE * x + constant,
      deviation: Math.hypot(left, right) * known.rows * Math.max(ERROR, noise),
    };
  });
}

/** The error of a count. */
const ERROR = 2 ** -12;

/** The expected counts of a class, from the public sample and how many rows have each feature. */
export function sideOf(
  { rows, singles }: Known,
  size: number,
  sample: readonly SceneRow[],
  column: string,
): Side {
  const members = sample.map(({ labels }) => Number(labels[column] === '1'));
  const share = members.reduce((sum, x) => sum + x, 0) / sample.length;
  const expected = singles.map((single, i): Expected => {
    const together = sample.reduce(
      (sum, { values }, r) => sum + (values[i]! - single / rows) * (members[r]! - share),
      0,
    );
    const held = single / rows;
    const variance = held * (1 - held) * share * (1 - share);
    return {
      mean: (size * single) / rows + (rows * together) / sample.length,
      deviation: Math.sqrt(rows * variance * (1 + rows / sample.length)),
    };
  });
  return { size, expected };
}

/** Counts by class of both labellings, from the first direction. */
export function classesOf(
  { vectors: [w], eigenvalues: [value] }: Pick<FlatResult, 'vectors' | 'eigenvalues'>,
  known: Known,
  sides: readonly [Side, Side],
  noise: number,
): Reading {
  const inner = bestInners(w!, value!, known, sides);
  const equations = inner === undefined ? [] : equationsOf(w!, value!, known, sides, inner, noise);
  return readWhole(
    sides.flatMap(({ expected }) => expected),
    [{ equations, reals: [] }],
  );
}

async function mdrRun(scene: Scene, task: Wanted, draws: Draws): Promise<Scored> {
  const own = twoValuedTask(scene, task);
  const drawn = drawnTask(scene, own, ROWS, draws.of('rows'));
  const result = await realResult(drawn, draws.of('floor'));
  const noise = floorOf(drawn.task)?.deviation ?? 0;
  const known = { rows: drawn.rows.length, singles: singlesOf(drawn.rows) };
  const sample = own.rowsOf(scene.publicSample);
  const [utility, privacy] = LABELS.map((column, l) =>
    sideOf(known, result.classCounts![l]![1]!, sample, column),
  );
  const truth = LABELS.flatMap((column) =>
    singlesOf(drawn.rows.filter(({ labels }) => labels[column] === '1')),
  );
  return scoreOf(classesOf(result, known, [utility!, privacy!], noise), truth);
}

const about = {
  ...COMMON,
  omits: (scene: Scene) => tooFewDivided(scene, FEATURES, ROWS),
} as const;
const FACTS = { features: FEATURES, components: 1, rows: ROWS };

export const MDR: readonly Unworded[] = [
  {
    ...about,
    id: 'whole-mdr',
    expectation: 'control',
    claims: ['S-114'],
    run: (setting) => found(setting, FACTS, (draws) => mdrRun(setting.scene, TASK, draws)),
  },
  {
    ...about,
    id: 'floored-mdr',
    expectation: 'holds',
    claims: ['S-703'],
    run: (setting) =>
      notFound(setting, FACTS, (draws) => mdrRun(setting.scene, { ...TASK, releases: RELEASES }, draws)),
  },
];
