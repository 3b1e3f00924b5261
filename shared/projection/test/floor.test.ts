/** The clear reference of tasks with a floor: what each matrix is made of, what counts as noise, and what is cut. */
import { type MethodParameters, methodOf, ofKind } from '@eigenveil/methods';
import {
  type ClassSums,
  drawNoise,
  flatten,
  noisedStatistics,
  StatisticsAccumulator,
} from '@eigenveil/statistics';
import { type Program, programOf, type StatisticsTask } from '@eigenveil/task';
import { predictableRandomness } from '@eigenveil/testbed/random';
import { describe, expect, it } from 'vitest';
import { decompose, generalisedEigen, pencil, resultInClear, symmetricEigen } from '../src/index.ts';

const D = 5;
const F = 8;
const CLASSES = [3, 2];
const ROWS = 240;
type Grid = number[][];

/** Of two values, of ten, of cells, a copy of the first, and none. */
const features: StatisticsTask['features'] = [
  { name: 'two', min: -1, max: 1, grain: 2 },
  { name: 'ten', min: 0, max: 9, grain: 1 },
  { name: 'fine', min: -1, max: 1, grain: 'cell' },
  { name: 'copy', min: -1, max: 1, grain: 2 },
  { name: 'still', min: 4, max: 4 },
];
const rows = Array.from({ length: ROWS }, (_, n) => {
  const two = (n * 7919) % 13 < 6 ? 1 : -1;
  return [two, (2 * ((n * 31) % 10)) / 9 - 1, Math.sin(n * n + two), two, 0].map((x) =>
    Math.round(x * 2 ** F),
  );
});
const classes = rows.map((row, n) => [(n + (row[0]! > 0 ? 1 : 0)) % 3, n % 5 < 2 ? 0 : 1]);

const METHODS = {
  pca: { kind: 'pca' },
  correlation: { kind: 'pca', scale: 'correlation' },
  dca: { kind: 'dca', form: 'standard', ridge: 0.5, signalRidge: 0.25 },
  book: { kind: 'dca', form: 'book', ridge: 0.5, signalRidge: 0.25 },
  lda: { kind: 'lda', ridge: 0.5 },
  mdr: { kind: 'mdr', ridge: 0.5 },
  ridge: { kind: 'ridge', ridge: 0.5 },
} as const satisfies Record<string, MethodParameters>;

function setUp(method: MethodParameters, changes: Partial<Program> = {}) {
  const labelled = methodOf({ method }).labellings;
  // A regression predicts the copy, and the one that does not vary is among the others.
  const order = method.kind === 'ridge' ? [0, 1, 2, 4, 3] : [0, 1, 2, 3, 4];
  const task = {
    method,
    features: order.map((i) => features[i]!),
    labellings: CLASSES.slice(0, labelled).map((count, l) => ({
      column: `label${l}`,
      classes: Array.from({ length: count }, (_, k) => `${k}`),
    })),
    fractionBits: F,
    maximumOwners: 1,
    maximumSamplesPerOwner: 1000,
    keyBits: 2048,
    statisticalSecurityBits: 40,
    exact: false,
    releases: 2,
  };
  const program = programOf({
    ...task,
    components: method.kind === 'ridge' ? 0 : 2,
    outputs: [],
    minimumOwners: 1,
    allowFullRank: true,
    ...changes,
  });
  const accumulator = new StatisticsAccumulator(task);
  rows.forEach((row, n) => {
    accumulator.add(
      order.map((i) => row[i]!),
      classes[n]!.slice(0, labelled),
    );
  });
  const exact = accumulator.statistics();
  const source = predictableRandomness(method.kind);
  const noises = [drawNoise(task, 'csp', source), drawNoise(task, 'dataUser', source)];
  const noised = noisedStatistics(task, flatten(task, exact), noises);
  return { task, program, exact, noised, floor: program.floor! };
}

/** The same in doubles, as the definition has it. */
function byHand({ noised, floor }: Pick<ReturnType<typeof setUp>, 'noised' | 'floor'>) {
  const grid = (entry: (i: number, j: number) => number): Grid =>
    Array.from({ length: D }, (_, i) => Array.from({ length: D }, (_unused, j) => entry(i, j)));
  const at = (i: number, j: number): number => (i > j ? at(j, i) : i * D - (i * (i - 1)) / 2 + (j - i));
  const R = grid((i, j) => Number(noised.R[at(i, j)]) / 4 ** floor.fractionBits);
  const sums = noised.labellings.map((all) =>
    all.map(({ V }) => V.map((v) => Number(v) / 2 ** floor.fractionBits)),
  );
  const told = noised.noisedSums!.map((all) =>
    all.map((V) => V.map((v) => Number(v) / 2 ** floor.sumFractionBits)),
  );
  const counts = noised.labellings.map((all) => all.map(({ M }) => Number(M)));
  const whole = (parts: readonly (readonly number[])[]) =>
    parts[0]!.map((_, i) => parts.reduce((sum, part) => sum + part[i]!, 0));
  const explained = (parts: readonly (readonly number[])[], of: readonly number[]) =>
    grid((i, j) => parts.reduce((sum, V, k) => sum + (V[i]! * V[j]!) / of[k]!, 0));
  const plus = (a: Grid, b: Grid, sign = 1) => grid((i, j) => a[i]![j]! + sign * b[i]![j]!);
  const between = (l: number) =>
    plus(explained(told[l]!, counts[l]!), explained([whole(told[l]!)], [ROWS]), -1);
  const diagonal = (values: readonly number[]) => grid((i, j) => (i === j ? values[i]! : 0));
  return {
    total: () => plus(R, explained([whole(sums[0]!)], [ROWS]), -1),
    within: () => plus(R, explained(sums[0]!, counts[0]!), -1),
    between,
    mean: () => whole(told[0]!).map((v) => v / ROWS),
    plus,
    diagonal,
    ridge: (ridge: number) => diagonal(floor.ridge.map((it) => it + ridge)),
    plain: (ridge: number) => diagonal(new Array<number>(D).fill(ridge)),
  };
}

const withoutFloor = ({ floor: _, ...program }: Program): Program => program;

function areClose(a: readonly (readonly number[])[], b: readonly (readonly number[])[]): void {
  const largest = Math.max(...b.flat().map(Math.abs));
  expect(
    Math.max(...a.flatMap((row, i) => row.map((x, j) => Math.abs(x - b[i]![j]!)))) / largest,
  ).toBeLessThan(1e-9);
}

describe('the matrices of', () => {
  it('PCA have the noise of R, and V exact', () => {
    const made = setUp(METHODS.pca);
    areClose(pencil(made.program, made.noised).A, byHand(made).total());
    // What is left of V is what is left of the rows themselves.
    const exact = pencil(withoutFloor(made.program), made.exact).A;
    const noise = byHand(made).plus(byHand(made).total(), exact, -1);
    const both = made.floor.deviation * Math.SQRT2;
    const grains = made.floor.grains;
    // Twelve noises of up to 7 deviations: a chance below 1e-10.
    for (let i = 0; i < D; i += 1)
      for (let j = 0; j < D; j += 1)
        expect(Math.abs(noise[i]![j]!)).toBeLessThanOrEqual(
          7 * Math.SQRT2 * both * grains[i]! * grains[j]! + 1e-9,
        );
    expect(Math.max(...noise.flat().map(Math.abs))).toBeGreaterThan(0.5);
  });

  it('a correlation leave out what is no more than noise', () => {
    const made = setUp(METHODS.correlation);
    const { A } = pencil(made.program, made.noised);
    const T = byHand(made).total();
    const kept = T.map((row, i) => row[i]! > made.floor.leastVariances[i]!);
    expect(kept).toEqual([true, true, true, true, false]);
    areClose(
      A,
      T.map((row, i) =>
        row.map((x, j) => (kept[i] && kept[j] ? (i === j ? 1 : x / Math.sqrt(T[i]![i]! * T[j]![j]!)) : 0)),
      ),
    );
    const narrow = { ...made.floor, leastVariances: made.floor.leastVariances.with(1, T[1]![1]!) };
    const without = pencil({ ...made.program, floor: narrow }, made.noised).A;
    expect(without[1]).toEqual([0, 0, 0, 0, 0]);
    expect(
      decompose({ ...made.program, floor: narrow, outputs: ['trace', 'variances'] }, made.noised),
    ).toMatchObject({
      trace: 3,
      variances: [expect.any(Number), 0, expect.any(Number), expect.any(Number), 0],
    });
  });

  it.each(['dca', 'book', 'lda', 'mdr'] as const)(
    '%s have S_B of the noised sums, and the ridge of the floor',
    (name) => {
      const made = setUp(METHODS[name]);
      const { within, between, plus, ridge, plain } = byHand(made);
      const { A, B } = pencil(made.program, made.noised);
      const total = () => plus(within(), between(0));
      const expected = {
        dca: () => [plus(between(0), plain(0.25)), plus(total(), ridge(0.5))],
        book: () => [plus(total(), ridge(0.75)), plus(within(), ridge(0.5))],
        lda: () => [between(0), plus(within(), ridge(0.5))],
        mdr: () => [between(0), plus(between(1), plain(0.5))],
      }[name]();
      areClose(A, expected[0]!);
      areClose(B!, expected[1]!);
    },
  );
});

describe('what comes out', () => {
  it.each(['pca', 'dca', 'lda', 'mdr'] as const)('of %s is what the matrices say, cut', (name) => {
    const isMdr = name === 'mdr';
    const outputs = isMdr ? (['mean', 'spectrum'] as const) : (['mean', 'trace', 'spectrum'] as const);
    const made = setUp(METHODS[name], { outputs });
    const result = decompose(made.program, made.noised);
    const { total, within, between, plus, mean } = byHand(made);
    const { A, B } = pencil(made.program, made.noised);
    const { values, vectors } = B === undefined ? symmetricEigen(A) : generalisedEigen(A, B);
    const summed = {
      pca: total,
      dca: () => plus(within(), between(0)),
      lda: () => plus(within(), between(0)),
      mdr: () => plus(between(0), between(1)),
    }[name]();
    const { released } = made.floor;
    expect(released).toEqual({ scatter: 1, variances: 11, mean: F });
    const isCut = (got: readonly number[], want: readonly number[], unit: number) => {
      for (const [i, value] of got.entries()) {
        expect(value / unit).toBe(Math.round(value / unit));
        expect(Math.abs(value - want[i]!)).toBeLessThanOrEqual(unit * 0.5001);
      }
    };
    for (const [k, vector] of result.vectors.entries()) isCut(vector, vectors[k]!, 2 ** -24);
    isCut(result.mean!, mean(), 2 ** -F);
    isCut(result.spectrum!, symmetricEigen(summed).values, 0.5);
    if (!isMdr) isCut([result.trace!], [summed.reduce((sum, row, i) => sum + row[i]!, 0)], 0.5);
    const unit = name === 'pca' ? 0.5 : 2 ** (Math.ceil(Math.log2(Math.max(...values.map(Math.abs)))) - 24);
    isCut(result.eigenvalues, values.slice(0, 2), unit);
  });

  it('of a regression solves the equations with the ridge of the floor, and goes through the noised mean', () => {
    const made = setUp(METHODS.ridge);
    const { regression } = ofKind('regression', resultInClear(made.program, made.noised));
    const { total, plus, ridge, mean } = byHand(made);
    const B = plus(total(), ridge(0.5)).slice(0, -1);
    const { weights, intercept } = regression;
    const right = B.map((row) => row.slice(0, -1).reduce((sum, x, j) => sum + x * weights[j]!, 0));
    // Weights are cut to 2^-24 of at most 1, and entries of B add up to less than 2^10.
    for (const [i, value] of right.entries()) expect(value).toBeCloseTo(total()[i]![D - 1]!, 4);
    expect(weights[0]).toBeGreaterThan(0.5);
    const line = mean()[D - 1]! - weights.reduce((sum, w, i) => sum + w * mean()[i]!, 0);
    expect(Math.abs(intercept - line)).toBeLessThanOrEqual(2 ** -F);
  });

  it('has a rank above the noise: a copy adds none, whatever eigenvalue noise has given it', () => {
    const made = setUp(METHODS.pca, { components: 2, allowFullRank: false });
    const program = { ...made.program, twoValued: 0 };
    // Noise has made a third eigenvalue that is no zero; the fine feature, the ten values and the two are the rank.
    const { values } = symmetricEigen(byHand(made).total());
    const above = values.filter((value) => value > made.floor.norm).length;
    expect(above).toBe(3);
    const found = values.filter((value) => Math.abs(value) > 1e-6 * values[0]!).length;
    expect(found).toBeGreaterThan(3);
    expect(decompose(program, made.noised).vectors).toHaveLength(2);
    expect(() => decompose({ ...program, components: 3 }, made.noised)).toThrow(
      expect.objectContaining({ code: 'ERR_FULL_RANK' }),
    );
  });
});

describe('noise that owners have added to their own sums', () => {
  /** To the V of every class, as it comes out of the slots; each one's is its own. */
  const withOwn = ({ noised }: ReturnType<typeof setUp>): typeof noised => ({
    ...noised,
    labellings: noised.labellings.map((all, l) =>
      all.map(({ V, M }, k) => ({ M, V: V.map((value) => value + BigInt(16 + 3 * l + k)) })),
    ),
  });

  it('does not make labellings ones of different rows', () => {
    const made = setUp(METHODS.mdr);
    expect(decompose(made.program, withOwn(made))).toEqual(decompose(made.program, made.noised));
    const [first, second] = made.noised.labellings as [ClassSums[], ClassSums[]];
    const others = [first, second.map(({ V, M }) => ({ V, M: M + 1n }))];
    expect(() => decompose(made.program, { ...made.noised, labellings: others })).toThrow(
      expect.objectContaining({ code: 'ERR_STATISTICS_INVALID' }),
    );
  });

  it('is none of a class without rows', () => {
    const made = setUp(METHODS.lda);
    const emptied = (statistics: typeof made.noised): typeof made.noised => ({
      ...statistics,
      labellings: [[...statistics.labellings[0]!.slice(0, 2), { V: new Array<bigint>(D).fill(7n), M: 0n }]],
    });
    const { labellings, ...others } = emptied(made.noised);
    const none = [[...labellings[0]!.slice(0, 2), { V: new Array<bigint>(D).fill(0n), M: 0n }]];
    expect(decompose(made.program, { ...others, labellings })).toEqual(
      decompose(made.program, { ...others, labellings: none }),
    );
  });

  it.each(['pca', 'ridge'] as const)('is none of no rows at all: %s', (name) => {
    const made = setUp(METHODS[name]);
    const labellings = [[{ V: new Array<bigint>(D).fill(7n), M: 0n }]];
    expect(() => decompose(made.program, { ...made.noised, labellings })).toThrow(
      expect.objectContaining({ code: 'ERR_NO_SAMPLES' }),
    );
  });
});

it('statistics without noise are computed as they are, with what the floor counts as noise', () => {
  const made = setUp(METHODS.lda);
  const { A, B } = pencil(made.program, made.exact);
  const plain = pencil(withoutFloor(made.program), made.exact);
  areClose(A, plain.A);
  areClose(B!, byHand(made).plus(plain.B!, byHand(made).diagonal(made.floor.ridge)));
});
