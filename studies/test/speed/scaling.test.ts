import { PaillierPool } from '@eigenveil/paillier';
import { flatten, layout, statisticsOfCsv } from '@eigenveil/statistics';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Tidy } from '../../instrument/tidy.ts';
import { csvOfRows } from '../../speed/rows.ts';
import { Collection, Rerandomised } from '../../speed/scaling/owners.ts';
import { repeated, sweepTask } from '../../speed/scaling/sweep.ts';
import { scaling } from '../../speed/scaling.ts';
import { checkValues } from '../../speed/steps.ts';
import { planOf, printed } from './printed.ts';

describe('contributions of one owner in ever different bytes', () => {
  const pool = new PaillierPool({ threads: 0 });
  const task = { ...sweepTask({ features: 4, owners: 50, samplesPerOwner: 100 }), keyBits: 1024 };
  const packing = layout(task);
  let collection: Collection;
  let contributions: Rerandomised;
  let values: bigint[];
  let decode: (bytes: Uint8Array) => ReturnType<PaillierPool['decode']>;

  async function* rows() {
    yield* csvOfRows(20, 4);
  }

  beforeAll(async () => {
    const secretKey = await pool.generateKeyPair({ bits: 1024, scheme: 'djn', allowInsecureKey: true });
    values = flatten(task, (await statisticsOfCsv(rows(), task)).statistics);
    const under = { task, publicKey: secretKey.publicKey, secretKey, packing };
    contributions = await Rerandomised.start(pool, under, values);
    collection = new Collection(pool, under);
    decode = (bytes) => pool.decode(secretKey.publicKey, bytes, packing.plaintexts.length);
  });
  afterAll(() => pool.close());

  it('hold the same values', async () => {
    const seen = new Set<bigint>();
    for (let i = 0; i < 5; i += 1) {
      const ciphertexts = await decode(contributions.next());
      expect(await collection.open(ciphertexts)).toEqual(values);
      for (const ciphertext of ciphertexts) seen.add(ciphertext);
    }
    // Every ciphertext of every contribution is another one.
    expect(seen.size).toBe(5 * packing.plaintexts.length);
  });

  it.each([1, 2, 32, 33, 50])('%i of them add up to as many times the values', async (count) => {
    const batches: number[] = [];
    const { aggregate } = await collection.collect(contributions, count, (done) => batches.push(done));
    expect(await collection.open(aggregate)).toEqual(values.map((value) => BigInt(count) * value));
    expect(batches.at(-1)).toBe(count);
  });

  it('are refused when they come to something else', () => {
    expect(() => checkValues('the sum', [1n, 2n], [1n, 2n])).not.toThrow();
    expect(() => checkValues('the sum', [1n, 3n], [1n, 2n])).toThrow(/the sum/);
    expect(() => checkValues('the sum', [1n], [1n, 2n])).toThrow(/the sum/);
  });
});

describe('csvOfRows', () => {
  it.each([1, 999, 1000, 1001, 2500])('makes %i rows', async (count) => {
    const task = sweepTask({ features: 3, owners: 2, samplesPerOwner: 2500 });
    async function* rows() {
      yield* csvOfRows(count, 3);
    }
    const { rows: read, clippedCells } = await statisticsOfCsv(rows(), task);
    expect(read).toBe(count);
    expect(clippedCells).toEqual([0, 0, 0]);
  });
});

it('repetitions leave the warm-up out', async () => {
  expect(await repeated(3, async (repetition) => ({ one: 10 * repetition }))).toEqual([
    { one: 10, repetition: 1 },
    { one: 20, repetition: 2 },
    { one: 30, repetition: 3 },
  ]);
});

/** As if a PCA of d features took d milliseconds to sum and d² to unblind. */
function featuresAt(d: number, standardTimed = 5) {
  const slots = (d * (d + 1)) / 2 + d + 2;
  return [1, 2, 3].map((repetition) => ({
    ...{ sweep: 'features', features: d, owners: 10, repetition, slots, standardTimed },
    ...{ ciphertexts: Math.ceil(slots / 20), contributionBytes: 512 * d },
    'owner/sum': repetition * d,
    'csp/unblind': d * d + repetition - 2,
  }));
}
const crowdOf = (owners: number) => [
  { sweep: 'owners', owners, features: 34, 'user/whole': 2 * owners, perContribution: 2 },
];
const squares = [34, 50, 100, 200].flatMap((d) => featuresAt(d));

describe('the study of scaling', () => {
  it('fits exponents to medians, and says over which range', async () => {
    const outlier = [{ ...featuresAt(8)[0]!, 'csp/unblind': 1e6 }];
    const { text } = await printed(scaling, [...outlier, ...squares], 'quick');
    expect(text).toContain('| owner: read and sum | 1.00 (1.00 to 1.00) | 34 | 200 |');
    expect(text).toContain('| CSP: unblind | 2.00 (2.00 to 2.00) | 34 | 200 |');
    expect(text).toContain('| 100 | 5152 | 258 | 200 ms (150–250) |');
    expect(text).not.toContain('NaN');
  });

  it('says that standard encryptions were scaled up only where they were', async () => {
    expect((await printed(scaling, squares, 'quick')).text).toContain('scaled up to all');
    const inFull = await printed(scaling, featuresAt(34, 32), 'quick');
    expect(inFull.text).not.toContain('scaled up to all');
  });

  it('tells of the far ends of its sweeps', async () => {
    const { facts } = await printed(scaling, [...squares, ...crowdOf(10_000), ...crowdOf(10)], 'quick');
    const texts = ['features', 'slots', 'contribution', 'unblind', 'owners', 'whole', 'perContribution'];
    expect(texts.map((name) => facts.get(name)!.text)).toEqual([
      ...['200', '20,302', '102 kB', '40.0 s', '10,000', '20.0 s', '2.00 ms'],
    ]);
  });

  it('contradicts the conclusion that times grow in proportion where they do not', async () => {
    const linear = [10, 100, 1000].flatMap(crowdOf);
    const sweeps = (unblind: (slots: number) => number, owners = linear) => [
      ...squares.map((record) => ({ ...record, 'owner/standard': unblind(Number(record.slots)) })),
      ...owners,
      ...[1000, 10_000].map((rows) => ({ sweep: 'rows', rows, 'owner/sum': rows })),
    ];
    expect(
      (
        await printed(
          scaling,
          sweeps((slots) => slots),
        )
      ).contradictions,
    ).toEqual([]);
    const quadratic = await printed(
      scaling,
      sweeps((slots) => slots ** 2),
    );
    expect(quadratic.contradictions).toEqual([expect.stringContaining('in proportion')]);
    expect(
      (
        await printed(
          scaling,
          sweeps((slots) => slots ** 2),
          'quick',
        )
      ).contradictions,
    ).toEqual([]);
  });

  it('plans sweeps that each end further in a full run', async () => {
    const [quick, full] = [await planOf(scaling, 'quick'), await planOf(scaling, 'full')];
    for (const sweep of ['features', 'owners', 'rows'] as const) {
      const ends = [quick, full].map(({ cases }) =>
        Math.max(...cases.filter((it) => it.sweep === sweep).map((it) => Number((it as Tidy)[sweep]))),
      );
      expect(ends[1]).toBeGreaterThan(ends[0]!);
    }
  });
});
