/** What the study `two-party` makes of decompositions. */
import { expect, it } from 'vitest';
import { twoParty } from '../../speed/two-party-protocols.ts';
import { planOf, printed } from './printed.ts';

/** As if `garbled` took a fifth of what was published, and the others less of it. */
const SPEED = { garbled: 1, rotated: 0.1, simulated: 0.01 };
const decomposed = (
  dataset: string,
  features: number,
  [published, components]: readonly number[],
  errors = 1,
) =>
  (Object.keys(SPEED) as (keyof typeof SPEED)[]).flatMap((protocol) =>
    [0.9, 1, 1.1].map((factor, i) => ({
      ...{ kind: 'pca', dataset, features, components: components!, repetition: i + 1, protocol },
      ms: SPEED[protocol] * factor * 200 * published!,
      ...{ waitMs: 5, bytes: 1e6, garblerMemory: 1e8, evaluatorMemory: 2e8, andGates: 6_531_983 },
      sineGap: 1e-7 * factor,
      eigenvalueError: errors * SPEED[protocol] * factor * 1e-6,
    })),
  );
const RECORDS = [
  ...decomposed('pima', 8, [13.8, 8]),
  ...decomposed('breast_cancer_10', 10, [20.7, 8]),
  ...decomposed('synthetic50', 50, [828, 15]),
];

it('times protocols beside what was published', async () => {
  const { text, facts, contradictions } = await printed(twoParty, RECORDS);
  expect(text).toContain(
    '| Diabetes (pima) | 8 | 8 | 13.8 s | 2.76 s (2.62–2.90) | 1.00 MB | 276 ms (262–290) | 5.00 ms | 1.00 MB | 27.6 ms (26.2–29.0) | 1.00 MB | 5.00× (4.77–5.28) |',
  );
  expect(text).toContain('| Diabetes (pima) | garbled | 1.1e-7 | 1.1e-6 | 6,531,983 | 100 MB | 200 MB |');
  expect(text).toMatch(/\| published, on another machine \| 2\.\d\d \(/);
  expect(text).not.toContain('PCA of the correlation matrix');
  const names = ['pcaFeatures', 'pcaComponents', 'pcaGarbled', 'pcaRotated', 'pcaPublished'];
  expect(names.map((name) => facts.get(name)!.text)).toEqual(['50', '15', '2.76 min', '16.6 s', '13.8 min']);
  expect(contradictions).toEqual([]);
});

it('contradicts itself where garbled is slower than published, or closer to the reference than rotated', async () => {
  const slow = RECORDS.map((record) => ({ ...record, ms: 10 * record.ms }));
  expect((await printed(twoParty, slow)).contradictions).toEqual([
    expect.stringContaining('faster here than what was published'),
  ]);
  const coarse = RECORDS.map((record) =>
    record.protocol === 'rotated' ? { ...record, eigenvalueError: 1 } : record,
  );
  expect((await printed(twoParty, coarse)).contradictions).toEqual([
    expect.stringContaining('closer to the clear reference'),
  ]);
});

it('leaves no angle to tell of where all components are asked for', async () => {
  const { tablesOf } = await import('../../instrument/tables.ts');
  const records = { columns: twoParty.columns!, of: () => RECORDS };
  const [table] = tablesOf(twoParty.tables!.garbledErrors!, records);
  expect(table!.rows).toEqual([
    ['Breast cancer', '10', '8', '1.1e-7', '1.1e-6'],
    ['synthetic', '50', '15', '1.1e-7', '1.1e-6'],
  ]);
});

it('leaves larger sets and correlation matrices to full runs', async () => {
  const { cases } = await planOf(twoParty, 'quick');
  expect(cases.map(({ kind, dataset }) => `${kind} ${dataset}`)).toEqual(['pca pima', 'dca pima']);
  const full = await planOf(twoParty, 'full');
  expect(full.cases.length + full.omissions!.length).toBe(15);
  expect(new Set(full.cases.map(({ repetitions }) => repetitions))).toEqual(new Set([3, 5]));
});
