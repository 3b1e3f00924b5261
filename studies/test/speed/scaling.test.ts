import { PaillierPool } from '@eigenveil/paillier';
import { flatten, layout, statisticsOfCsv } from '@eigenveil/statistics';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Block, Section } from '../../instrument/report/document.ts';
import type { Measurement, Series } from '../../instrument/unit.ts';
import { csvOfRows } from '../../speed/rows.ts';
import { Collection, Rerandomised } from '../../speed/scaling/owners.ts';
import { Samples, sweepTask } from '../../speed/scaling/sweep.ts';
import { checkValues } from '../../speed/steps.ts';
import { scaling } from '../../speed/suites/scaling.ts';

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

describe('Samples', () => {
  it('leaves the warm-up out', async () => {
    const samples = new Samples();
    await samples.repeat(3, async (repetition) => ({ one: 10 * repetition }));
    expect(samples.series()).toEqual({ one: { unit: 'ms', samples: [10, 20, 30] } });
  });
});

const ms = (...samples: number[]): Series => ({ unit: 'ms', samples });

function featuresAt(d: number, series: Measurement['series']): Measurement {
  const slots = (d * (d + 1)) / 2 + d + 2;
  return {
    id: `scaling/features/${d}`,
    parameters: { features: d, repetitions: 3 },
    startedAt: '2026-01-01T00:00:00.000Z',
    seconds: 1,
    series,
    facts: { slots, ciphertexts: Math.ceil(slots / 20), contributionBytes: 512 * d, standardTimed: 5 },
  };
}

const blocksOf = (sections: readonly Section[]): Block[] => sections.flatMap(({ blocks }) => blocks);

describe('suite scaling', () => {
  const squares = [34, 50, 100, 200].map((d) =>
    featuresAt(d, { 'owner/sum': ms(d, 2 * d, 3 * d), 'csp/unblind': ms(d * d - 1, d * d, d * d + 1) }),
  );

  it('fits exponents to medians and says over which range', () => {
    const tables = blocksOf(scaling.report([featuresAt(8, { 'csp/unblind': ms(1e6) }), ...squares])).filter(
      (block) => block.kind === 'table',
    );
    const fitted = tables.find(({ columns }) => columns[1]?.title === 'exponent');
    expect(fitted?.rows).toEqual([
      ['owner: read and sum', '1.00 (1.00 to 1.00)', '34 to 200', '4'],
      ['CSP: unblind', '2.00 (2.00 to 2.00)', '34 to 200', '4'],
    ]);
  });

  it('draws points in the order of x, with quartiles and the law that fits them', () => {
    const chart = blocksOf(scaling.report(squares.toReversed())).find(
      (block) => block.kind === 'chart' && block.name === 'scaling-features',
    );
    if (chart?.kind !== 'chart' || chart.drawing.kind !== 'lines')
      throw new Error('expected a chart of lines');
    const [sum] = chart.drawing.lines;
    expect(sum?.points.map(({ x }) => x)).toEqual([34, 50, 100, 200]);
    expect(sum?.points[1]).toEqual({ x: 50, y: 100, low: 75, high: 125 });
    const fit = chart.drawing.lines.find(({ of }) => of === sum!.name);
    expect(fit?.points.map(({ x }) => x)).toEqual([34, 200]);
    expect(fit!.points[1]!.y).toBeCloseTo(sum!.points[3]!.y, 6);
  });

  it('says that standard encryptions were scaled up only where they were', () => {
    const text = (measurements: readonly Measurement[]) => JSON.stringify(scaling.report(measurements));
    expect(text(squares)).toContain('scaled up to all');
    const [first] = squares;
    expect(text([{ ...first!, facts: { ...first!.facts, standardTimed: 33 } }])).not.toContain(
      'scaled up to all',
    );
  });

  it('names the far ends of the sweeps first', () => {
    const crowd = (owners: number): Measurement => ({
      ...squares[0]!,
      id: `scaling/owners/${owners}`,
      parameters: { owners, features: 34, repetitions: 3 },
      series: { 'user/whole': ms(2 * owners, 2 * owners, 2 * owners) },
    });
    const [wide, many] = scaling.highlights([crowd(10_000), crowd(10), ...squares.toReversed()]);
    expect(wide).toContain(
      'With 200 features an owner encrypts 20,302 values in – (DJN: –) and sends 102 kB',
    );
    expect(wide).toContain('in 40.0 s');
    expect(many).toContain('10,000 owners, 34 features each, in 20.0 s on one thread: 2.00 ms for each');
    expect(scaling.highlights([])).toEqual([]);
  });

  it('reports only what was measured', () => {
    expect(scaling.report([])).toEqual([]);
    expect(scaling.report([{ ...squares[0]!, id: 'other/features/34' }])).toEqual([]);
    const alone = scaling.report([squares[0]!]);
    expect(alone.map(({ title }) => title)).toEqual([
      'Growth with the number of features',
      'Growth with the number of slots',
    ]);
    const empty: Measurement = { ...squares[0]!, series: {}, facts: {} };
    const sections = scaling.report([
      empty,
      { ...empty, id: 'scaling/owners/34', parameters: { owners: 10 } },
    ]);
    expect(JSON.stringify(sections)).not.toMatch(/NaN|undefined|Infinity/);
    expect(sections.map(({ title }) => title)).toContain('Growth with the number of owners');
  });

  it('plans units with ids and parameters of their own', async () => {
    for (const scale of ['quick', 'full'] as const) {
      const { units } = await scaling.plan(scale);
      expect(new Set(units.map(({ id }) => id)).size).toBe(units.length);
      for (const { id, parameters } of units) {
        const [, kind, at] = id.split('/');
        expect(parameters[kind!]).toBe(Number(at));
        expect(parameters.repetitions).toBeGreaterThanOrEqual(3);
      }
    }
  });
});
