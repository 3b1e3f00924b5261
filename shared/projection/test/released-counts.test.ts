/** People are told of a histogram that a quantile is not known where noise leaves it anywhere in the range. */
import { expect, test } from 'vitest';
import { type csvOf, linesOf } from '../src/index.ts';

const method = { kind: 'histogram', height: 2, strategy: 'flat' };
const features = [
  { name: 'age', min: 0, max: 120 },
  { name: 'income', min: -8, max: 8, logarithmic: 1 },
];
const histogram = (name: string, ...quantiles: readonly (readonly [number, number, number])[]) => ({
  name,
  coefficients: [1, 2, 3, 4],
  unreadable: 0,
  counts: [1, 2, 3, 4],
  quantiles: quantiles.map(([value, from, to]) => ({ q: 0.5, value, from, to })),
});

test('a quantile whose interval is the whole range is not told as a result', () => {
  const projection = {
    method,
    features,
    histograms: [histogram('age', [30, 0, 120], [60, 30, 120], [30, 0, 60]), histogram('income', [0, -8, 8])],
    privateRows: { rows: 10, deviation: 2 },
  };
  const told = { task: { method, features }, projection, verifiedOwners: 3, remarks: [] };
  const result = told as unknown as Parameters<typeof csvOf>[0];
  const [, , , ...lines] = linesOf(result);
  const unknown = 'not known: with this noise it may lie anywhere in the range';
  expect(lines).toEqual([
    `  0.5    ${unknown}`,
    '  0.5    60  [30, 120]',
    '  0.5    30  [0, 60]',
    'income (cells that are no number: 0)',
    `  0.5    ${unknown}`,
  ]);
});
