/** Equations for the entries of the scatter matrix S̄ in what each method releases, all of them linear. */
import type { FlatResult } from '@eigenveil/methods';
import type { TaskProposal } from '@eigenveil/task';
import type { ScatterEquation } from './scatter.ts';

/** The things that a reader knows of a task beside its result. */
export interface Asked {
  readonly method: TaskProposal['method'];
  /** S_B, where the sums of classes are told. */
  readonly between?: readonly (readonly number[])[];
  /** S_B with the floor's noise, which takes its place in what is released, and not in S_W. */
  readonly noised?: readonly (readonly number[])[] | undefined;
  /** The error of equations. */
  readonly error: number;
  /** Deviation of what was cut off each eigenvalue of the scatter matrix. */
  readonly cut?: number;
}

/** A row of S̄ times a vector. */
const rowTimes = (i: number, vector: readonly number[], factor = 1) =>
  vector.map((w, j) => ({ i, j, factor: factor * w }));

export function equationsOf(result: FlatResult, asked: Asked): ScatterEquation[] {
  const { vectors, eigenvalues, regression } = result;
  const { error, cut = 0 } = asked;
  const told = regression
    ? fromWeights(regression.weights, asked)
    : vectors.flatMap((vector, c) => {
        const one = ofPair(vector, eigenvalues[c]!, asked);
        const isCut = asked.method.kind === 'pca' && cut > 0;
        return vector.map((w, i) => ({
          ...one(i),
          error,
          ...(isCut && { cut: { component: c, factor: -w, deviation: cut } }),
        }));
      });
  return [...told, ...fromSums(result, asked)];
}

/** The equations of a vector w with its eigenvalue, row by row. */
function ofPair(w: readonly number[], value: number, { method, between, noised = between }: Asked) {
  const times = (matrix: Asked['between']) => (i: number) =>
    matrix![i]!.reduce((sum, entry, j) => sum + entry * w[j]!, 0);
  const [exact, signal] = [times(between), times(noised)];
  return (i: number): Omit<ScatterEquation, 'error'> => {
    switch (method.kind) {
      case 'pca': {
        if (method.scale !== 'correlation') return { terms: rowTimes(i, w), right: value * w[i]! };
        // S̄ w = μ D w, D the diagonal of S̄.
        return { terms: [...rowTimes(i, w), { i, j: i, factor: -value * w[i]! }], right: 0 };
      }
      case 'dca': {
        const { form, ridge, signalRidge } = method;
        // S̄ is S_W and the noised S_B.
        const beside = signal(i) - exact(i);
        if (form === 'standard')
          return {
            terms: rowTimes(i, w, value),
            right: signal(i) - value * beside + (signalRidge - value * ridge) * w[i]!,
          };
        // (S̄ + (ρ + ρ′)I) w = λ (S_W + ρI) w
        const right = -value * exact(i) - beside + ((value - 1) * ridge - signalRidge) * w[i]!;
        return { terms: rowTimes(i, w, 1 - value), right };
      }
      case 'lda':
        // S_B w = λ (S_W + ρI) w
        return {
          terms: rowTimes(i, w, value),
          right: signal(i) + value * exact(i) - value * method.ridge * w[i]!,
        };
      default:
        throw new RangeError(`"method" expected one of the scatter matrix with vectors, got ${method.kind}`);
    }
  };
}

/** (S̄_xx + ρI) w = s̄_xy. */
function fromWeights(weights: readonly number[], { method, error }: Asked): ScatterEquation[] {
  const ridge = method.kind === 'ridge' ? method.ridge : 0;
  return weights.map((weight, i) => ({
    terms: rowTimes(i, [...weights, -1]),
    right: -ridge * weight,
    error,
  }));
}

/** The equations of what is declared: the trace, which a spectrum tells as well, and variances. */
function fromSums(
  { vectors, spectrum, trace, variances, sampleCount }: FlatResult,
  { method, error, cut = 0 }: Asked,
): ScatterEquation[] {
  const standardised = method.kind === 'pca' && method.scale === 'correlation';
  const sum = trace ?? spectrum?.reduce((total, value) => total + value, 0);
  const diagonal = (vectors[0] ?? []).map((_, i) => ({ i, j: i, factor: 1 }));
  return [
    ...(sum === undefined || standardised
      ? []
      : [{ terms: diagonal, right: sum, error: Math.hypot(error, cut * Math.sqrt(diagonal.length)) }]),
    ...(variances ?? []).map((variance, i) => ({
      terms: [{ i, j: i, factor: 1 }],
      right: variance * sampleCount!,
      error,
    })),
  ];
}
