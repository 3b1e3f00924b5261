/** A linear estimator whose ridge is chosen on people that it has not seen: where there is nothing to learn, it falls back to the mean. */
import { Matrix, solve } from 'ml-matrix';
import { centredScatter, secondMoment, squareOf, sumOfRows } from '../methods/matrix.ts';
import { dot } from './alignment.ts';
import type { Row } from './people.ts';

/** In units of the inputs' mean variance. */
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

/** x ≈ A v + c. @param people examples by person, at least PARTS people */
export function estimator(people: readonly (readonly Example[])[]): (input: Row) => number[] {
  const parts = Array.from({ length: PARTS }, (_, part) =>
    people.filter((_own, p) => p % PARTS === part).flat(),
  );
  const sums = parts.map(sumsOf);
  const errors = RIDGES.map((ridge) =>
    parts.reduce((total, part, left) => {
      const estimate = solved(
        sums.filter((_, i) => i !== left),
        ridge,
      );
      return total + part.reduce((sum, { input, output }) => sum + squaredDistance(estimate(input), output), 0);
    }, 0),
  );
  return solved(sums, RIDGES[errors.indexOf(Math.min(...errors))]!);
}

const squaredDistance = (a: Row, b: Row): number => a.reduce((sum, x, i) => sum + (x - b[i]!) ** 2, 0);

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

function solved(sums: readonly Sums[], ridge: number): (input: Row) => number[] {
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
  return (input) => {
    const difference = input.map((v, i) => v - V[i]! / count);
    return A.map((row, j) => dot(row, difference) + X[j]! / count);
  };
}
