/** What the benchmark of sketches measures: variance that is lost, by a computation of its own, and one sketch from rows to result. */
import { PaillierPool } from '@eigenveil/paillier';
import { symmetricEigen, totalScatter, varianceCaptured } from '@eigenveil/projection';
import { layout, StatisticsAccumulator } from '@eigenveil/statistics';
import { generator } from '@eigenveil/testbed/random';
import { expect, it, test } from 'vitest';
import { dataFile } from '../src/decompositions.ts';
import { KEY_BITS, measureSketch, refusalOf, sketchTask, varianceLost } from '../src/sketch/measure.ts';
import { featuresOf, SKETCH_SETS } from '../src/sketch/sets.ts';

const IONOSPHERE = (await dataFile('ionosphere'))!;

/** Rows of whole numbers, as sums take them. */
function madeUp(rows: number, features: number): Float64Array[] {
  const next = generator(5);
  return Array.from({ length: rows }, () =>
    Float64Array.from({ length: features }, (_, i) => Math.round((1000 * (next() - 0.3)) / (1 + i))),
  );
}

test.each([
  [30, 8],
  [6, 20], // by products of rows: fewer rows than features
])('variance lost of %i rows × %i features is that of the scatter matrix', (rows, features) => {
  const cells = madeUp(rows, features);
  const task = {
    method: { kind: 'pca' as const },
    features: Array.from({ length: features }, (_, i) => ({ name: `x${i}`, min: -1, max: 1 })),
    labellings: [],
    fractionBits: 14,
    maximumOwners: 2,
    maximumSamplesPerOwner: rows,
    keyBits: 2048,
    statisticalSecurityBits: 40,
  };
  const sums = new StatisticsAccumulator(task);
  for (const row of cells) sums.add(row, []);
  const scatter = totalScatter(sums.statistics(), 14);
  const exact = symmetricEigen(scatter).vectors;
  const lost = varianceLost(cells, 3);
  expect(lost({ vectors: exact.slice(0, 3) })).toBeCloseTo(0, 10);
  const others = [exact[0]!, exact[2]!, exact[4]!];
  const expected = 1 - varianceCaptured(others, scatter) / varianceCaptured(exact.slice(0, 3), scatter);
  expect(expected).toBeGreaterThan(0.01);
  expect(lost({ vectors: others })).toBeCloseTo(expected, 10);
});

it('every set is of as many features as it says, and made-up ones are the same every time', async () => {
  expect(SKETCH_SETS.map(featuresOf)).toEqual([1024, 4096, 10_000, 256, 256, 784, 1024, 1024, 4096, 4096]);
  const { task, rows } = await sketchTask((await dataFile('wide300'))!, {
    columns: 20,
    components: 5,
    twoParty: 'simulated',
  });
  expect([rows, task.features.length, task.sketch]).toEqual([500, 300, { columns: 20 }]);
  expect(task.features[0]).toMatchObject({ name: 'x1', min: -0.8041, max: 0.6999 });
});

it('a sketch of the ionosphere data: sent as the layout says, and as good as the clear one', async () => {
  const paillier = new PaillierPool({ threads: 0 });
  const { publicKey } = await paillier.generateKeyPair({ bits: KEY_BITS, scheme: 'djn' });
  await paillier.close();
  const wanted = { dataset: 'ionosphere', columns: 20, components: 5, twoParty: 'rotated' } as const;
  const { task } = await sketchTask(IONOSPHERE, wanted);
  const measured = await measureSketch(wanted, IONOSPHERE, { publicKey });
  expect(measured).toMatchObject({ features: 34, rows: 351, refused: refusalOf(task) ?? null });
  expect(measured.ownerBytes).toBe(layout(task).plaintexts.length * 512);
  expect(measured.varianceLost).toBeCloseTo(measured.varianceLostClear, 6);
  expect(measured.varianceLost).toBeGreaterThan(0.001);
  expect(measured.varianceLost).toBeLessThan(0.04);
  // What a protocol does not compute has no figures.
  const figures = [measured.twoPartySeconds, measured.twoPartyBytes, measured.csp, measured.dataUser];
  expect(figures.every((figure) => (figure === null) === (measured.refused !== null))).toBe(true);
});
