/** Messages that the command line has, too, in the words of the pages: about files, policies and budgets. */
import { MemoryOwnerState } from '@eigenveil/data-owner';
import {
  brokenRules,
  checkPolicy,
  DataOwner,
  nextEntry,
  OwnerPolicy,
  ownFloorInWords,
  revealedBy,
} from '@eigenveil/data-owner/portable';
import { madeUpTask } from '@eigenveil/made-up/tasks';
import { Output, TwoPartyName } from '@eigenveil/methods';
import { CodedError, term, words } from '@eigenveil/platform';
import { readBlobBytes, readRowBatches } from '@eigenveil/statistics/owner';
import type { Task } from '@eigenveil/task';
import { describe, expect, test } from 'vitest';
import { OUTPUTS, privacyWords } from '../../src/common/task-words.ts';
import { draftWords } from '../../src/console/draft/draft-words.ts';
import { type ReadingOptions, read } from '../../src/owner/jobs.ts';
import {
  allowedInWords,
  changeInWords,
  columnsInWords,
  leftInWords,
  pageWords,
  sentence,
} from '../../src/owner/words.ts';

const OF_COMMANDS = /expected|\bgot\b|--/;
const labelled = madeUpTask('lda', 2, { components: 1, outputs: [] });
const { column, classes } = labelled.labellings[0]!;
const header = `f0,f1,${column}`;
const label = classes[0]!;

async function refusal(
  text: string | Uint8Array<ArrayBuffer>,
  options: ReadingOptions = {},
): Promise<CodedError> {
  const job = {
    kind: 'read',
    file: new File([text], 'rows.csv'),
    name: 'rows.csv',
    task: labelled,
    basis: [],
  } as const;
  const error: unknown = await read({ ...job, options }, () => {}).catch((it: unknown) => it);
  if (!(error instanceof CodedError)) throw new TypeError('expected a refusal', { cause: error });
  return error;
}

const PNG = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82);
const utf16 = (text: string) => Uint8Array.from([0xff, 0xfe, ...Buffer.from(text, 'utf16le')]);

describe('a file is refused in the words of the page', () => {
  test.each<[string, string | Uint8Array<ArrayBuffer>, ReadingOptions, string]>([
    ['no file', '', {}, 'the file is empty'],
    ['no row', `${header}\n`, {}, 'the file has no rows'],
    [
      'no whole row',
      `${header}\n,1,${label}\n`,
      { missing: 'skip' },
      'no row is whole: a cell is missing in each of 1',
    ],
    ['a picture', PNG, {}, 'this is no CSV, but a picture (PNG)'],
    [
      'a workbook',
      Buffer.from('PK\u0003\u0004'.padEnd(16)),
      {},
      'this is no CSV, but a zip archive or a workbook (xlsx, ods)',
    ],
    [
      'a database, at which the command line has other ways',
      Buffer.from(`${' '.repeat(8)}DUCK    `),
      {},
      'this is no CSV, but a database of DuckDB',
    ],
    [
      'no header',
      '1,2,3\n4,5,6\n',
      {},
      'there are numbers in the first row, where the names of the columns belong',
    ],
    ['a short row', `${header}\n1,0\n`, {}, 'row 1 (line 2): the header row has 3 cells, and this row has 2'],
    [
      'a cell that is no number',
      `${header}\n1,,${label}\n`,
      {},
      'row 1 (line 2), column "f1" (number 2): this must be a number, and is an empty cell: “Leave out rows with a missing value” leaves such rows out',
    ],
    [
      'a number out of range',
      `${header}\n1,9e9,${label}\n`,
      { strict: true },
      `row 1 (line 2), column "f1" (number 2): this number lies outside of the range of the task, ${labelled.features[1]!.min} to ${labelled.features[1]!.max}`,
    ],
    [
      'an unknown class',
      `${header}\n1,0,nobody\n`,
      {},
      `row 1 (line 2), column "${column}" (number 3): this must be one of the task’s ${classes.length} classes, and is another label: leave such rows out, or ask the data user for a task that has it`,
    ],
    [
      'one sign for two things',
      `${header}\n`,
      { decimal: 'comma', thousands: 'comma' },
      '“Decimal mark” and “Thousands mark” are both comma: choose another one for one of them',
    ],
    [
      'a mark of another encoding',
      utf16(`${header}\n`),
      { encoding: 'utf-8' },
      'the page reads the file as utf-8, and it begins with the byte order mark of utf-16le: choose “UTF-8, or as the file says” under “Text encoding”',
    ],
    [
      'a column that was taken for another one and is gone',
      `${header}\n`,
      { columns: ['dose=f0'] },
      'columns that were taken for others of the task are not in the file: "dose=f0"',
    ],
  ])('for %s', async (_, text, options, told) => {
    const { words } = await refusal(text, options);
    expect(String(words)).toMatch(OF_COMMANDS);
    expect(pageWords(words)).toBe(told);
    expect(draftWords(words)).not.toMatch(OF_COMMANDS);
  });
});

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

type Guarantee = NonNullable<Task['differentialPrivacy']>;

describe('what the command line tells by options is told by fields', () => {
  const task = madeUpTask('pca', 2, { components: 1, outputs: [] });
  const COMMANDS = /--\w|eigenveil-owner|OwnerHome|in memory/;

  /** The refusal of a file, as the page words it. */
  async function refused(text: string | Uint8Array<ArrayBuffer>, options = {}): Promise<string> {
    const rows = readRowBatches(readBlobBytes(new File([text], 'rows.csv'), 'rows.csv'), task, options);
    const readAll = async () => {
      for await (const batch of rows) expect(batch).toBeDefined();
    };
    const error: unknown = await readAll().catch((it: unknown) => it);
    if (!(error instanceof CodedError)) throw new TypeError('expected a refusal');
    expect(error.message).toMatch(COMMANDS);
    return pageWords(error.words);
  }

  test.each([
    ['blanks', 'f0,f1\n 1,0\n', {}, /is one with spaces around it: tick “Ignore spaces around values”$/],
    ['an empty cell', 'f0,f1\n,0\n', {}, /: “Leave out rows with a missing value” leaves such rows out/],
    ['a comma', 'f0;f1\n0,5;0\n', { separator: 'semicolon' }, /“Decimal mark”: comma takes/],
    ['a semicolon', 'f0;f1\n1;0\n', {}, /give “Separator”: semicolon$/],
    [
      'blanks around names',
      ' f0, f1\n1,0\n',
      {},
      /there are spaces around names: tick “Ignore spaces around values”$/,
    ],
    ['lines above the header', 'from,here\nf0,f1\n1,0\n', {}, /set “Lines above the header row” to 1$/],
    ['units', 'f0,f1\nmm,kg\n1,0\n', {}, /set “Rows of units below the header row” to 1$/],
    ['no name', 'f0,f1,\n1,0,3\n', {}, /“Columns to leave out”: #3 leaves it out/],
    ['a mark', 'f0,f1\n-,0\n', {}, /name it under “Other marks of a missing value”/],
    [
      'another encoding',
      new Uint8Array([...'f0,f1\n1,0é\n'].map((it) => it.charCodeAt(0))),
      {},
      /choose another “Text encoding”, or save the file as UTF-8$/,
    ],
  ])('of %s', async (_, text, options, told) => {
    const words = await refused(text, options);
    expect(words).not.toMatch(COMMANDS);
    expect(words).toMatch(told);
  });

  test('of a policy, all rules at once', () => {
    const policy = OwnerPolicy.parse({
      minimumOwners: 9,
      minimumKeyBits: 4096,
      maximumComponents: 1,
      twoParty: ['garbled'],
      allowWithoutDifferentialPrivacy: false,
    });
    const asked = { ...task, twoParty: 'simulated', components: 2, minimumOwners: 2, keyBits: 3072 } as const;
    const error = thrownBy(() => checkPolicy(policy, asked));
    expect(error).toBeInstanceOf(CodedError);
    const { faults, message } = error as CodedError;
    expect(message).toMatch(/"twoParty" is simulated.*--allow-simulated/);
    const told = faults.map(({ words }) => pageWords(words));
    expect(told).toEqual([
      'the least number of owners is 2, but your policy asks for at least 9',
      'the length of the Paillier key, in bits, is 3072, but your policy asks for at least 4096',
      expect.stringMatching(
        /^the two-party protocol is simulated, which is NOT private, and your policy does not name it$/,
      ),
      'the number of components is 2, but your policy allows at most 1',
      ...told.slice(4),
    ]);
    for (const words of told) expect(words).not.toMatch(/--|"|expected|, got /);
  });

  test.each<[string, OwnerPolicy, Partial<Guarantee>, string, string]>([
    [
      'that has another relation than the task',
      OwnerPolicy.parse({ totalEpsilon: 1, answers: { wholes: 9 } }),
      { epsilon: 2, neighbours: 'add-remove' },
      'the data set rows has a total of epsilon 1 with delta 0.000001 (neighbours replace): with delta 0.000001 of add-remove epsilon 0.44 is left, the task costs 2; a total for add-remove goes further, with "neighbours": "add-remove" in the policy',
      'the data set rows has a total of ε 1 with δ 0.000001 (about which row is there (replace)): with δ 0.000001 about whether a row is there (add-remove) ε 0.44 is left, the task costs 2; it would go further about whether a row is there (add-remove): choose that in your policy, under “What must stay hidden”',
    ],
    [
      'that counts no such guarantee',
      OwnerPolicy.parse({ totalEpsilon: 3, neighbours: 'add-remove', answers: { wholes: 9 } }),
      { epsilon: 1, neighbours: 'replace' },
      '"differentialPrivacy.neighbours" expected add-remove for the data set rows, whose budget is counted in it: a guarantee of replace amounts to none of add-remove',
      'what the data set rows may spend is counted about whether a row is there (add-remove), and a guarantee about which row is there (replace) amounts to none of that kind',
    ],
  ])('of a budget %s', async (_, policy, changes, command, page) => {
    const differentialPrivacy: Guarantee = {
      ...{ epsilon: 1, delta: 1e-6, neighbours: 'add-remove', clippingNorm: 1, noise: 'servers' },
      ...{ honestOwners: null, dataIndependentRanges: true },
      ...changes,
    };
    const paillier = { contribution: () => Promise.reject(new Error('nothing is encrypted')) };
    const owner = new DataOwner({ state: new MemoryOwnerState(), policy, paillier });
    const { overBudget } = await owner.afford({ ...task, differentialPrivacy }, 'rows');
    expect(String(overBudget)).toBe(command);
    expect(pageWords(overBudget!)).toBe(page);
  });

  test('of what other tasks have taken, with the side of the half on which the rest is', async () => {
    const state = new MemoryOwnerState();
    const paillier = { contribution: () => Promise.reject(new Error('nothing is encrypted')) };
    const owner = new DataOwner({ state, policy: OwnerPolicy.parse({}), paillier });
    const elsewhere = { epsilon: 0, delta: 0, neighbours: 'replace', rotated: 0 } as const;
    const entry = (part: string) => ({ kind: 'set', isAdopted: false, ...elsewhere, part }) as const;
    const pca = madeUpTask('pca', 3, { exact: false, allowFullRank: false });
    const half = { ...pca, features: pca.features.map((it) => ({ ...it, grain: 1 / 4 })) };
    await state.addToLedger(nextEntry([], 'rows', entry('524289/1048576')), 0);
    const { overBudget } = await owner.afford(half, 'rows');
    expect(pageWords(overBudget!)).toMatch(
      /has given a little more than 1\/2 of the whole .* takes 1\/2: a little less than 1\/2 is left, which is enough for a task that is not exact and is made for at least 3 results/,
    );
    const third = await owner.afford({ ...half, releases: 3 }, 'rows');
    expect(leftInWords({ dataset: 'rows', ...third }, false)).toContain(
      'a little less than 1/6 of a whole is then left',
    );
  });

  const guarantee: Guarantee = {
    ...{ epsilon: 1, delta: 1e-6, neighbours: 'replace', clippingNorm: 1, noise: 'csp' },
    ...{ honestOwners: null, dataIndependentRanges: true },
  };

  test('of a policy, without names of the task’s parameters', () => {
    const strict = OwnerPolicy.parse({ neighbours: 'add-remove', noise: 'servers' });
    const asked = madeUpTask('lda', 2, {
      ...{ components: 1, outputs: ['classCounts', 'spectrum'], differentialPrivacy: guarantee },
      sketch: { columns: 4, refine: 'A'.repeat(43) },
    });
    const told = brokenRules(strict, asked).map(({ rule }) => pageWords(rule));
    expect(told).toEqual(
      expect.arrayContaining([
        'a refined sketch is not allowed: it goes on from an earlier result of who gets this one, for which “Tasks of a chain at most” would have to be higher',
        'what is revealed includes the spectrum, for which “All eigenvalues may be revealed” would have to be ticked',
        'what is revealed includes the numbers of rows by class, for which “Reveal class counts only if each of my classes has at least … rows” has to say how many rows of a class this owner must have',
        'what differential privacy hides is which row is there (replace), but your policy asks for whether a row is there (add-remove)',
        'who draws the noise is the CSP alone, but your policy asks for both servers',
      ]),
    );
    const series = OwnerPolicy.parse({ series: { most: 3, shortestIntervalHours: 1, totalEpsilon: 2 } });
    const renewal = { ...task, series: { id: task.id, number: 1, previous: 'A'.repeat(43) } };
    expect(brokenRules(series, renewal).map(({ rule }) => pageWords(rule))).toContain(
      'differential privacy is missing, but a series with “Largest ε of a series; then each of its tasks needs differential privacy” needs it',
    );
  });

  test.each(TwoPartyName.options)('of what a task by %s reveals, without them either', (twoParty) => {
    const all = madeUpTask('lda', 2, { twoParty, outputs: Output.options, allowFullRank: true });
    const lines = Object.values(revealedBy(all)).flat();
    expect(lines.join('\n')).toMatch(/\(declared: sampleCount\)/);
    expect(lines.join('\n')).toMatch(/what is declared: mean, trace, sampleCount/);
    const told = lines.map((line) => pageWords(line)).join('\n');
    expect(told).toContain('what is declared: the mean of all rows, the variance of all features together');
    expect(told).not.toMatch(/[a-z][A-Z]|declared: [a-z]+\)/);
  });

  test('of what was agreed, too', () => {
    expect(privacyWords(guarantee)).toBe(
      'ε = 1 and δ = 0.000001 about which row is there (replace); the noise is drawn by the CSP alone',
    );
    expect(Object.keys(OUTPUTS)).toEqual(Output.options);
  });

  test('of a moment, by the clock of the page', () => {
    const moment = new Date(Date.now() + 49.2 * 3_600_000);
    const at = moment.toISOString();
    expect(pageWords(words`no sooner than ${term('moment', at, at)}`)).toBe(
      `no sooner than in 2 days 1 hour (${at.slice(0, 19).replace('T', ' ')} UTC)`,
    );
  });

  test('of coarse values that could not be checked, in whole sentences that say what to do', () => {
    const told = ownFloorInWords({ coarser: [], deviation: 0, isChecked: false }).map(sentence);
    expect(told).toEqual([
      expect.stringMatching(
        /^Whether .* there is nothing to do\. Where they are coarser, .*: “How far apart your values lie” of your policy\.$/,
      ),
    ]);
  });

  test('of columns, of which the first have their names', () => {
    expect(columnsInWords(['age'])).toBe('“age”');
    expect(columnsInWords(['age', 'weight', 'smoker'])).toBe('“age”, “weight” and “smoker”');
    const many = Array.from({ length: 30 }, (_, i) => `f${i}`);
    expect(columnsInWords(many)).toMatch(/^“f0”, .*“f7” and 22 other columns$/);
  });

  test('of what has to change in the policy', () => {
    expect(changeInWords('twoParty', ['garbled', 'rotated'])).toBe(
      'under “Two-party protocols that you trust”, tick “garbled: tells the data user the result and nothing beyond” and “rotated: faster; also tells all eigenvalues, the number of rows, and more (each task says what)”',
    );
    expect(changeInWords('noise', 'csp')).toBe(
      'under “Who must add the noise”, choose “the CSP alone, or both servers”',
    );
    expect(changeInWords('maximumEpsilon', 2)).toBe('“Largest ε”: 2');
    expect(changeInWords('allowSpectrum', true)).toBe('tick “All eigenvalues may be revealed”');
    expect(changeInWords('maximumEpsilon', null)).toBe('leave “Largest ε” empty');
    expect(changeInWords('answers', { wholes: 2 })).toBe(
      'under “What one data set may give”, “Wholes of all tasks together, at most”: 2',
    );
  });

  test.each<[string, unknown, string]>([
    ['allowFullRank', true, '“The whole scatter matrix may be revealed”'],
    ['maximumEpsilon', null, '“Largest ε”: not asked for'],
    ['maximumEpsilon', 2, '“Largest ε”: 2'],
    ['noise', 'csp', '“Who must add the noise”: “the CSP alone, or both servers”'],
    ['answers', { wholes: 2 }, '“What one data set may give”: “Wholes of all tasks together, at most”: 2'],
  ])('of what is allowed for one task alone: %s', (name, value, allowed) => {
    expect(allowedInWords(name, value)).toBe(allowed);
  });
});
