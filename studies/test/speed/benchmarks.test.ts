/** Benchmarks that are measured by name: the JSON of the older ones, made of records; the user's own rows; what they refuse. */
import { generator } from '@eigenveil/testbed/random';
import { expect, test } from 'vitest';
import type { OwnData } from '../../instrument/own-data.ts';
import { measured, planRun } from '../../instrument/run.ts';
import { Settings } from '../../instrument/settings.ts';
import type { RunOf, Study } from '../../instrument/study.ts';
import type { Tidy } from '../../instrument/tidy.ts';
import { factsOf, recordsOfStudy } from '../../instrument/told.ts';
import { BENCHMARKS } from '../../speed/benchmarks.ts';
import { recordOf } from '../../speed/decomposed.ts';
import type { Measured } from '../../speed/decompositions.ts';
import { floor } from '../../speed/floor/study.ts';
import { garbling } from '../../speed/garbling.ts';
import { moments } from '../../speed/moments.ts';
import { ownerMemory } from '../../speed/owner-memory/study.ts';
import { protocol } from '../../speed/protocol.ts';
import { rotated } from '../../speed/rotated.ts';
import { rounding } from '../../speed/rounding.ts';
import { sketches, recordOf as sketchRecord } from '../../speed/sketch/study.ts';
import { timing } from '../../speed/timing/study.ts';

const RUN = { command: 'npm run bench:made-up' } as RunOf;
const asked = { scale: 'quick', settings: new Settings('quick') } as const;

/** Two classes that differ in the first of five features. */
const draw = generator(7);
const own: OwnData = {
  name: 'mine',
  columns: ['a', 'b', 'c', 'd', 'e'],
  ranges: Array.from({ length: 5 }, () => [0, 1] as const),
  rows: Array.from({ length: 60 }, (_, i) =>
    Array.from({ length: 5 }, (_, j) => (1 - j / 8) * draw() + (j === 0 ? (i % 2) / 5 : 0)),
  ),
  labels: Array.from({ length: 60 }, (_, i) => i % 2),
  classes: ['no', 'yes'],
};

/** Everything that a study measures of the user's own rows. */
async function ofOwnRows(study: Study): Promise<Tidy[]> {
  const { cases } = await study.plan({ ...asked, own });
  const all = await Promise.all(
    cases.map(async (parameters) =>
      (await measured({ study, parameters }, { own, note: () => undefined })).map((record) => ({
        ...parameters,
        ...record,
      })),
    ),
  );
  return all.flat();
}

const used = (cpuSeconds: number) => ({ peakMemoryBytes: 100 * cpuSeconds, cpuSeconds });
const decomposed = (more: Partial<Measured>): Measured => ({
  ...{ dataset: 'ionosphere', method: 'pca', components: 2, twoParty: 'rotated', features: 4, classes: 1 },
  ...{ andGates: 7, bytes: 2000, seconds: 3, waitSeconds: 1, minCosine: 0.9, varianceRatio: 0.75 },
  ...{ maxSineGap: 1e-9, maxEigenvalueError: 1e-8, garbler: used(1), evaluator: used(3) },
  ...more,
});

test('JSON of the decompositions has medians of times, the largest errors and the first of all else', () => {
  const line = { bitsPerSecond: 1e8, delayMilliseconds: 20 };
  const runs: readonly (readonly [Partial<Measured>, protocol: string, repetition: number])[] = [
    [{ trips: 5 }, 'rotated', 0],
    [{ trips: 5, seconds: 5, waitSeconds: 3, maxSineGap: 1e-7, bytes: 9 }, 'rotated', 1],
    [{ twoParty: 'garbled', garbler: used(8), evaluator: used(8), minCosine: Infinity }, 'garbled', 0],
    [{ trips: 5, line }, 'rotated, 100 Mbit/s, 20 ms', 0],
  ];
  const records = runs.map(([more, protocol, repetition]) => ({
    ...{ rate: 1e8, delay: 20, protocol, repetition, referenceSeconds: 2 + 2 * repetition },
    ...recordOf(decomposed(more)),
  }));
  expect(rotated.json?.(records, RUN)).toEqual({
    run: RUN,
    programs: [
      { ...decomposed({}), trips: 5, seconds: 4, waitSeconds: 2, maxSineGap: 1e-7, referenceSeconds: 3 },
      { ...decomposed({ line }), trips: 5, referenceSeconds: 3 },
    ],
    comparison: [
      {
        ...decomposed({ twoParty: 'garbled', garbler: used(8), evaluator: used(8) }),
        ...{ minCosine: null, referenceSeconds: 3 },
      },
    ],
  });
  const facts = factsOf(rotated, { columns: {}, of: () => records });
  expect([facts.get('garbledTimes')?.text, facts.get('rotatedBytes')?.text]).toEqual(['4.0', '2.00 kB']);
});

test('JSON of garbling has its circuits, the widest of AND alone, and programs', () => {
  const circuit = { circuit: 'AND', width: 4096, gates: 2e6, bytes: 5, garbleMs: 500, evaluateMs: 250 };
  const rates = { garbleMillions: 4, evaluateMillions: 8 };
  const program = { part: 'program', ...recordOf(decomposed({ twoParty: 'garbled' })) };
  const records = [
    { part: 'circuits', ...circuit, ...rates },
    { ...program, run: 0 },
    { ...program, run: 1, seconds: 9, bytes: 1 },
  ];
  expect(garbling.json?.(records, RUN)).toEqual({
    run: RUN,
    garblePerSecond: 4e6,
    evaluatePerSecond: 8e6,
    programs: [decomposed({ twoParty: 'garbled', seconds: 6 })],
    rows: [
      {
        ...{ circuit: 'AND', width: 4096, gates: 2e6, bytes: 5, garbleSeconds: 0.5, evaluateSeconds: 0.25 },
        ...{ garblePerSecond: 4e6, evaluatePerSecond: 8e6 },
      },
    ],
  });
});

test('JSON of the protocol has a row for each role and scheme', () => {
  const size = { features: 3, keyBits: 1024 };
  const times = (role: string, scheme: string, by: string, samples: readonly number[]) =>
    samples.map((ms, repetition) => ({ ...size, role, scheme, by, repetition, ms }));
  const records = [
    ...times('owner', 'djn', 'literal', [10, 40, 30]),
    ...times('owner', 'djn', 'eigenveil', [1, 2, 10]),
    ...times('user', 'standard', 'literal', [4]),
    ...times('user', 'standard', 'eigenveil', [2]),
    ...times('user', 'standard', 'checked', [8]),
  ];
  expect(protocol.json?.(records, RUN)).toEqual({
    rows: [
      { ...size, role: 'owner', scheme: 'djn', literalMs: 30, eigenveilMs: 2, ratio: 10 },
      {
        ...{ ...size, role: 'user', scheme: 'standard', literalMs: 4, eigenveilMs: 2, ratio: 2 },
        ...{ eigenveilValidatedMs: 8, ratioValidated: 0.5 },
      },
    ],
  });
});

test('JSON of sketches is what was measured, and null where a protocol refuses them', () => {
  const sketch = {
    ...{ dataset: 'wide', columns: 6, components: 2, twoParty: 'rotated' as const, features: 9, rows: 50 },
    ...{ ownerSeconds: 1, ownerWallSeconds: 2, ownerPeakMemoryBytes: 3, ownerBytes: 4, ciphertexts: 5 },
    ...{ twoPartySeconds: 6, twoPartyBytes: 7, csp: used(8), dataUser: used(9), refused: null },
    ...{ varianceLost: 0.1, varianceLostClear: 0.2 },
  };
  const refused = {
    ...sketch,
    ...{ twoPartySeconds: null, twoPartyBytes: null, csp: null, dataUser: null, refused: 'ERR_TASK' },
  };
  const records = [sketch, refused].map(sketchRecord);
  expect(sketches.json?.(records, RUN)).toEqual({ run: RUN, rows: [sketch, refused] });
});

test('memory above its limit and controls that are not as they must be contradict a run', () => {
  const holds = (study: Study, name: string, records: readonly Tidy[]) => {
    const cases = records.map((record, i) => ({
      ...{ study: study.id, id: `${i}`, parameters: {}, startedAt: '', seconds: 0 },
      ...{ columns: Object.keys(record), rows: [Object.values(record)] },
    }));
    const facts = factsOf(study, recordsOfStudy(study, cases));
    return study.holds?.[name]?.((fact) => facts.get(fact)!.value!);
  };
  const reading = { source: 'csv', peakMegabytes: 200 };
  expect(holds(ownerMemory, 'withinLimits', [reading])).toBe(true);
  expect(holds(ownerMemory, 'withinLimits', [reading, { ...reading, tooMuch: 1 }])).toBe(false);
  const controls = [
    { kind: 'positive control', operation: 'leaks', t: -60 },
    { kind: 'negative control', operation: 'alike', t: 2 },
  ];
  expect(holds(timing, 'valid', controls)).toBe(true);
  expect(holds(timing, 'valid', [controls[0]!, { ...controls[1]!, t: 11 }])).toBe(false);
});

test("the user's own rows are rounded, floored and released like those of a data set", async () => {
  const angles = await ofOwnRows(rounding);
  const [coarse, fine] = [14, 20].map((bits) =>
    Number(angles.find((it) => it.method === 'PCA' && it.bits === bits)?.angle),
  );
  expect(coarse).toBeGreaterThan(0);
  expect(coarse).toBeLessThan(1e-3);
  expect(fine).toBeLessThan(coarse!);
  const costs = await ofOwnRows(floor);
  expect(costs.map(({ set, method, rows }) => [set, method, rows])).toEqual([
    ['mine', 'pca', 60],
    ['mine', 'lda', 60],
  ]);
  for (const { exact } of costs) expect(exact).toBeLessThanOrEqual(1);
  const released = await ofOwnRows(moments);
  expect(new Set(released.map(({ rows, features }) => `${rows} × ${features}`))).toEqual(
    new Set(['60 × 5', '300 × 5']),
  );
  // A norm that shortens no row moves nothing.
  const moved = released.filter(({ norm }) => norm === '√d').map((it) => Number(it.moved));
  expect(Math.max(...moved)).toBeLessThan(1e-12);
});

test('each takes rows of its user in place of its data sets, or says that it has none, or needs wider ones', async () => {
  for (const study of BENCHMARKS) {
    let planned: readonly Tidy[] = [];
    try {
      planned = (await planRun([study], { ...asked, own })).jobs.map(({ parameters }) => parameters);
    } catch (error) {
      expect(String(error)).toMatch(/takes no rows|more columns beside the label than the sketch has/);
      continue;
    }
    expect(planned.length).toBeGreaterThan(0);
    for (const { dataset } of planned) expect(dataset).toBe('mine');
  }
});
