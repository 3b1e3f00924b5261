/** What real files have in their cells and rows: each option with the right values, and what is said without it. */
import type { Words } from '@eigenveil/platform';
import { describe, expect, it, test } from 'vitest';
import { NumberFormat } from '../../src/csv/numbers.ts';
import { differenceOf, nearTo } from '../../src/csv/unusual.ts';
import { ValueWatch } from '../../src/grain/value-watch.ts';
import { type CsvOptions, readRows, statisticsOfCsv } from '../../src/index.ts';
import { chunksOf, collect, read, refusal, task } from '../reading.ts';

const numbers = async (text: string, options: CsvOptions = {}) =>
  (await read(text, options)).map(({ values }) => values);

/** Rows and what was remarked. */
async function remarked(text: string, options: CsvOptions = {}) {
  const remarks: string[] = [];
  let skipped = 0;
  const more = {
    onRemark: (remark: Words | string) => remarks.push(String(remark)),
    onSkippedRow: () => {
      skipped += 1;
    },
  };
  const rows = await read(text, { ...options, ...more });
  return { rows, remarks, skipped };
}

describe('numbers', () => {
  it.each<[CsvOptions, string, number | undefined]>([
    [{ thousands: 'comma' }, '1,234', 1234],
    [{ thousands: 'comma' }, '-1,234,567.5', -1_234_567.5],
    [{ thousands: 'comma' }, '1234.5', 1234.5],
    [{ thousands: 'comma' }, '12,34', undefined],
    [{ thousands: 'comma' }, '0,234', undefined],
    [{ thousands: 'comma' }, '1234,567', undefined],
    [{ thousands: 'point' }, '1.234', 1234],
    [{ thousands: 'point' }, '1.234,5', 1234.5],
    [{ thousands: 'point' }, '1,5', 1.5],
    [{ thousands: 'point' }, '1.5', undefined],
    [{ thousands: 'space' }, '1\u202f234.5', 1234.5],
    [{ thousands: 'space', decimal: 'comma' }, '1\u00a0234 567,5', 1_234_567.5],
    [{}, 'True', 1],
    [{}, 'FALSE', 0],
    [{}, 'yes', undefined],
  ])('by %j of %s are %s', (options, text, value) => {
    expect(new NumberFormat(options).read(text)).toBe(value);
  });

  it('have one sign for one thing', async () => {
    for (const options of [
      { thousands: 'comma', decimal: 'comma' },
      { thousands: 'point', decimal: 'point' },
    ] as const)
      expect(await refusal('a,b,label\n', options)).toMatchObject({ code: 'ERR_ROW_OPTIONS' });
  });

  it.each<[string, RegExp, CsvOptions?]>([
    [
      '"1,234"',
      /one of three digits behind a comma, such as 1,234: that is 1234 by --thousands comma, and 1\.234 by --decimal comma: which of them, only you can say$/,
    ],
    [
      '1.234',
      /behind a point, such as 1\.234: that is 1234 by --thousands point, and 1\.234 by --decimal point/,
      { decimal: 'comma' },
    ],
    ['"0,234"', /--decimal comma takes for its fraction$/],
    ['"1,234.5"', /which --thousands comma reads$/],
    ['"1.234,5"', /which --thousands point reads$/],
    ['1 234', /which --thousands space reads$/],
    [
      '1\u00a0234',
      /the character U\+00A0 \(no-break space\) between thousands, which --thousands space reads$/,
    ],
    ['12\u202f', /blanks around it, such as U\+202F \(narrow no-break space\), which --trim passes over$/],
    ['"1 234,5"', /which --thousands space with --decimal comma reads$/],
    ['\u22125', /got one with the character U\+2212 \(minus sign\) in it$/],
    ['5\u202f000\u202f0', /U\+202F \(narrow no-break space\)/],
    ['5\u00b75', /U\+00B7 \(middle dot\)/],
    [' ', /a cell of blanks alone: --trim/],
    ['#N/A', /other programs write for a missing value: name it with --missing-values/],
    ['wide', /got something else$/],
    ['12%', /got a number with a sign or a unit behind it: write the number alone$/],
    ['12 kg', /got a number with a sign or a unit behind it/],
    ['<0.5', /got a number behind a sign or a word/],
    ["1'234", /got one with an apostrophe between thousands/],
    ['(5)', /got a number in brackets, as accounts write/],
    ['2024-01-31', /got a date, which is no number$/],
    ['08:15', /got a time of day/],
    ['1e999', /got a number beyond those of 64 bits$/],
    ['-Infinity', /got an infinite number$/],
  ])('of a cell %s are told by what would read them', async (cell, message, options = {}) => {
    const error = await refusal(`a,b,label\n${cell},1,yes\n`, options);
    expect(error).toMatchObject({ code: 'ERR_CSV_CELL', message: expect.stringMatching(message) });
  });

  it('with three digits behind every point are told, and not where one of them has others', async () => {
    const told = await remarked('a,b,label\n1.234,0.5,yes\n2,1,yes\n12.000,0.25,no\n');
    expect(told.remarks).toEqual([
      expect.stringMatching(
        /^every cell of "a" \(number 1\) that has a point \(2\) .*1234 by --thousands point/,
      ),
    ]);
    for (const text of ['a,b,label\n1.234,0,yes\n1.5,0,yes\n', 'a,b,label\n0.234,0,yes\n1234,0,no\n'])
      expect((await remarked(text)).remarks).toEqual([]);
    expect((await remarked('a,b,label\n1.234,0.5,yes\n', { decimal: 'point' })).remarks).toEqual([]);
  });
});

it('tells booleans among numbers, and no columns of booleans or numbers alone', async () => {
  const told = await remarked('a,b,label\nTRUE,TRUE,yes\nfalse,false,yes\nTrue,0.5,no\n');
  expect(told.remarks).toEqual([
    '2 cells of "b" (number 2) are booleans among numbers, read as 1 for true and 0 for false',
  ]);
  expect((await remarked('a,b,label\n1,1.0,yes\n0,0.000,no\n')).remarks).toEqual([]);
});

describe('missing values', () => {
  const text = 'a,b,label\n-999,1,yes\n1,-999.0,yes\n1,.,yes\n1,1,-\nNA,1,yes\n2,1,no\n';

  it('have further marks, numbers by their value and texts to the letter', async () => {
    const missingValues = ['-999', '.', '-'];
    expect(await numbers(text, { missing: 'skip', missingValues })).toEqual([[2, 1]]);
    const error = await refusal('a,b,label\n-999,1,yes\n', { missingValues });
    expect(error.message).toMatch(/got a mark of a missing value: --missing skip/);
  });

  it('have marks of one column, by its name in the file, in the task, or its number', async () => {
    const file = 'a,bb,label\n-9,-9,yes\n1,-9,yes\n';
    for (const mark of ['bb:-9', 'b:-9', '#2:-9'])
      expect(await numbers(file, { missing: 'skip', columns: ['bb=b'], missingValues: [mark] })).toEqual([]);
    expect(await numbers(file, { missing: 'skip', columns: ['bb=b'], missingValues: ['a:-9'] })).toEqual([
      [1, -9],
    ]);
    expect(await refusal(file, { columns: ['bb=b'], missingValues: ['c:-9'] })).toMatchObject({
      code: 'ERR_CSV_COLUMNS',
      message: '"--missing-values" names a column that is not there: "c"',
    });
  });

  it('have no marks but these, if that is said', async () => {
    const options = { missing: 'skip', missingValues: ['.'], defaultMissing: false } as const;
    expect(await numbers('a,b,label\n.,1,yes\n2,1,no\n', options)).toEqual([[2, 1]]);
    expect(await refusal('a,b,label\nNA,1,yes\n', options)).toMatchObject({ code: 'ERR_CSV_CELL' });
  });
});

describe('columns', () => {
  it('may have other names in the file', async () => {
    const text = 'Age, x=y,label,\n1,2,yes,9\n';
    const columns = ['Age=a', '#2=b'];
    expect(await numbers(text, { columns, ignoredColumns: ['#4'] })).toEqual([[1, 2]]);
    expect(await numbers('x=y,b,label\n3,1,yes\n', { columns: ['x=y=a'] })).toEqual([[3, 1]]);
    expect(await refusal(text, { columns: ['age=a'] })).toMatchObject({
      message: '"--columns" expected own=feature with names of columns that are there, got "age=a"',
    });
  });

  it.each<[string, RegExp, CsvOptions?]>([
    [
      'A,b,label\n',
      /missing: "a", but "A" \(number 1\) differs from it in upper and lower case alone \(--columns A=a takes it\)/,
    ],
    [
      'a\u200b,b,label\n',
      /differs from it in blanks or invisible characters \(U\+200B \(zero width space\)\) alone/,
    ],
    ['a,b,label,\n', /number 4 \(column 4 has no name: --ignore '#4' leaves it out\)$/],
    [',a,b,label\n0,1,1,yes\n1,1,1,yes\n', /column 1 counts rows, as the index of a data frame does$/],
    [
      'a,b,label,__index_level_0__\n',
      /"__index_level_0__" \(number 4\), the index of a data frame by its name$/,
    ],
    ["a,b,'label'\n", /\(--columns ''\\''label'\\''=label' takes it\)/],
    ['a,b,"la,bel"\n', /^columns missing: "label"; columns not in the task/],
    ['Report of May\n\na,b,label\n1,1,yes\n', /the header row seems to be line 3: give --skip-lines 2$/],
    ['a,B,b,label\n', /"B" \(number 2\): "B" differs from "b" \(number 3\) in upper and lower case alone/],
  ])('of %j are named as what they are', async (text, message, options = {}) => {
    expect((await refusal(text, options)).message).toMatch(message);
  });

  it('are never sought by the separator or the option that is in use', async () => {
    const error = await refusal('a;"b""";label\n', { separator: 'semicolon' });
    expect(error.message).not.toContain('--separator');
    expect((await refusal('a, c ,label\n', { trim: true })).message).not.toContain('--trim');
  });
});

describe('rows and lines', () => {
  it('of blanks are passed over and counted', async () => {
    const { rows, remarks, skipped } = await remarked('a,b,label\n1,1,yes\n   \n,,\n \t,,\n1,1,no\n');
    expect([rows.length, skipped, remarks]).toEqual([2, 3, ['3 rows of blanks alone passed over']]);
  });

  it('before the header and behind it are passed over where that is said', async () => {
    const text = 'Report, "of May\n\na,b,label\nyears,kg,\n1,1,yes\n';
    expect(await numbers(text, { skipLines: 2, skipRows: 1 })).toEqual([[1, 1]]);
    expect((await refusal(`${text}x,1,yes\n`, { skipLines: 2, skipRows: 1 })).message).toMatch(
      /^row 2 \(line 6\)/,
    );
    for (const end of ['\r\n', '\r'])
      expect(await numbers(text.replaceAll('\n', end), { skipLines: 2, skipRows: 1 })).toEqual([[1, 1]]);
  });

  it.each(['sep=;', 'SEP=;', '"sep=;"'])('that say %s name the separator', async (line) => {
    const text = `${line}\r\na;b;label\r\n1;0;yes\r\n`;
    for (const size of [1 << 16, 1])
      expect(
        (await collect(readRows(chunksOf(Buffer.from(text), size), task))).map(({ values }) => values),
      ).toEqual([[1, 0]]);
    expect(await refusal(text, { separator: 'tab' })).toMatchObject({ code: 'ERR_ROW_OPTIONS' });
    expect((await refusal(`${text}x;0;yes\n`)).message).toMatch(/^row 2 \(line 4\)/);
  });

  it('of units and of sums are named as what they are', async () => {
    const units = await refusal('a,b,label\nyears,,\n1,1,yes\n');
    expect(units.message).toBe('row 1 (line 2) holds units, not numbers: --skip-rows 1 passes over it');
    const two = await refusal('a,b,label\nyears,,\nfloat,int,\n1,1,yes\n');
    expect(two.message).toMatch(
      /^row 1 \(line 2\) and the next hold units, .*--skip-rows 2 passes over them$/,
    );
    // Neither are words for numbers all the way down.
    expect((await refusal('a,b,label\nyears,,\nyears,1,yes\n')).message).toMatch(/got something else$/);
    const rows = 'a,b,label\n1,0.5,yes\n2,0.25,no\n3,0.125,no\n';
    expect((await refusal(`${rows}6,0.875,\n`)).message).toMatch(/the row is the sum of those above it/);
    expect((await remarked(`${rows}6,0.875,no\n`)).remarks).toEqual([
      expect.stringMatching(/^the last row is the sum/),
    ]);
    expect((await remarked(`${rows}6,0.875,no\n1,1,no\n`)).remarks).toEqual([]);
  });
});

describe('rows of another width', () => {
  it.each([
    [
      '1;1;yes',
      /got 1; its cells are separated otherwise than those of the header row, as --separator semicolon/,
    ],
    ['1,1,yes,', /got 4; its last cell is empty: there is a separator at its end$/],
    ['"1",1,1,yes', /got 4; where names of rows stand before the cells, as R writes them/],
    ['1,1,yes,1,1', /got 5; lines that stand above the header row are passed over by --skip-lines$/],
    ['1\\,1', /got 2; a cell ends in a backslash: see --escape backslash$/],
    ['1,1', /^row 1 \(line 2\): expected 3 cells, got 2$/],
  ])('such as %s are told by what may have made them so', async (row, message) => {
    expect((await refusal(`a,b,label\n${row}\n`)).message).toMatch(message);
  });
});

describe('spellings', () => {
  test.each([
    ['sepal.length', 'sepal_length'],
    ['Sepal Length', 'sepal_length'],
    ["'yes'", 'yes'],
    ['Muller', 'Müller'],
  ])('%s and %s are near to each other', (one, other) => {
    expect(nearTo(one, ['x', other])).toBe(other);
    expect(String(differenceOf(one, other))).not.toBe('');
  });

  test.each([
    ['A+', 'A-'],
    ['<5', '>5'],
    ['-1', '1'],
    ['1.0', '10'],
    ['grade 1', 'grade 2'],
  ])('%s and %s are not', (one, other) => {
    expect(nearTo(one, [other])).toBeUndefined();
  });

  test('of a class are told, in the place of leaving its rows out', async () => {
    const of = async (label: string, classes: string[]) => {
      const own = { ...task, labellings: [{ column: 'label', classes }] };
      const rows = readRows(chunksOf(Buffer.from(`a,b,label\n1,1,${label}\n`), 99), own);
      return collect(rows).then(undefined, ({ message }: Error) => message);
    };
    expect(await of('not_sure', ['sure', 'not sure'])).toMatch(/differs from the class "not sure" in/);
    expect(await of('TRUE', ['0', '1'])).toMatch(/writes the class "1" as another boolean/);
    expect(await of('0', ['true', 'false'])).toMatch(/writes the class "false" as another boolean/);
    expect(await of('maybe', ['true', 'false'])).toMatch(/another label: leave such rows out/);
  });
});

describe('quotes', () => {
  const ignoring = { ignoredColumns: ['note'] };
  it('inside a cell are characters, and behind a backslash where that is said', async () => {
    const inches = 'a,b,label,note\n1,0,yes,5" pipe\n2,1,no,6" pipe\n3,1,no,"x"\n';
    expect(await numbers(inches, ignoring)).toHaveLength(3);
    const escaped = 'note,a,b,label\n"say \\"hi\\", you",1,0,yes\n"\\\\",2,0,no\n';
    expect(
      (await read(escaped, { escape: 'backslash', keptColumns: ['note'] })).map(({ kept }) => kept),
    ).toEqual([['say "hi", you'], ['\\']]);
    expect((await refusal('note,a,b,label\n"say \\"hi\\" now",1,0,yes\n', ignoring)).message).toMatch(
      /^line 2: not valid CSV: .*: --escape backslash reads it$/,
    );
  });
});

describe('values', () => {
  const pca = {
    method: { kind: 'pca' },
    features: [
      { name: 'a', min: 0, max: 1000 },
      { name: 'b', min: 0, max: 1 },
    ],
    labellings: [],
    fractionBits: 10,
    components: 1,
    minimumOwners: 2,
    maximumOwners: 2,
    maximumSamplesPerOwner: 100,
    outputs: [],
    differentialPrivacy: null,
  } as unknown as Parameters<typeof statisticsOfCsv>[1];
  const remarksOf = async (rows: string[]) => {
    const remarks: string[] = [];
    const bytes = chunksOf(Buffer.from(`a,b\n${rows.join('\n')}\n`), 1 << 16);
    await statisticsOfCsv(bytes, pca, { onRemark: (it) => remarks.push(String(it)), decimal: 'point' });
    return remarks;
  };
  const rowsWith = (a: (n: number) => number) => Array.from({ length: 12 }, (_, n) => `${a(n)},${n / 11}`);

  test('that fill next to nothing of their range are told, and those with one outlier', async () => {
    expect(await remarksOf(rowsWith((n) => 90 * n))).toEqual([]);
    expect(await remarksOf(rowsWith((n) => 5 + n / 20))).toEqual([
      'the values of "a" fill less than a thousandth of its range: is the range, or the unit of the file, another one?',
    ]);
    expect(await remarksOf(rowsWith((n) => (n === 4 ? 1000 : 5 + n / 2)))).toEqual([
      'the values of "a" spread over less than a hundredth of its range, except for single ones: did an outlier make the range?',
    ]);
  });
});

test('a feature is watched until it is certain to fill its range', () => {
  const features = ['narrow', 'wide'].map((name) => ({ name, min: 0, max: 1000 }));
  const watch = new ValueWatch(features);
  // More than are looked at before that is asked; a hundred outliers do not make it certain.
  for (let n = 0; n < 1 << 16; n += 1) watch.add([n < 100 ? 1000 : 5, (7 * n) % 1000]);
  for (let n = 0; n < 1 << 20; n += 1) watch.add([5, 5]);
  expect(watch.remarks()).toEqual([
    expect.stringMatching(/^the values of "narrow" spread over less than a hundredth of its range/),
  ]);
});
