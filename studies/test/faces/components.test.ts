/** Through the rows' Gram matrix comes the same as from the d × d problem itself. */
import { generalisedEigen, principalAngles } from '@eigenveil/projection';
import { generator, seedOf } from '@eigenveil/testbed/random';
import { describe, expect, it } from 'vitest';
import {
  bookRidges,
  type Components,
  dcaComponents,
  mdrComponents,
  partsOf,
  pcaComponents,
} from '../../faces/components.ts';
import { reconstructionErrors } from '../../faces/reconstruction.ts';
import { beyondSpan, dot, gramOf, spanOf } from '../../faces/span.ts';

const [FEATURES, CLASSES, EACH] = [40, 4, 6];
const next = generator(seedOf('components of faces'));
const centres = Array.from({ length: CLASSES }, () => Array.from({ length: FEATURES }, () => 60 * next()));
const labels = Array.from({ length: CLASSES * EACH }, (_, i) => i % CLASSES);
const glasses = labels.map((_, i) => Number(i % 5 < 2));
const rows = labels.map((label) =>
  Float64Array.from(centres[label]!, (centre) => Math.round(80 + centre + 40 * next())),
);
const gram = gramOf(rows);
const split = {
  train: [3, 0, 7, 12, 5, 9, 2, 20, 17, 14, 6, 23, 11, 8, 1, 16, 22, 19],
  test: [4, 10, 13, 15, 18, 21],
};
const span = spanOf(gram, split.train);
const RIDGE = 10;

/** The leading components as vectors of all features. */
function vectorsOf({ vectors }: Components, count: number): number[][] {
  const mean = meanOf(split.train);
  const principal = span.weights.map((weight) =>
    mean.map((m, f) => split.train.reduce((sum, row, t) => sum + weight[t]! * (rows[row]![f]! - m), 0)),
  );
  return vectors
    .slice(0, count)
    .map((vector) => mean.map((_, f) => vector.reduce((sum, v, a) => sum + v * principal[a]![f]!, 0)));
}

const meanOf = (chosen: readonly number[]): number[] =>
  Array.from(
    { length: FEATURES },
    (_, f) => chosen.reduce((sum, row) => sum + rows[row]![f]!, 0) / chosen.length,
  );

function between(of: readonly number[]): number[][] {
  const mean = meanOf(split.train);
  const classes = [...Map.groupBy(split.train, (row) => of[row]!).values()];
  return square((a, b) =>
    classes.reduce((sum, chosen) => {
      const own = meanOf(chosen);
      return sum + chosen.length * (own[a]! - mean[a]!) * (own[b]! - mean[b]!);
    }, 0),
  );
}

function total(): number[][] {
  const mean = meanOf(split.train);
  return square((a, b) =>
    split.train.reduce((sum, row) => sum + (rows[row]![a]! - mean[a]!) * (rows[row]![b]! - mean[b]!), 0),
  );
}

const square = (entry: (a: number, b: number) => number): number[][] =>
  Array.from({ length: FEATURES }, (_, a) => Array.from({ length: FEATURES }, (_, b) => entry(a, b)));

const identity = square((a, b) => Number(a === b));
const sum = (A: number[][], B: number[][], scale: number) => square((a, b) => A[a]![b]! + scale * B[a]![b]!);
const largestAngle = (a: number[][], b: number[][]) => Math.max(...principalAngles(a, b));

describe('components through the Gram matrix', () => {
  it('are those of PCA', () => {
    expect(span.rank).toBe(split.train.length - 1);
    const whole = generalisedEigen(total(), identity);
    expect(span.eigenvalues.slice(0, 5)).toEqual(whole.values.slice(0, 5).map((v) => expect.closeTo(v, 4)));
    for (const k of [1, 3, span.rank])
      expect(largestAngle(vectorsOf(pcaComponents(span), k), whole.vectors.slice(0, k))).toBeLessThan(1e-6);
  });

  it('have by default the ridges of the code of the book, of the label that is fitted', () => {
    const largest = [labels, glasses].map((of) => {
      const within = sum(total(), between(of), -1);
      const [value] = generalisedEigen(within, identity).values;
      const { ridge, signalRidge } = bookRidges(span, split.train, of);
      expect(ridge / value!).toBeCloseTo(0.02, 9);
      expect(signalRidge / value!).toBeCloseTo(0.002, 9);
      return value!;
    });
    expect(largest[0]).toBeLessThan(0.9 * largest[1]!);
  });

  // Between −10 and 10, where a solver of the whole problem tells the eigenvalues apart.
  it.each([-5, 4])('are those of DCA in the order of the d × d problem, ρ′ = %d', (signalRidge) => {
    const components = dcaComponents(span, split.train, labels, { ridge: RIDGE, signalRidge });
    const [T, S] = [total(), between(labels)];
    const B = sum(sum(T, S, -1), identity, RIDGE);
    const whole = generalisedEigen(sum(T, identity, RIDGE + signalRidge), B);
    expect(largestAngle(vectorsOf(components, 3), whole.vectors.slice(0, 3))).toBeLessThan(1e-6);
    const beyond = FEATURES - span.rank;
    // One further component of the span, before or after all that lies beyond it.
    const at = signalRidge > 0 ? 3 + beyond : 3;
    const own = vectorsOf(components, 4)[3]!;
    expect(largestAngle([own], [whole.vectors[at]!])).toBeLessThan(1e-3);
    expect(
      dot(
        own,
        B.map((row) => dot(row, own)),
      ),
    ).toBeCloseTo(1, 6);
    expect(partsOf(components, 5, beyond)).toEqual(
      signalRidge > 0 ? { inside: 3, beyond: 2 } : { inside: 5, beyond: 0 },
    );
    expect(partsOf(components, FEATURES, beyond)).toEqual({ inside: span.rank, beyond });
  });

  it('are those of MDR, as many as the label of use has', () => {
    const components = mdrComponents(span, split.train, { utility: labels, privacy: glasses }, RIDGE);
    const whole = generalisedEigen(between(labels), sum(between(glasses), identity, RIDGE));
    expect(components.vectors).toHaveLength(3);
    expect(largestAngle(vectorsOf(components, 3), whole.vectors.slice(0, 3))).toBeLessThan(1e-6);
  });
});

describe('errors of reconstruction', () => {
  const beyond = beyondSpan(gram, span, split.test, FEATURES, generator(seedOf('beyond')));
  const length = (vector: readonly number[]) => Math.sqrt(dot(vector, vector));
  const mean = (values: readonly number[]) => values.reduce((s, value) => s + value, 0) / values.length;

  it.each(['pca', 'dca'] as const)('are those of the rows themselves, %s', (method) => {
    const components =
      method === 'pca'
        ? pcaComponents(span)
        : dcaComponents(span, split.train, labels, { ridge: RIDGE, signalRidge: -5 });
    for (const k of [2, 5, 11]) {
      const vectors = vectorsOf(components, k);
      const back = (x: readonly number[]): number[] => {
        const basis: number[][] = [];
        for (const vector of vectors) {
          const rest = basis.reduce((left, b) => left.map((v, i) => v - dot(b, left) * b[i]!), [...vector]);
          basis.push(rest.map((entry) => entry / length(rest)));
        }
        return basis.reduce(
          (made, b) => made.map((v, i) => v + dot(b, x) * b[i]!),
          x.map(() => 0),
        );
      };
      const [errors] = reconstructionErrors(gram, { span, beyond, components }, split, [k]);
      const order = [...split.train, ...split.test];
      const less = (a: ArrayLike<number>, b: ArrayLike<number>) => Array.from(a, (v, i) => v - b[i]!);
      const centre = meanOf(split.train);
      const lost = (row: number) => {
        const x = less(rows[row]!, centre);
        return length(less(x, back(x)));
      };
      expect(errors!.listing).toBeCloseTo(
        mean(order.map((row, i) => length(less(rows[i]!, back([...rows[row]!]))))),
        5,
      );
      expect(errors!.uncentred).toBeCloseTo(
        mean(order.map((row) => length(less(rows[row]!, back([...rows[row]!]))))),
        5,
      );
      expect(errors!.centred).toBeCloseTo(mean(order.map(lost)), 5);
      expect(errors!.heldOut).toBeCloseTo(mean(split.test.map(lost)), 5);
    }
  });

  it('beyond the span fall to nothing as its random basis is used up', () => {
    const components = pcaComponents(span);
    const all = reconstructionErrors(gram, { span, beyond, components }, split, [span.rank, 30, FEATURES]);
    expect(all[0]!.heldOut).toBeGreaterThan(all[1]!.heldOut);
    expect(all[1]!.heldOut).toBeGreaterThan(1);
    expect(all[2]).toMatchObject({ uncentred: expect.closeTo(0, 2), centred: expect.closeTo(0, 2) });
    // A basis that keeps lengths and angles of what lies there.
    const [a, b] = split.test.map((row) => beyond.rows.get(row)!);
    const product = gram[4]![10]! - dot(span.coordinates[4]!, span.coordinates[10]!);
    expect(dot(a!, b!)).toBeCloseTo(product, 3);
  });
});
