/** The forms of CSV that take an option each: what is read with it, and what is said without. */
import { describe, expect, it } from 'vitest';
import { type CsvOptions, readRows } from '../../src/index.ts';
import { chunksOf, collect, expected, read, refusal, task } from '../reading.ts';

describe('what other writers of CSV do', () => {
  const semicolons = 'a;b;label\n1,5;0;yes\n-20;1e-3;no\n';
  const numeric = { ...task, labellings: [{ column: 'label', classes: ['1', '2'] }] };
  const readNumeric = (text: string, options: CsvOptions) =>
    collect(readRows(chunksOf(Buffer.from(text), 5), numeric, options));

  it.each<[string, string, CsvOptions]>([
    ['semicolons and decimal commas', semicolons, { separator: 'semicolon', decimal: 'comma' }],
    ['tabs', 'a\tb\tlabel\n1.5\t0\tyes\n-20\t1e-3\tno\n', { separator: 'tab' }],
    ['decimal commas in quotes', 'a,b,label\n"1,5","0,0",yes\n-20,"1,0e-3",no\n', { decimal: 'comma' }],
    ['blanks', ' a , b,label \n 1.5,0 , yes\n-20,\t1e-3,"no" \n', { trim: true }],
    [
      'blanks beside tabs',
      'a \t b\t label\n 1.5\t0 \t"yes"\n-20\t 1e-3\tno\n',
      { trim: true, separator: 'tab' },
    ],
  ])('%s, where an option says so', async (_, text, options) => {
    for (const size of [1 << 16, 1]) expect(await read(text, options, size)).toEqual(expected);
  });

  it('labels that are the same number as a class, where an option says so', async () => {
    const text = 'a,b,label\n0,0,2.0\n0,0,1\n0,0,+1e0\n';
    const rows = await readNumeric(text, { numericLabels: true });
    expect(rows.map(({ classes }) => classes[0])).toEqual([1, 0, 0]);
    const commas = await readNumeric('a;b;label\n0;0;2,0\n', {
      numericLabels: true,
      decimal: 'comma',
      separator: 'semicolon',
    });
    expect(commas[0]!.classes).toEqual([1]);
    await expect(readNumeric('a,b,label\n0,0,2.5\n', { numericLabels: true })).rejects.toMatchObject({
      code: 'ERR_UNKNOWN_CLASS',
      message: expect.stringMatching(/got another label: leave such rows out/),
    });
  });

  it('takes no label for one of two classes that are the same number', async () => {
    const twins = { ...task, labellings: [{ column: 'label', classes: ['2', '2.0', '3'] }] };
    const classesOf = async (label: string) =>
      (
        await collect(
          readRows(chunksOf(Buffer.from(`a,b,label\n0,0,${label}\n`), 9), twins, { numericLabels: true }),
        )
      )[0]!.classes;
    expect(await classesOf('2.0')).toEqual([1]);
    expect(await classesOf('3.0')).toEqual([2]);
    await expect(classesOf('2.00')).rejects.toMatchObject({ code: 'ERR_UNKNOWN_CLASS' });
  });

  it('does not pass over blanks where names of the task have some', async () => {
    const blank = { ...task, labellings: [{ column: 'label', classes: ['0', ' 0'] }] };
    const attempt = collect(readRows(chunksOf(Buffer.from('a,b,label\n'), 9), blank, { trim: true }));
    await expect(attempt).rejects.toMatchObject({
      code: 'ERR_CSV_COLUMNS',
      message: expect.stringContaining('blanks around them'),
    });
  });

  it.each<[string, string, CsvOptions?]>([
    [semicolons, 'columns missing: "a", "b", "label".*separated otherwise: give --separator semicolon$'],
    ['a\tb\tlabel\n', 'separated otherwise: give --separator tab$'],
    ['"a";"b";"label"\n', 'line 1: not valid CSV: .*closing quote.*: --separator semicolon reads it$'],
    ['a,b,label\n', 'give --separator comma$', { separator: 'semicolon' }],
    ['a, b,label\n', 'blanks around names, which --trim passes over$'],
    ['a,b,label\n1, "1",yes\n', 'a quote that begins a cell stands behind blanks, which --trim passes over$'],
    ['a,b,label\n1, 1,yes\n', 'column "b" .* got one with blanks around it, which --trim passes over$'],
    ['a,b,label\n1,1,yes \n', 'column "label" .* got one with blanks around it, which --trim passes over$'],
    ['a,b,label\n1,"1,5",yes\n', 'column "b" .* got one with a comma, which --decimal comma takes'],
    ['a,b,label\n1,1.5,yes\n', 'got one with a point, despite --decimal comma$', { decimal: 'comma' }],
    ['a,b,label\n1,wide,yes\n', 'got something else$'],
    ['a,b,label\n1,wide,yes\n', 'got something else$', { decimal: 'comma' }],
    ['a,b,label\n1,,yes\n', 'got an empty cell: --missing skip leaves such rows out$'],
    ['a,b,label\n1,NA,yes\n', 'got a mark of a missing value: --missing skip leaves such rows out$'],
    ['a,b,label\n1,1,\n', "one of the task's 2 classes, got an empty cell: --missing skip"],
    ['a,b,label\n1,1,?\n', 'got a mark of a missing value: --missing skip'],
    [
      'a,b,label\n1,1,Yes\n',
      'differs from the class "yes" in upper and lower case alone: write it as the task does$',
    ],
    ['a,b,label\n1,1,maybe\n', 'got another label: leave such rows out'],
  ])('in %j is named, without the option for it', async (text, message, options = {}) => {
    expect((await refusal(text, options)).message).toMatch(new RegExp(message));
  });

  it('and a label of another form is, too', async () => {
    await expect(readNumeric('a,b,label\n0,0,2.0\n', {})).rejects.toMatchObject({
      message:
        'row 1 (line 2), column "label" (number 3): expected one of the task\'s 2 classes, got one that is written as another number, which --numeric-labels takes',
    });
  });
});

describe('rows with a missing cell', () => {
  const marks = ['', 'NA', 'N/A', 'NaN', 'nan', 'NULL', 'null', '?'];
  const text = `a,b,label,id\n1.5,0,yes,\n${marks.map((mark) => `${mark},1,no,8\n1,${mark},no,9\n1,1,${mark},10\n`).join('')}-20,1e-3,no,7\n`;

  it('are refused where nothing is said of them', async () => {
    const error = await refusal(text, { ignoredColumns: ['id'] });
    expect(error).toMatchObject({ code: 'ERR_CSV_CELL' });
    expect(error.message).toMatch(/^row 2 \(line 3\), column "a"/);
  });

  it('are left out and counted where an option says so; cells that the task does not use do not matter', async () => {
    let skipped = 0;
    const onSkippedRow = () => {
      skipped += 1;
    };
    expect(await read(text, { ignoredColumns: ['id'], missing: 'skip', onSkippedRow })).toEqual(expected);
    expect(skipped).toBe(3 * marks.length);
  });

  it('are no excuse for a cell that holds something else, and a class may have the name of a mark', async () => {
    const error = await refusal('a,b,label\n1,wide,yes\n', { missing: 'skip' });
    expect(error.code).toBe('ERR_CSV_CELL');
    const marked = { ...task, labellings: [{ column: 'label', classes: ['NA', 'no'] }] };
    const rows = readRows(chunksOf(Buffer.from('a,b,label\n1,1,NA\n'), 9), marked, { missing: 'skip' });
    expect(await collect(rows)).toEqual([{ values: [1, 1], classes: [0] }]);
  });
});

describe('columns that are kept', () => {
  it('come as they stand, whether the task uses them or not', async () => {
    const text = 'id,a,b,label,note\n007,1.5,0,yes,"x, ""y"""\n,-20,1e-3,no,\n';
    expect(await read(text, { ignoredColumns: 'others', keptColumns: ['note', 'label', 'id'] })).toEqual([
      { ...expected[0], kept: ['x, "y"', 'yes', '007'] },
      { ...expected[1], kept: ['', 'no', ''] },
    ]);
    // And need not be ignored.
    expect(await read(text, { keptColumns: ['id', 'note'] })).toHaveLength(2);
  });

  it.each([
    ['a,b,label\n', ['id'], 'columns missing: "id"'],
    ['a,b,label,id,id\n', ['id'], 'columns there more than once: "id"'],
  ])('are refused in %j', async (text, keptColumns, message) => {
    const error = await refusal(text, { keptColumns, ignoredColumns: 'others' });
    expect(error).toMatchObject({ code: 'ERR_CSV_COLUMNS', message });
  });
});
