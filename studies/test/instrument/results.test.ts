/** What a report keeps of a case is every record of it, in its order. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inSeries, type MeasuredCase, packed, recordsOf } from '../../instrument/results.ts';
import type { Tidy } from '../../instrument/tidy.ts';

const record = fc.dictionary(
  fc.constantFrom('seed', 'arm', 'score'),
  fc.oneof(fc.nat(2), fc.constantFrom('a', 'b')),
) as fc.Arbitrary<Tidy>;
const kept = (records: readonly Tidy[]): MeasuredCase => ({
  ...{ study: 'made-up/series', id: 'one', startedAt: '2026-01-01T00:00:00.000Z', seconds: 1 },
  parameters: { of: 'case' },
  ...packed(records),
});

test('records come back from columns and rows, and those of the same words take one row', () => {
  fc.assert(
    fc.property(fc.array(record), (records) => {
      const expected = records.map((one) => ({ of: 'case', ...one }));
      expect(recordsOf(JSON.parse(JSON.stringify(kept(records))) as MeasuredCase)).toEqual(expected);
    }),
  );
  const of = (arm: string) => [1, 2, 3].map((seed) => ({ seed, arm, score: 4 * seed }));
  const mixed = of('a').flatMap((one, i) => [one, of('b')[i]!]);
  expect(inSeries(mixed)).toEqual([...of('a'), ...of('b')]);
  expect(packed(inSeries(mixed)).rows).toEqual(['a', 'b'].map((arm) => [[1, 2, 3], arm, [4, 8, 12]]));
});
