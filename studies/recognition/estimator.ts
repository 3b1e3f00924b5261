/** A linear estimator whose ridge is chosen on people that it has not seen: where there is nothing to learn, it falls back to the mean. */
import { Matrix, solve } from 'ml-matrix';
import { centredScatter, secondMoment, squareOf, sumOfRows } from '../privacy/methods/matrix.ts';
import { dot } from './alignment.ts';
import type { Row } from './people.ts';

/** The ridges in units of the inputs' mean variance. */
const RIDGES = [1e-6, 1e-2, 1e-1, 1, 10, 100, 1e4] as const;
const PARTS = 3;

/** Sums over some people's rows of inputs v and outputs x. */
interface Sums {
  readonly gram: readonly (readonly number[])[];
  readonly cross: readonly (readonly number[])[];
  readonly inputs: readonly number[];
  readonly outputs: readonly number[];
  readonly count: number;
}

export interface Example {
  readonly input: Row;
  readonly output: Row;
}

/** x ≈ A v + b. */
interface Linear {
  readonly A: readonly Row[];
  readonly b: Row;
}

/** @param people examples by person, at least PARTS people */
export function estimator(people: readonly (readonly Example[])[]): (input: Row) => number[] {
  const parts = Array.from({ length: PARTS }, (_, part) =>
    sumsOf(people.filter((_own, p) => p % PARTS === part).flat()),
  );
  const errors = RIDGES.map((ridge) =>
    parts.reduce((total, part, left) => {
      const others = parts.filter((_, i) => i !== left);
      return total + errorOn(part, solved(others, ridge));
    }, 0),
  );
  const { A, b } = solved(parts, RIDGES[errors.indexOf(Math.min(...errors))]!);
  return (input) => A.map((row, j) => dot(row, input) + b[j]!);
}

/** Σ ‖x − A v − b‖², from sums, without Σ ‖x‖², which all estimators share. */
function errorOn({ gram, cross, inputs, outputs, count }: Sums, { A, b }: Linear): number {
  return A.reduce((total, row, j) => {
    const fitted = row.reduce((sum, a, i) => sum + a * dot(gram[i]!, row), 0);
    const met = row.reduce((sum, a, i) => sum + a * cross[i]![j]!, 0);
    return total + fitted - 2 * met + b[j]! * (count * b[j]! - 2 * outputs[j]! + 2 * dot(row, inputs));
  }, 0);
}

function sumsOf(examples: readonly Example[]): Sums {
  const inputs = examples.map(({ input }) => input);
  const outputs = examples.map(({ output }) => output);
  const [p, d] = [inputs[0]!.length, outputs[0]!.length];
  const cross = new Matrix(inputs).transpose().mmul(new Matrix(outputs)).to2DArray();
  return {
    gram: secondMoment(inputs, p),
    cross,
    inputs: sumOfRows(inputs, p),
    outputs: sumOfRows(outputs, d),
    count: examples.length,
  };
}

function solved(sums: readonly Sums[], ridge: number): Linear {
  const count = sums.reduce((sum, part) => sum + part.count, 0);
  const total = (of: (part: Sums) => number) => sums.reduce((sum, part) => sum + of(part), 0);
  const [p, d] = [sums[0]!.inputs.length, sums[0]!.outputs.length];
  const V = Array.from({ length: p }, (_, i) => total(({ inputs }) => inputs[i]!));
  const X = Array.from({ length: d }, (_, i) => total(({ outputs }) => outputs[i]!));
  const gram = centredScatter(
    squareOf(p, (i, j) => total((part) => part.gram[i]![j]!)),
    V,
    count,
  );
  const level = (ridge * gram.reduce((sum, row, i) => sum + row[i]!, 0)) / p + Number.MIN_VALUE;
  const cross = V.map((v, i) => X.map((x, j) => total((part) => part.cross[i]![j]!) - (v * x) / count));
  const A = solve(new Matrix(squareOf(p, (i, j) => gram[i]![j]! + (i === j ? level : 0))), new Matrix(cross))
    .transpose()
    .to2DArray();
  return { A, b: A.map((row, j) => (X[j]! - dot(row, V)) / count) };
}
