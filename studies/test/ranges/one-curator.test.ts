/** The published experiments in their own setting: the plain tree against brute force, asymptotes, continuous noise, and agreement. */
import { generator, normals, seedOf } from '@eigenveil/testbed/random';
import { describe, expect, it } from 'vitest';
import { measured } from '../../instrument/run.ts';
import { laplaceSampler } from '../../ranges/draws.ts';
import { judged } from '../../ranges/experiments.ts';
import { oneCurator, WAYS } from '../../ranges/one-curator.ts';
import { heapLength, meanSquareOfTree, nodesOf } from '../../ranges/plain-tree.ts';

const wayOf = (name: string) => WAYS.find((way) => way.name === name)!;

describe('the plain tree', () => {
  it('sums up an interval from nodes that have each of its bins once, and the fewest', () => {
    for (const bins of [1, 2, 8, 32]) {
      // The bins below a node of the heap.
      const below = (node: number): number[] =>
        node >= bins ? [node - bins] : [...below(2 * node), ...below(2 * node + 1)];
      for (let from = 0; from < bins; from += 1) {
        for (let to = from + 1; to <= bins; to += 1) {
          const nodes = nodesOf(bins, { from, to });
          const covered = nodes.flatMap(below).toSorted((a, b) => a - b);
          expect(covered).toEqual(Array.from({ length: to - from }, (_, i) => from + i));
          // Two that are side by side below one parent would be that.
          expect(nodes.some((node) => node % 2 === 0 && nodes.includes(node + 1))).toBe(false);
        }
      }
    }
  });

  it.each([1, 2, 4, 16, 32])(
    'has the mean square over all intervals that brute force finds: N = %i',
    (bins) => {
      const draw = normals(generator(seedOf('plain tree')));
      const noise = Array.from({ length: heapLength(bins) }, draw);
      let sum = 0;
      for (let from = 0; from < bins; from += 1) {
        for (let to = from + 1; to <= bins; to += 1)
          sum += nodesOf(bins, { from, to }).reduce((total, node) => total + noise[node]!, 0) ** 2;
      }
      expect(meanSquareOfTree(noise)).toBeCloseTo((2 * sum) / (bins * (bins + 1)), 10);
    },
  );
});

describe('theory', () => {
  it.each(WAYS)('comes to its asymptote: $name', ({ slope, constant, averageOf }) => {
    expect(averageOf(40)).toBeCloseTo(40 * slope + constant, 9);
  });

  it.each(WAYS)(
    'has a mean over all intervals that is the mean of theirs: $name',
    ({ averageOf, errorOf }) => {
      const [height, bins] = [4, 16];
      let sum = 0;
      for (let from = 0; from < bins; from += 1) {
        for (let to = from + 1; to <= bins; to += 1) sum += errorOf(height, { from, to });
      }
      expect(averageOf(height)).toBeCloseTo((2 * sum) / (bins * (bins + 1)), 12);
    },
  );
});

it('noise is continuous and Laplace, of its scale', () => {
  const draw = laplaceSampler(3, 'continuous');
  const samples = Array.from({ length: 40_000 }, draw);
  const mean = (power: number) => samples.reduce((sum, x) => sum + Math.abs(x) ** power, 0) / samples.length;
  // E|x| = b and E x² = 2b², with errors of 0.5 % and 1.1 %; the seed is fixed.
  expect(mean(1) / 3).toBeCloseTo(1, 1);
  expect(mean(2) / 18).toBeCloseTo(1, 1);
  expect(samples.filter((x) => x > 0).length / samples.length).toBeCloseTo(0.5, 1);
  expect(samples.some(Number.isInteger)).toBe(false);
});

describe('theory and experiment', () => {
  it.each(WAYS.map(({ name }) => name))('agree where they are measured: %s', async (way) => {
    const bench = { note: () => undefined };
    for (const what of ['all', 'single']) {
      const parameters = { what, way, bins: 8, repetitions: 3000, epsilon: 1 };
      const found = await measured({ study: oneCurator, parameters }, bench);
      expect(found).toHaveLength(what === 'all' ? 1 : 50);
      expect(judged(found).map(({ verdict }) => verdict)).not.toContain('disagrees');
      expect(await measured({ study: oneCurator, parameters }, bench)).toEqual(found);
    }
  });

  it('are of one curator at ε = 1: twice the squared sensitivity at one bin', async () => {
    const parameters = { what: 'all', way: 'Privelet', bins: 1, repetitions: 10, epsilon: 1 };
    const [found] = await measured({ study: oneCurator, parameters }, { note: () => undefined });
    expect(found).toMatchObject({ theory: 2, asymptote: 2 / 36 });
    expect(wayOf('plain tree').averageOf(10) * 242).toBeCloseTo(1939.31, 2);
  });
});
