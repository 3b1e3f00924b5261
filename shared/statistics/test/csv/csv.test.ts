import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { CodedError } from '@eigenveil/platform';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { parseDecimal } from '../../src/csv/numbers.ts';
import { type CsvOptions, readFileBytes, readRows } from '../../src/index.ts';
import { chunksOf, collect, expected, read, refusal, task } from '../reading.ts';

describe('reading CSV', () => {
  it.each([
    ['plain', 'a,b,label\n1.5,0,yes\n-20,1e-3,no\n'],
    ['without a last line end', 'a,b,label\n1.5,0,yes\n-20,1e-3,no'],
    ['with CRLF', 'a,b,label\r\n1.5,0,yes\r\n-20,1e-3,no\r\n'],
    ['with CR', 'a,b,label\r1.5,0,yes\r\r-20,1e-3,no\r'],
    ['with mixed line ends', 'a,b,label\r\n1.5,0,yes\n-20,1e-3,no\r\n'],
    ['with a byte order mark', '\ufeffa,b,label\n1.5,0,yes\n-20,1e-3,no\n'],
    ['with a byte order mark before a quote', '\ufeff"a",b,label\n1.5,0,yes\n-20,1e-3,no\n'],
    ['quoted', '"a","b","label"\n"1.5",0,"yes"\n-20,"1e-3",no\n'],
    ['with columns in another order', 'label,b,a\nyes,0,1.5\nno,1e-3,-20\n'],
    ['with blank lines', '\na,b,label\n\n1.5,0,yes\n\n\n-20,1e-3,no\n\n'],
  ])('reads a file %s, in chunks of any size', async (_, text) => {
    for (const size of [1 << 16, 7, 1]) expect(await read(text, {}, size)).toEqual(expected);
  });

  it('yields nothing for a header alone', async () => {
    expect(await read('a,b,label\n')).toEqual([]);
    expect(await read('a,b,label')).toEqual([]);
  });

  it('matches class labels and column names to the letter, quotes and separators included', async () => {
    const odd = {
      features: [{ name: 'x,"1"\n', min: 0, max: 1 }],
      labellings: [{ column: 'é', classes: ['0', '0.0', ' 0'] }],
    };
    const rows = readRows(chunksOf(Buffer.from('"x,""1""\n",é\n0.5,0.0\n0.25, 0\n'), 3), odd);
    expect(await collect(rows)).toEqual([
      { values: [0.5], classes: [1] },
      { values: [0.25], classes: [2] },
    ]);
  });

  it('leaves out the columns that it is told to ignore, whatever they hold', async () => {
    const text = 'id,a,label,b,note\n0x1F,1.5,yes,0,\n,-20,no,1e-3,"a,b"\n';
    expect(await read(text, { ignoredColumns: ['note', 'id'] })).toEqual(expected);
  });

  it('reads what any writer of numbers writes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean()), {
          minLength: 1,
        }),
        fc.integer({ min: 1, max: 40 }),
        async (cells, size) => {
          const text = ['a,b,label', ...cells.map(([x, yes]) => `${x},0.5,${yes ? 'yes' : 'no'}`)].join('\n');
          const rows = await read(text, {}, size);
          expect(rows).toEqual(
            cells.map(([x, yes]) => ({ values: [Object.is(x, -0) ? 0 : x, 0.5], classes: [yes ? 0 : 1] })),
          );
        },
      ),
    );
  });

  it('stops reading its source when the rows are no longer wanted', async () => {
    let stopped = false;
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        yield Buffer.from('a,b,label\n');
        for (;;) yield Buffer.from('1,1,yes\n'.repeat(100));
      } finally {
        stopped = true;
      }
    }
    let count = 0;
    for await (const _ of readRows(endless(), task)) {
      count += 1;
      if (count === 250) break;
    }
    expect(stopped).toBe(true);
  });
});

describe('what is refused', () => {
  it.each([
    ['', 'ERR_CSV_COLUMNS', 'empty file'],
    ['\n\n', 'ERR_CSV_COLUMNS', 'empty file'],
    ['a,label\n', 'ERR_CSV_COLUMNS', 'columns missing: "b"'],
    ['a,b\n1,1\n', 'ERR_CSV_COLUMNS', 'columns missing: "label"'],
    [
      'a,b,label,id\n1,1,yes,7\n',
      'ERR_CSV_COLUMNS',
      'columns not in the task and not ignored: "id" (number 4)',
    ],
    [
      'a,b,label,\n1,1,yes,\n',
      'ERR_CSV_COLUMNS',
      "number 4 (column 4 has no name: --ignore '#4' leaves it out)",
    ],
    ['a,b,b,label\n', 'ERR_CSV_COLUMNS', 'columns there more than once: "b"'],
    [
      'a, b,label\n',
      'ERR_CSV_COLUMNS',
      'columns missing: "b", but " b" (number 2) differs from it in blanks alone',
    ],
    ['a,b,label,p,q,r,s,t,u,v\n', 'ERR_CSV_COLUMNS', '"t" (number 8) and 2 more'],
    ['a,b,label\n1,1,yes\n1,1\n', 'ERR_CSV_ROW', 'row 2 (line 3): expected 3 cells, got 2'],
    ['a,b,label\n1,1,yes,\n', 'ERR_CSV_ROW', 'row 1 (line 2): expected 3 cells, got 4'],
    ['a,b,label\r1,1,yes\r1,x,yes', 'ERR_CSV_CELL', 'row 2 (line 3), column "b" (number 2): '],
    ['a,b,label\r\n1,1,yes\r\n\r\n1,x,yes', 'ERR_CSV_CELL', 'row 2 (line 4), column "b" (number 2): '],
    [
      'a,b,label\n,1,yes\n',
      'ERR_CSV_CELL',
      'row 1 (line 2), column "a" (number 1): expected a finite decimal number, got an empty',
    ],
    ['a,b,label\n1,1,yes\n1,1,maybe\n', 'ERR_UNKNOWN_CLASS', 'row 2 (line 3), column "label" (number 3): '],
    ['a,b,label\n1,1,Yes\n', 'ERR_UNKNOWN_CLASS', 'row 1 (line 2), column "label" (number 3): '],
    ['a,b,label\n1,1,\n', 'ERR_UNKNOWN_CLASS', 'row 1 (line 2), column "label" (number 3): '],
    [
      'a,b,label\n1,"1,yes\n',
      'ERR_CSV_SYNTAX',
      'line 2: not valid CSV: a quote that begins a cell is never closed',
    ],
    ['a,b,label\n1,3"1",yes\n', 'ERR_CSV_CELL', 'got something else'],
    ['a,b,label\n1,"3"1,yes\n', 'ERR_CSV_SYNTAX', 'something stands between the closing quote'],
  ])('refuses %j with %s', async (text, code, message) => {
    const error = await refusal(text);
    expect(error.code).toBe(code);
    expect(error.message).toContain(message);
  });

  it.each([
    'NaN',
    'nan',
    'Infinity',
    '-Infinity',
    '1e999',
    '0x1F',
    '1_000',
    '"1,5"',
    ' 1',
    '1 ',
    '٣',
    '1e',
    '.',
  ])('refuses the cell %s', async (cell) => {
    const error = await refusal(`b,a,label\n1,${cell},yes\n`);
    expect(error).toMatchObject({ code: 'ERR_CSV_CELL' });
    expect(error.message).toContain('row 1 (line 2), column "a"');
  });

  it.each([
    [['id'], 'columns missing: "id"'],
    [['label'], 'columns ignored though they are used: "label"'],
    [['a', 'x'], 'columns missing: "x"; columns ignored though they are used: "a"'],
  ])('refuses to ignore %j', async (ignoredColumns, message) => {
    const error = await refusal('a,b,label\n1,1,yes\n', { ignoredColumns });
    expect(error).toMatchObject({ code: 'ERR_CSV_COLUMNS', message });
  });

  it('refuses the other unknown columns where some are ignored', async () => {
    const error = await refusal('a,b,label,id,x\n1,1,yes,1,1\n', { ignoredColumns: ['id'] });
    expect(error).toMatchObject({
      code: 'ERR_CSV_COLUMNS',
      message: 'columns not in the task and not ignored: "x" (number 5)',
    });
  });

  it('refuses a record that does not end', async () => {
    const error = await refusal(`a,b,label\n1,"${'9'.repeat(2 ** 20 + 10)}`);
    expect(error.code).toBe('ERR_CSV_SYNTAX');
    expect(error.message).toBe(
      'line 2: not valid CSV: a record is longer than 1048576 characters; perhaps a quote in it is never closed',
    );
  });

  const refusesEndless = async (_title: string, start: string, more: string) => {
    let asked = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(start);
      for (; asked < 32; asked += 1) yield Buffer.from(more.repeat(2 ** 20 / more.length));
    }
    const rows = readRows(endless(), task);
    await expect(rows.next()).rejects.toMatchObject({
      code: 'ERR_CSV_SYNTAX',
      message: expect.stringContaining('a record is longer than'),
    });
    expect(asked).toBeLessThan(16);
  };
  const ENDLESS = 'refuses %s that goes on and on without taking it into memory';
  it.each([['a record of quoted cells', 'a,b,label\n1', ',""']])(ENDLESS, refusesEndless);
  it.each([['a header', '', ',']])(ENDLESS, { tags: ['long'] }, refusesEndless);

  it('takes any number of empty lines', async () => {
    async function* blank(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('a,b,label\n"1",1,yes\n');
      for (let n = 0; n < 24; n += 1) yield Buffer.from('\n'.repeat(2 ** 16));
    }
    const rows: unknown[] = [];
    for await (const row of readRows(blank(), task)) rows.push(row);
    expect(rows).toHaveLength(1);
  });

  it('refuses cells out of range only when strict', async () => {
    const text = 'a,b,label\n10,1,yes\n-10,1.001,no\n';
    expect(await read(text)).toHaveLength(2);
    const error = await refusal(text, { strict: true });
    expect(error.code).toBe('ERR_OUT_OF_RANGE');
    expect(error.message).toContain('row 2 (line 3), column "b"');
    expect(await read('a,b,label\n10,1,yes\n-10,0,no\n', { strict: true })).toHaveLength(2);
  });

  it('never repeats a cell of the data', async () => {
    const secret = '4815162342';
    const texts = [
      `${secret},1,yes\n1,1,no\n`, // no header
      `a,b,label\n${secret}x,1,yes\n`,
      `a,b,label\n1,1,${secret}\n`,
      `a,b,label\n1,${secret}"1",yes\n`,
      `a,b,label\n1,${secret}\n`,
      `a,b,label\n1,"${secret}"${secret},yes\n`,
      `a,b,label\n1,"${secret}\n`,
      `a,b,label\n1,${secret},yes\n`,
    ];
    for (const text of texts) {
      const error = await refusal(text, { strict: true });
      expect(JSON.stringify([error.message, error.stack, error.cause ?? null])).not.toContain(secret);
    }
  });

  it('never repeats a cell, whatever the file is instead of CSV with a header', async () => {
    const secret = '4815162342';
    const cell = fc.constantFrom(
      ...[secret, ` ${secret}`, `"${secret},5"`, `Smith ${secret}`, `"${secret}\n"`, `${secret}"`],
      ...['a', 'b', 'label', 'yes', '1', ''],
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(cell, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 4 }),
        fc.constantFrom(',', ';', '\t', '|'),
        fc.constantFrom('\n', '\r\n', '\r', '\u2028', '\u0085', '\v'),
        fc.constantFrom<string[]>([], ['a', 'b', 'label'], ['a', 'b', 'label', 'id']),
        fc.constantFrom<string[] | 'others'>([], ['id'], 'others'),
        fc.record<CsvOptions>(
          {
            separator: fc.constantFrom('comma', 'semicolon', 'tab'),
            decimal: fc.constantFrom('point', 'comma'),
            trim: fc.boolean(),
            numericLabels: fc.boolean(),
            missing: fc.constantFrom('error', 'skip'),
          },
          { requiredKeys: [] },
        ),
        async (rows, separator, lineEnd, header, ignoredColumns, options) => {
          // A row that has most names of the task's columns is a header, also behind blank ones.
          let hasBegun = false;
          const headless = rows.map((cells) => {
            if (hasBegun) return cells;
            const nameless = cells.map((it) => (['a', 'b', 'label'].includes(it) ? '' : it));
            hasBegun = nameless.some((it) => it !== '');
            return nameless;
          });
          const lines = header.length === 0 ? headless : [header, ...rows];
          const text = lines.map((cells) => cells.join(separator)).join(lineEnd);
          const error: unknown = await read(text, { ...options, ignoredColumns, strict: true }).then(
            () => undefined,
            (reason) => reason,
          );
          if (error === undefined) return;
          expect(error).toBeInstanceOf(CodedError);
          expect((error as CodedError).message).not.toContain(secret);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('passes the errors of its source on', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('a,b,label\n1,1,yes\n');
      throw new Error('wire cut');
    }
    await expect(collect(readRows(broken(), task))).rejects.toThrow('wire cut');
  });
});

describe('files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'eigenveil-csv-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const text = 'a,b,label\n1.5,0,yes\n-20,1e-3,no\n';
  const write = (name: string, bytes: string | Uint8Array): string => {
    writeFileSync(join(folder, name), bytes);
    return join(folder, name);
  };
  const readFile = (path: string) => collect(readRows(readFileBytes(path), task));

  it('are read as they are, or decompressed where they are gzip archives, whatever their name', async () => {
    expect(await readFile(write('plain.csv', text))).toEqual(expected);
    expect(await readFile(write('packed.csv.gz', gzipSync(text)))).toEqual(expected);
    expect(await readFile(write('packed.csv', gzipSync(text)))).toEqual(expected);
    expect(await readFile(write('plain.csv.gz', text))).toEqual(expected);
    const two = Buffer.concat([gzipSync(text), gzipSync('3,0.5,no\n')]);
    expect(await readFile(write('twice.csv.GZ', two))).toHaveLength(3);
  });

  it('that cannot be read are named, with the reason', async () => {
    const whole = gzipSync(text + '1,1,yes\n'.repeat(50));
    const cases = [
      [join(folder, 'none.csv'), 'no such file or directory'],
      [join(folder, 'none.csv.gz'), 'no such file or directory'],
      [folder, 'it is a folder'],
      [
        write('damaged.csv.gz', whole.with(40, whole[40]! ^ 1)),
        'its data are damaged, or were not compressed by gzip',
      ],
      [
        write('cut.csv.gz', whole.subarray(0, whole.length - 9)),
        'its gzip data end too early, as if the file was cut off',
      ],
    ] as const;
    for (const [path, reason] of cases) {
      await expect(readFile(path), path).rejects.toMatchObject({
        code: 'ERR_FILE_UNREADABLE',
        message: `${JSON.stringify(path)} cannot be read: ${reason}`,
      });
    }
  });
});

describe('decimal numbers', () => {
  it.each([
    ['0', 0],
    ['-0', -0],
    ['+1.5', 1.5],
    ['.5', 0.5],
    ['-.5', -0.5],
    ['5.', 5],
    ['007', 7],
    ['0e5', 0],
    ['0E0', 0],
    ['1e-3', 0.001],
    ['1E+3', 1000],
    ['-1.7976931348623157e308', -Number.MAX_VALUE],
    ['1e-400', 0],
  ])('reads %s', (text, value) => {
    expect(parseDecimal(text)).toBe(value);
  });

  it('agrees with the grammar on any text', () => {
    const grammar = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;
    const text = fc.string({ unit: fc.constantFrom(...'0123456789+-.eExXbBoO_naN If\t\n'), maxLength: 6 });
    fc.assert(
      fc.property(text, (candidate) => {
        const valid = grammar.test(candidate) && Number.isFinite(Number(candidate));
        expect(parseDecimal(candidate)).toBe(valid ? Number(candidate) : undefined);
      }),
      { numRuns: 5000 },
    );
  });
});
