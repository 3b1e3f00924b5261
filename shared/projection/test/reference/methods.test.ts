import { type MethodParameters, methodOf, type Output } from '@eigenveil/methods';
import type { Program } from '@eigenveil/task';
import { Matrix } from 'ml-matrix';
import { describe, expect, it } from 'vitest';
import { decompose, pencil, principalAngles, residual } from '../../src/index.ts';
import {
  betweenOf,
  difference,
  generalEigen,
  matrixOf,
  scatterOf,
  withinOf,
  withRidge,
} from '../linear-algebra.ts';
import { DATASETS, METHODS, type Prepared, prepare, programFor, sum } from '../samples.ts';

const code = (expected: string) => expect.objectContaining({ code: expected });
const dca = (form: 'standard' | 'book', ridge: number, signalRidge: number): MethodParameters => ({
  kind: 'dca',
  form,
  ridge,
  signalRidge,
});

/** The pencil as the definition has it, from rows rather than sums. */
function pencilOfRows({ program, rounded, classes }: Prepared): [Matrix, Matrix] {
  const { method } = program;
  const labels = (l: number): number[] => classes.map((row) => row[l]!);
  const d = program.featureCount;
  switch (method.kind) {
    case 'pca':
      return [scatterOf(rounded), Matrix.eye(d, d)];
    case 'lda':
      return [betweenOf(rounded, labels(0)), withRidge(withinOf(rounded, labels(0)), method.ridge)];
    case 'mdr':
      return [betweenOf(rounded, labels(0)), withRidge(betweenOf(rounded, labels(1)), method.ridge)];
    case 'dca': {
      const { form, ridge, signalRidge } = method;
      return form === 'standard'
        ? [withRidge(betweenOf(rounded, labels(0)), signalRidge), withRidge(scatterOf(rounded), ridge)]
        : [
            withRidge(scatterOf(rounded), ridge + signalRidge),
            withRidge(withinOf(rounded, labels(0)), ridge),
          ];
    }
    default:
      throw new Error(`${method.kind} has no pencil`);
  }
}

describe.each(DATASETS)('on %s', (name) => {
  it.each([
    ['PCA', METHODS.pca],
    ['DCA', METHODS.dca],
    ['DCA with a positive signal ridge', dca('standard', 1, 0.3)],
    ['DCA with a negative signal ridge', dca('standard', 1, -0.05)],
    ['DCA in book form', dca('book', 1, 0)],
    ['DCA in book form with a positive signal ridge', dca('book', 1, 0.1)],
    ['DCA in book form with a negative signal ridge', dca('book', 1, -0.05)],
    ['LDA', METHODS.lda],
    ['MDR', METHODS.mdr],
  ])('%s agrees with a general eigensolver on centred rows', (_, method) => {
    const prepared = prepare(name, method);
    const [A, B] = pencilOfRows(prepared);
    const { vectors, eigenvalues } = decompose(prepared.program, prepared.statistics);
    expect(vectors.length).toBe(methodOf(prepared.program).maximumComponents(prepared.program));
    expect(eigenvalues.length).toBe(vectors.length);
    const expected = generalEigen(A, B);
    const scale = Math.max(...eigenvalues.map(Math.abs));
    expect(difference([eigenvalues], [expected.values.slice(0, vectors.length)])).toBeLessThan(1e-9 * scale);
    vectors.forEach((vector, i) => {
      const error = residual(A.to2DArray(), eigenvalues[i]!, vector, B.to2DArray());
      expect(error).toBeLessThan(1e-10 * (A.norm() + Math.abs(eigenvalues[i]!) * B.norm()));
      expect(Math.abs(Math.hypot(...vector) - 1)).toBeLessThan(1e-14);
    });
    // The leading vector, where its eigenvalue stands apart.
    if (expected.values[0]! - expected.values[1]! > 1e-3 * scale) {
      expect(principalAngles(vectors.slice(0, 1), expected.vectors.slice(0, 1)).at(-1)).toBeLessThan(1e-7);
    }
  });

  it('DCA and LDA with equal ridge have the same directions, and λ_DCA = λ_LDA / (1 + λ_LDA)', () => {
    for (const ridge of [0.01, 1, 20]) {
      const { program, statistics } = prepare(name, dca('standard', ridge, 0));
      const signal = decompose(program, statistics);
      const discriminant = decompose({ ...program, method: { kind: 'lda', ridge } }, statistics);
      const predicted = discriminant.eigenvalues.map((value) => value / (1 + value));
      expect(difference([signal.eigenvalues], [predicted])).toBeLessThan(1e-12);
      signal.vectors.forEach((vector, i) => {
        expect(principalAngles([vector], [discriminant.vectors[i]!])[0]).toBeLessThan(1e-9);
      });
      expect(difference(signal.vectors, discriminant.vectors)).toBeLessThan(1e-9);
    }
  });

  it('the book form of DCA without a signal ridge has eigenvalues 1 + λ_LDA', () => {
    const { program, statistics } = prepare(name, dca('book', 1, 0));
    const book = decompose(program, statistics);
    const lda = decompose({ ...program, method: { kind: 'lda', ridge: 1 } }, statistics);
    const k = lda.eigenvalues.length;
    expect(
      difference([book.eigenvalues.slice(0, k)], [lda.eigenvalues.map((value) => 1 + value)]),
    ).toBeLessThan(1e-12);
    expect(book.eigenvalues.slice(k).every((value) => Math.abs(value - 1) < 1e-11)).toBe(true);
  });
});

describe('declared outputs of a pencil', () => {
  it.each(['dca', 'lda', 'mdr'] as const)('are numbers of rows by class, and a spectrum: %s', (kind) => {
    const { program, statistics, rounded, classes } = prepare('iris', METHODS[kind]);
    const outputs: Output[] = ['spectrum', 'classCounts'];
    const { spectrum, classCounts } = decompose({ ...program, outputs }, statistics);
    const counts = program.classCounts.map((count, labelling) =>
      Array.from({ length: count }, (_, k) => classes.filter((of) => of[labelling] === k).length),
    );
    expect(classCounts).toEqual(counts);
    // By the definition, from the rows.
    const d = rounded[0]!.length;
    const meanOf = (rows: readonly number[][]) =>
      Array.from({ length: d }, (_, i) => rows.reduce((total, row) => total + row[i]!, 0) / rows.length);
    const mean = meanOf(rounded);
    const means = counts.map((labelling, l) =>
      labelling.map((_, k) => meanOf(rounded.filter((_row, n) => classes[n]![l] === k))),
    );
    const points =
      kind === 'mdr'
        ? means.flatMap((labelling, l) => labelling.map((at, k) => ({ at, weight: counts[l]![k]! })))
        : rounded.map((at) => ({ at, weight: 1 }));
    const trace = points.reduce(
      (total, { at, weight }) => total + weight * at.reduce((sum, x, i) => sum + (x - mean[i]!) ** 2, 0),
      0,
    );
    const square = Array.from({ length: d }, (_, i) =>
      mean.map((_m, j) =>
        points.reduce((sum, { at, weight }) => sum + weight * (at[i]! - mean[i]!) * (at[j]! - mean[j]!), 0),
      ),
    )
      .flat()
      .reduce((total, entry) => total + entry ** 2, 0);
    const sumOf = (power: number) => spectrum!.reduce((total, value) => total + value ** power, 0);
    expect(Math.abs(sumOf(1) - trace)).toBeLessThan(1e-10 * trace);
    expect(Math.abs(sumOf(2) - square)).toBeLessThan(1e-10 * square);
  });
});

describe('PCA', () => {
  it('known by hand: three rows on a line through the mean', () => {
    const program = programFor(METHODS.pca, 2, {
      fractionBits: 2,
      outputs: ['mean', 'trace', 'sampleCount', 'spectrum'],
    });
    // (1/4, 1), (0, 1/2), (-1/4, 0): centred (1, 2)/4, 0, -(1, 2)/4.
    const { vectors, eigenvalues, ...outputs } = decompose(
      { ...program, components: 1 },
      sum(program, [
        [1, 4],
        [0, 2],
        [-1, 0],
      ]),
    );
    const { spectrum, ...others } = outputs;
    expect(difference(vectors, [[1 / Math.sqrt(5), 2 / Math.sqrt(5)]])).toBeLessThan(1e-15);
    expect(difference([eigenvalues], [[0.625]])).toBeLessThan(1e-15);
    expect(difference([spectrum!], [[0.625, 0]])).toBeLessThan(1e-15);
    expect(others).toEqual({ kind: 'components', mean: [0, 0.5], trace: 0.625, sampleCount: 3 });
  });

  it('gives the declared outputs and no others', () => {
    const program = programFor(METHODS.pca, 2);
    const statistics = sum(program, [
      [5, 1],
      [2, 7],
    ]);
    const outputs: Output[] = ['mean', 'trace', 'sampleCount', 'spectrum'];
    expect(Object.keys(decompose(program, statistics))).toEqual(['kind', 'vectors', 'eigenvalues']);
    for (const output of outputs) {
      const keys = Object.keys(decompose({ ...program, outputs: [output] }, statistics));
      expect(keys).toEqual(['kind', 'vectors', 'eigenvalues', output]);
    }
  });

  it('copes with constant features, equal rows and fewer rows than features', () => {
    const program = programFor(METHODS.pca, 4);
    const row = [16384, -3, 0, 77];
    const same = decompose(program, sum(program, [row, row, row]));
    expect(same.eigenvalues).toEqual([0, 0, 0, 0]);
    const two = decompose(program, sum(program, [row, [-16384, -3, 0, 79]]));
    // One direction; the features in the middle are constant.
    const [length, offset] = [2 + 0, 2 / 16384];
    expect(Math.abs(two.eigenvalues[0]! - (length ** 2 + offset ** 2) / 2)).toBeLessThan(1e-15);
    expect(two.eigenvalues.slice(1).every((value) => Math.abs(value) < 1e-15)).toBe(true);
    expect(two.vectors[0]!.slice(1, 3)).toEqual([0, 0]);
    expect(
      difference(
        matrixOf(two.vectors).mmul(matrixOf(two.vectors).transpose()).to2DArray(),
        Matrix.eye(4, 4).to2DArray(),
      ),
    ).toBeLessThan(1e-15);
    const one = decompose(program, sum(program, [row]));
    expect(one.eigenvalues).toEqual([0, 0, 0, 0]);
  });
});

describe('discriminant methods', () => {
  const rows = [
    [100, -7, 5000],
    [3, 16384, -200],
    [-16384, 5, 900],
    [800, 900, 1000],
    [-50, 60, -16384],
  ];
  const program = (method: MethodParameters, overrides: Partial<Program> = {}): Program =>
    programFor(method, 3, overrides);

  it('LDA known by hand', () => {
    // Classes at (±1, ±1/2) with S_W = diag(0, 1): (1, 1), (1, 0), (-1, 0), (-1, -1).
    const lda = programFor({ kind: 'lda', ridge: 1 }, 2, { classCounts: [2], fractionBits: 1 });
    const statistics = sum(
      lda,
      [
        [2, 2],
        [2, 0],
        [-2, 0],
        [-2, -2],
      ],
      [[0], [0], [1], [1]],
    );
    // S_B = 4 (1, 1/2)(1, 1/2)ᵀ and S_W + I = diag(1, 2): w ∝ (1, 1/4), λ = 4 (1 + 1/8).
    const { vectors, eigenvalues } = decompose(lda, statistics);
    expect(difference([eigenvalues], [[4.5]])).toBeLessThan(1e-14);
    expect(difference(vectors, [[4 / Math.sqrt(17), 1 / Math.sqrt(17)]])).toBeLessThan(1e-15);
  });

  it('MDR known by hand', () => {
    // x = u (1/2, 1/2) + p (1/2, 0) for utility u = ±1 and privacy p = ±1: only the first feature tells privacy.
    const mdr = programFor({ kind: 'mdr', ridge: 1 }, 2, { classCounts: [2, 2], fractionBits: 1 });
    const statistics = sum(
      mdr,
      [
        [2, 1],
        [0, 1],
        [0, -1],
        [-2, -1],
      ],
      [
        [0, 0],
        [0, 1],
        [1, 0],
        [1, 1],
      ],
    );
    // S_B of utility = (1, 1)(1, 1)ᵀ, B = diag(1, 0) + I: w ∝ (1/2, 1), λ = 1/2 + 1.
    const { vectors, eigenvalues } = decompose(mdr, statistics);
    expect(difference([eigenvalues], [[1.5]])).toBeLessThan(1e-15);
    expect(difference(vectors, [[1 / Math.sqrt(5), 2 / Math.sqrt(5)]])).toBeLessThan(1e-15);
  });

  it('ignore a class without rows', () => {
    for (const method of [METHODS.dca, METHODS.lda]) {
      const three = decompose(
        { ...program(method), components: 1 },
        sum(program(method), rows, [[0], [2], [0], [2], [2]]),
      );
      const two = program(method, { classCounts: [2], components: 1 });
      expect(three).toEqual(decompose(two, sum(two, rows, [[0], [1], [0], [1], [1]])));
    }
  });

  it('have λ = 0 where classes have equal means', () => {
    const lda = programFor(METHODS.lda, 2, { classCounts: [2] });
    const statistics = sum(
      lda,
      [
        [1, 2],
        [-1, -2],
        [3, 1],
        [-3, -1],
      ],
      [[0], [0], [1], [1]],
    );
    expect(decompose(lda, statistics).eigenvalues).toEqual([0]);
  });

  it('refuse rows of a single class', () => {
    for (const method of [METHODS.dca, dca('book', 1, 0), dca('standard', 1, 0.5), METHODS.lda]) {
      const statistics = sum(
        program(method),
        rows,
        rows.map(() => [1]),
      );
      expect(() => decompose(program(method), statistics)).toThrow(code('ERR_SINGLE_CLASS'));
    }
  });

  it('MDR refuses a single utility class, and is PCA of the class means under a single privacy class', () => {
    const mdr = program(METHODS.mdr);
    const utility = [[0], [1], [2], [0], [1]];
    const refused = sum(
      mdr,
      rows,
      utility.map(([k]) => [0, k! % 2]),
    );
    expect(() => decompose(mdr, refused)).toThrow(code('ERR_SINGLE_CLASS'));
    const statistics = sum(
      mdr,
      rows,
      utility.map(([k]) => [k!, 1]),
    );
    const { A } = pencil(mdr, statistics);
    const { vectors, eigenvalues } = decompose(mdr, statistics);
    vectors.forEach((vector, i) => {
      expect(residual(A, eigenvalues[i]! * METHODS.mdr.ridge, vector)).toBeLessThan(1e-14);
    });
    const noRidge = { ...mdr, method: { kind: 'mdr', ridge: 0 } } as const;
    expect(() => decompose(noRidge, statistics)).toThrow(code('ERR_NOT_POSITIVE_DEFINITE'));
  });

  it('refuse a noise matrix that is not positive definite', () => {
    // Two rows in three dimensions, without a ridge.
    for (const method of [dca('standard', 0, 0), dca('book', 0, 0.1), { kind: 'lda', ridge: 0 } as const]) {
      const statistics = sum(program(method), rows.slice(0, 2), [[0], [1]]);
      expect(() => decompose(program(method), statistics)).toThrow(code('ERR_NOT_POSITIVE_DEFINITE'));
      expect(() => decompose(program(method), statistics)).toThrow(
        /: propose a task with a larger ridge, or without features that are constant or follow from others$/,
      );
    }
  });
});
