/** Figures of tidy records, and documents' marks. */
import { describe, expect, test } from 'vitest';
import {
  count,
  least,
  mean,
  median,
  most,
  only,
  ratio,
  spread,
  sum,
  where,
  within,
} from '../../instrument/figure.ts';
import { marksOf, withMarks } from '../../instrument/marks.ts';
import { grid } from '../../instrument/study.ts';

const RECORDS = [
  { arm: 'a', run: 1, ms: 1200, share: 0.25 },
  { arm: 'a', run: 2, ms: 1600, share: 0.75 },
  { arm: 'b', run: 1, ms: 300, share: 0.5 },
  { arm: 'b', run: 2, ms: 200, share: 0.5 },
];
const A = RECORDS.slice(0, 2);

describe('a figure', () => {
  test.each([
    [mean('share', { percent: true, digits: 1, unit: '%' }), A, { value: 0.5, text: '50.0 %' }],
    // The squares of 0.25 twice, over 1.
    [spread('share', { digits: 3 }), A, { value: 0.5, text: '0.500 ± 0.354' }],
    [spread('share', { digits: 1 }), A.slice(1), { value: 0.75, text: '0.8' }],
    [median('ms', { unit: 'ms' }), A, { value: 1400, low: 1300, high: 1500, text: '1.40 s (1.30–1.50)' }],
    [median('share'), RECORDS.slice(2), { value: 0.5, text: '0.500' }],
    [
      ratio('ms', { arm: 'a' }, { arm: 'b' }),
      RECORDS,
      { value: 6, low: 5, high: 7, text: '6.00× (5.00–7.00)' },
    ],
    [where({ arm: 'b' }, mean('ms', { unit: 'ms' })), RECORDS, { value: 250, text: '250 ms' }],
    [where(({ ms }) => Number(ms) > 1500, count), RECORDS, { value: 1, text: '1' }],
    [sum('ms', { unit: 'bytes' }), RECORDS, { value: 3300, text: '3.30 kB' }],
    [least('ms'), RECORDS, { value: 200, text: '200' }],
    [most('ms', { unit: 'ms' }), RECORDS, { value: 1600, text: '1.60 s' }],
    [
      within('run', 'share', 'ms', { signed: true, digits: 1 }),
      A,
      { low: 0.25, text: '+1.0 [+0.3, +1200.0]' },
    ],
    [only('arm'), A, { value: undefined, text: 'a' }],
    [only('run'), RECORDS.slice(0, 1), { value: 1, text: '1' }],
    [mean('nothing'), RECORDS, { value: undefined, text: '–' }],
    [mean('share', { digits: 2, signed: true }), [{ share: -0.125 }], { text: '−0.13' }],
  ])('%# tells value, whisker and text', (figure, records, told) => {
    expect(figure(records)).toMatchObject(told);
  });

  test('that is the only one refuses records that differ', () => {
    expect(() => only('ms')(A)).toThrow(/"ms" expected one value/);
  });
});

test('a grid has all combinations, the last column changing fastest', () => {
  expect(grid({ arm: ['a', 'b'], run: [1, 2] })).toEqual([
    { arm: 'a', run: 1 },
    { arm: 'a', run: 2 },
    { arm: 'b', run: 1 },
    { arm: 'b', run: 2 },
  ]);
});

describe('marks of a document', () => {
  const marked = {
    fact: (name: string) => name.toUpperCase(),
    table: (name: string) => `| ${name} |\n| --- |`,
  };

  test('get what they name, and white space alone changes nothing', () => {
    const text = 'It is <span of="a/b.c">old</span>, and <span of="d/e.f">D/E.F</span>.\n';
    expect(marksOf(text)).toEqual({ facts: ['a/b.c', 'd/e.f'], tables: [] });
    expect(withMarks(text, marked)).toBe(
      'It is <span of="a/b.c">A/B.C</span>, and <span of="d/e.f">D/E.F</span>.\n',
    );
    const table = '<!--{table a/b.c}-->\n\n| a/b.c   |\n| ------- |\n\n<!--{}-->\n';
    expect(marksOf(table).tables).toEqual(['a/b.c']);
    expect(withMarks(table, marked)).toBe(table);
    expect(withMarks(table.replace('a/b.c   ', 'old'), marked)).toContain('\n\n| a/b.c |\n| --- |\n\n');
  });

  test('without an end are refused, and a document may say how they are written', () => {
    expect(() => withMarks('<span of="a/b.c">1 and <span of="a/b.d">2</span>', marked)).toThrow(
      /"a\/b.c" expected an end/,
    );
    expect(() => withMarks('<!--{table a/b.c}-->', marked)).toThrow(/"a\/b.c" expected an end/);
    const about = 'Write `<span of="GROUP/STUDY.FACT">1</span>`.';
    expect(withMarks(about, marked)).toBe(about);
  });
});
