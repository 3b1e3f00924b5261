/** What the benchmark of sketches measures: variance that is lost, by a computation of its own, and one sketch from rows to result. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PaillierPool } from '@eigenveil/paillier';
import { symmetricEigen, totalScatter, varianceCaptured } from '@eigenveil/projection';
import { layout, StatisticsAccumulator } from '@eigenveil/statistics';
import { generator } from '@eigenveil/testbed/random';
import { describe, expect, it, test, vi } from 'vitest';
import { dataFile } from '../../speed/decompositions.ts';
import {
  KEY_BITS,
  measureExact,
  measureSketch,
  refusalOf,
  type SketchMeasured,
  sketchTask,
  varianceLost,
} from '../../speed/sketch/measure.ts';
import { featuresOf, SKETCH_SETS } from '../../speed/sketch/sets.ts';
import { recordOf, sketch } from '../../speed/sketch.ts';
import { planOf, printed } from './printed.ts';

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

it('every set is of as many features as it says, and made-up ones are the same every time', {
  tags: ['long'],
}, async () => {
  expect(SKETCH_SETS.map(featuresOf)).toEqual([1024, 4096, 10_000, 256, 256, 784, 1024, 1024, 4096, 4096]);
  const { task, rows } = await sketchTask((await dataFile('wide300'))!, {
    columns: 20,
    components: 5,
    twoParty: 'simulated',
  });
  expect([rows, task.features.length, task.sketch]).toEqual([500, 300, { columns: 20 }]);
  expect(task.features[0]).toMatchObject({ name: 'x1', min: -0.8041, max: 0.6999 });
});

it('a sketch of the ionosphere data: sent as the layout says, and as good as the clear one', {
  tags: ['long'],
}, async () => {
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

it('the exact PCA of the same rows loses nothing', { tags: ['long'] }, async () => {
  const paillier = new PaillierPool({ threads: 0 });
  const { publicKey } = await paillier.generateKeyPair({ bits: KEY_BITS, scheme: 'djn' });
  await paillier.close();
  const { task } = await sketchTask(IONOSPHERE, { components: 5, twoParty: 'rotated' });
  const measured = await measureExact({ dataset: 'ionosphere', components: 5 }, IONOSPHERE, publicKey);
  expect(measured).toMatchObject({ features: 34, ownerBytes: layout(task).plaintexts.length * 512 });
  expect(measured.varianceLost).toBeCloseTo(0, 8);
  expect(measured.twoPartyBytes).toBeGreaterThan(1e6);
});

describe('the study of sketches', () => {
  /** As if an owner took 2 ms a feature, and both servers a byte for each square of one. */
  const record = (features: number, refused: string | null, varianceLost = 0.0123) => {
    const used = { cpuSeconds: 1, peakMemoryBytes: 1e6 };
    const run: SketchMeasured = {
      ...{
        dataset: `wide${features}`,
        columns: 60,
        components: 20,
        twoParty: 'rotated',
        features,
        rows: 500,
      },
      ...{ ownerSeconds: 0.002 * features, ownerWallSeconds: 1, ownerPeakMemoryBytes: 1e6 },
      ...{ ownerBytes: 100 * features, ciphertexts: features },
      twoPartySeconds: refused === null ? 3 : null,
      twoPartyBytes: refused === null ? features ** 2 : null,
      csp: refused === null ? used : null,
      dataUser: refused === null ? used : null,
      ...{ refused, varianceLost, varianceLostClear: 0.0123 },
    };
    return { sweep: 'features', dataset: run.dataset, columns: 60, components: 20, ...recordOf(run) };
  };
  const page = (refused: string | null) =>
    printed(
      sketch,
      [512, 1024, 2048].map((features) => record(features, refused)),
    );

  it('fits the growth of each role', async () => {
    const { text, facts, contradictions } = await page(null);
    expect(text).toContain('| owner, processor time | 1.00 (1.00 to 1.00) | 512 | 2,048 |');
    expect(text).toContain('| two-party, both directions | 2.00 (2.00 to 2.00) |');
    expect(text).toContain('| 1.23 | 1.23 |');
    expect(text).not.toContain('not private');
    expect(['features', 'owner', 'twoParty'].map((name) => facts.get(name)!.text)).toEqual([
      ...['2,048', '4.10 s', '3.00 s'],
    ]);
    expect(contradictions).toEqual([]);
  });

  it('says where the protocol refuses sketches, and has no figures of it', async () => {
    const { text, facts } = await page('ERR_TASK_RANGE: none');
    expect(text).toContain('refuses sketches** (ERR_TASK_RANGE: none)');
    expect(text).toContain('which is not private');
    expect(text).not.toContain('| two-party, both directions | 2.00');
    expect(facts.get('twoParty')!.text).toBe('–');
  });

  it('contradicts itself where a sketch loses more than the clear one', async () => {
    const { contradictions } = await printed(sketch, [record(512, null, 0.02)]);
    expect(contradictions).toEqual([expect.stringContaining('loses as much as the clear sketch')]);
  });

  it('plans made-up sets everywhere, and names sets that are not there', { tags: ['long'] }, async () => {
    vi.stubEnv('EIGENVEIL_DATA', join(tmpdir(), 'no-data-here'));
    const { cases, omissions } = await planOf(sketch, 'full');
    vi.unstubAllEnvs();
    expect(cases.map(({ sweep, dataset, columns }) => `${sweep} ${dataset} ${columns}`)).toEqual([
      ...[256, 512, 1024, 2048, 4096].map((features) => `features wide${features} 60`),
      ...[20, 40, 60, 80].map((columns) => `columns wide1024 ${columns}`),
      ...['ionosphere 25', 'synthetic100 40', 'synthetic200 40'].map((set) => `exact ${set}`),
    ]);
    expect(omissions!.map(({ what }) => what)).toEqual([
      'A sketch of optdigits beside the exact PCA',
      'A sketch of meu_keystroke beside the exact PCA',
    ]);
  });
});
