/** Which values alone make an end of a column's range. */
import { expect, test } from 'vitest';
import { Ends } from '../../../src/advice/draft/sample-column.ts';

function remarkOf(values: readonly number[]): string | undefined {
  const ends = new Ends();
  for (const value of values) ends.add(value);
  return ends.remark('dose');
}

test.each([
  ['nines for a missing value that widen the range a little', [10, 300, 500, 700, 900, 999], 'the upper end'],
  ['nines below numbers of which none is less than 0', [-99, 0, 4000, 8000, 12_000], 'the lower end'],
  ['-1 below numbers of which none is less than 0', [-1, 0, 10, 20, 30], 'the lower end'],
  ['the end of an integer’s range', [1, 2, 3, 4, 32_767], 'the upper end'],
  ['an outlier', [1, 2, 3, 4, 50], 'the upper end'],
  ['one at each end', [-9999, 1, 2, 3, 9999], 'both ends'],
])('is told of %s', (_, values, end) => {
  expect(remarkOf(values)).toContain(`a single value alone makes ${end} of the range of dose`);
  expect(remarkOf([...values, ...values])).toEqual(remarkOf(values)); // however often it comes
});

test.each([
  ['a last value that is farther away than others', [1, 2, 3, 4, 20]],
  ['nines that go on from the others', Array.from({ length: 100 }, (_, i) => 900 + i)],
  ['-1 among negative numbers', [-3, -2, -1, 0, 1]],
  ['few different values', [0, 1, 999]],
])('is not told of %s', (_, values) => {
  expect(remarkOf(values)).toBeUndefined();
});
