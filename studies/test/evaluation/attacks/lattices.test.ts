/** Lattice reduction does what it says, checked in whole numbers, and finds what is behind rounded combinations of them. */
import { symmetricEigen } from '@eigenveil/projection';
import { mean } from '@eigenveil/testbed/goodness/mean';
import fc from 'fast-check';
import { Matrix } from 'ml-matrix';
import { describe, expect, it } from 'vitest';
import { columnsOf } from '../../../evaluation/attacks/lattices/columns.ts';
import { wholeCounts } from '../../../evaluation/attacks/lattices/counts.ts';
import { EXPERIMENTS } from '../../../evaluation/attacks/lattices/index.ts';
import { nearest, type Row, reduce } from '../../../evaluation/attacks/lattices/lll.ts';
import { Draws } from '../../../evaluation/draws.ts';
import type { Experiment } from '../../../evaluation/experiment.ts';
import { excessOf } from '../../../evaluation/judging/excess.ts';
import { LEVELS, MARGIN } from '../../../evaluation/judging/verdicts.ts';
import { bundledScene } from '../../../evaluation/scenes/bundled.ts';

const dot = (a: Row, b: Row) => a.reduce((sum, x, i) => sum + x * b[i]!, 0n);
const gram = (rows: readonly Row[], others = rows) =>
  rows.map((row) => others.map((other) => dot(row, other)));

/** By elimination without fractions (Bareiss). */
function determinant(matrix: readonly Row[]): bigint {
  const rows = matrix.map((row) => [...row]);
  let [sign, last] = [1n, 1n];
  for (let k = 0; k < rows.length; k += 1) {
    const pivot = rows.findIndex((row, i) => i >= k && row[k] !== 0n);
    if (pivot < 0) return 0n;
    if (pivot > k) {
      [rows[k], rows[pivot]] = [rows[pivot]!, rows[k]!];
      sign = -sign;
    }
    for (let i = k + 1; i < rows.length; i += 1)
      for (let j = k + 1; j < rows.length; j += 1)
        rows[i]![j] = (rows[i]![j]! * rows[k]![k]! - rows[i]![k]! * rows[k]![j]!) / last;
    last = rows[k]![k]!;
  }
  return sign * last;
}

/** By Cramer: the coordinates of the row are quotients of determinants. */
const holds = (basis: readonly Row[], row: Row): boolean =>
  basis.every((_, i) => determinant(basis.with(i, row)) % determinant(basis) === 0n);

/** Square matrices of full rank, of short and of long entries. */
const lattices = fc
  .tuple(fc.integer({ min: 2, max: 6 }), fc.integer({ min: 1, max: 120 }))
  .chain(([n, bits]) =>
    fc.array(
      fc.array(fc.bigInt({ min: -(1n << BigInt(bits)), max: 1n << BigInt(bits) }), {
        minLength: n,
        maxLength: n,
      }),
      {
        minLength: n,
        maxLength: n,
      },
    ),
  )
  .filter((rows) => determinant(rows) !== 0n);

describe('lattice reduction', () => {
  it('returns a basis of the same lattice, for which both conditions hold exactly', () => {
    fc.assert(
      fc.property(lattices, (rows) => {
        const basis = reduce(rows);
        const [own, before] = [determinant(basis), determinant(rows)];
        expect(own === before || own === -before).toBe(true);
        for (const row of basis) expect(holds(rows, row)).toBe(true);
        for (let i = 1; i < basis.length; i += 1) {
          // With vector i in the place of the one before it, the first i span no less (but for δ).
          const first = determinant(gram(basis.slice(0, i)));
          const instead = determinant(gram([...basis.slice(0, i - 1), basis[i]!]));
          expect(100n * instead >= 98n * first).toBe(true);
          for (let j = 0; j < i; j += 1) {
            // μ_ij is this over the determinant of the first j + 1.
            const part = determinant(gram(basis.slice(0, j + 1), [...basis.slice(0, j), basis[i]!]));
            const whole = determinant(gram(basis.slice(0, j + 1)));
            expect(1000n * (part < 0n ? -part : part) <= 502n * whole).toBe(true);
          }
        }
      }),
      { numRuns: 60, seed: 1 },
    );
  });

  it('finds a relation that is far shorter than all others', () => {
    const draws = new Draws('relation');
    const relation = Array.from({ length: 8 }, () => BigInt(draws.below(61) - 30)).with(0, 1n);
    const values = relation.map((_, i) => (i === 0 ? 0n : BigInt(draws.below(2 ** 50)) << 20n));
    const whole = values.with(0, -dot(relation, values));
    const [first] = reduce(whole.map((value, i) => [...relation.map((_, j) => BigInt(i === j)), value]));
    const sign = first![0]!;
    expect(first!.map((entry) => sign * entry)).toEqual([...relation, 0n]);
  });

  it('finds the point of a lattice that a target is near to', () => {
    const draws = new Draws('near');
    const rows = Array.from({ length: 8 }, () =>
      Array.from({ length: 8 }, () => BigInt(draws.below(2 ** 40))),
    );
    const point = rows.reduce(
      (sum, row, k) => sum.map((x, i) => x + row[i]! * BigInt(12_345 * k - 54_321)),
      new Array<bigint>(8).fill(0n),
    );
    const target = point.map((x) => x + BigInt(draws.below(2 ** 30)));
    expect(nearest(reduce(rows), target)).toEqual(point);
  });

  it('refuses rows that depend on each other', () => {
    expect(() =>
      reduce([
        [1n, 2n],
        [2n, 4n],
      ]),
    ).toThrow(RangeError);
  });
});

/** Rows of the population that all tests here are about: features follow few patterns. */
function scatterOf(rows: readonly (readonly number[])[]): Matrix {
  const X = new Matrix(rows.map((row) => [...row]));
  const centred = X.subRowVector(X.mean('column'));
  return centred.transpose().mmul(centred);
}

it('columns of a sketch come out of vectors that are combinations of them in whole numbers', () => {
  const draws = new Draws('columns');
  const [d, l, k] = [14, 6, 4];
  const rows = Array.from({ length: 60 }, () => {
    const shared = draws.normal();
    return Array.from({ length: d }, (_, i) => (shared * (i % 3) + draws.normal()) / 4);
  });
  const omega = Matrix.zeros(d, l).apply(function sign(this: Matrix, i, a) {
    this.set(i, a, 2 * draws.below(2) - 1);
  });
  const unit = 2 ** 9;
  const Z = Matrix.round(scatterOf(rows).mmul(omega).mul(unit));
  // The eigenpairs of Z (ΩᵀZ)⁻¹Zᵀ, which is F Fᵀ.
  const core = omega.transpose().mmul(Z);
  const { vectors: E, values } = symmetricEigen(Matrix.add(core, core.transpose()).div(2).to2DArray());
  const root = Matrix.diag(values.map((value) => value ** -0.5))
    .mmul(new Matrix(E))
    .transpose();
  const F = Z.mmul(root);
  const pairs = symmetricEigen(F.transpose().mmul(F).to2DArray());
  const result = {
    eigenvalues: pairs.values.slice(0, k).map((value) => value / unit),
    vectors: pairs.vectors.slice(0, k).map((vector) => {
      const coefficients = root.mmul(Matrix.columnVector(vector));
      const whole = Matrix.round(Matrix.mul(coefficients, 2 ** 30 / coefficients.norm()));
      const combined = Z.mmul(whole);
      return combined.div(combined.norm()).to1DArray();
    }),
  };
  const found = columnsOf(result, { signs: omega.to1DArray(), columns: l, unit });
  expect(found.map((column) => column.map(Number))).toEqual(Z.transpose().to2DArray());
});

it('all counts of pairs come out of half of the eigenpairs', () => {
  const draws = new Draws('counts');
  const [d, k, Q] = [12, 6, 80];
  const rows = Array.from({ length: Q }, () => {
    const shared = draws.uniform();
    return Array.from({ length: d }, () => Number((shared + draws.uniform()) / 2 > 0.55));
  });
  const pairs = symmetricEigen(scatterOf(rows.map((row) => row.map((x) => 2 * x - 1))).to2DArray());
  const singles = Array.from({ length: d }, (_, i) => rows.filter((row) => row[i] === 1).length);
  const result = {
    ...{ vectors: pairs.vectors.slice(0, k), eigenvalues: pairs.values.slice(0, k), sampleCount: Q },
    mean: singles.map((n) => (2 * n) / Q - 1),
  };
  const independent = singles.map((n) => singles.map((m) => (n * m) / Q));
  const truth = singles.map((_, i) =>
    singles.map((__, j) => rows.filter((row) => row[i] === 1 && row[j] === 1).length),
  );
  expect(wholeCounts(result, independent)).toEqual(truth);
});

const isControl = ({ expectation }: Experiment) => expectation === 'control';

async function outcomeOf(id: string) {
  const scene = await bundledScene('ionosphere', 'seed');
  const setting = { scene, effort: 'quick', seed: 'seed', note: () => undefined } as const;
  return EXPERIMENTS.find((own) => own.id === id)!.run(setting);
}

/** Among two hundred cases of a quick run, all of which are one family. */
const A_VERDICT = LEVELS.quick / 200;

it.each(EXPERIMENTS.filter(isControl).map(({ id }) => id))(
  'what must come out does: %s',
  { tags: ['long'] },
  async (id) => {
    const outcome = await outcomeOf(id);
    if (outcome.kind !== 'trials') throw new Error('expected trials');
    expect(mean(outcome.attack)).toBeGreaterThan(0.4);
    expect(mean(outcome.control)).toBeLessThan(0.5);
    expect(excessOf(outcome).pAbove(MARGIN)).toBeLessThan(A_VERDICT);
  },
);

it.each(EXPERIMENTS.filter((own) => !isControl(own)).map(({ id }) => id))(
  'what must not come out does not: %s',
  { tags: ['long'] },
  async (id) => {
    expect(await outcomeOf(id)).toMatchObject({ kind: 'test', p: 1 });
  },
);
