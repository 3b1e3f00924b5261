/** Which turns of phrase `npm run lint` refuses, and where. */
import { describe, expect, it } from 'vitest';
import { findTurns } from '../scripts/prose/rule.ts';

const named = async (path: string, text: string) =>
  (await findTurns(path, text)).map(({ message }) => message.slice(0, message.indexOf(':')));
const inComment = (text: string) => named('some.ts', `/** ${text} */\nexport const one = 1;\n`);
const inDocument = (text: string) => named('some.md', `${text}\n`);

describe('a turn of phrase', () => {
  it.each([
    ['but for', 'The sum is exact but for a negligible probability.'],
    ['nothing but', 'It needs nothing but the key.'],
    ['spares', 'This spares owners to rely on one another.'],
    ['the same of', 'It returns the rows. The same of ciphertexts.'],
    ['what comes of it', 'It answers 204 whatever comes of it.'],
    ['tell apart', 'Nobody can tell the two runs apart.'],
    ['says something of', 'The sum says nothing of a row.'],
    ['what is no', 'It refuses what is no number.'],
    ['so many', 'It takes so many rows of the file.'],
    ['as they come', 'The task is as large as they come.'],
    ['whose every', 'It has a task whose every text is hostile.'],
    ['in the mean', 'It is too large in the mean.'],
    ['in the midst of', 'It stops in the midst of a task.'],
    ['who for whoever', 'The key is secret. Who has it can read all.'],
    ['that is none', 'It signs no number that is none.'],
    ['what of', 'It names what of the task is public.'],
    ['such of', 'It turns shares into such of a larger ring.'],
    ['in the place of', 'It writes zero in the place of the sum.'],
    ['sees to it', 'The linter sees to that.'],
    ['next to nothing', 'The test costs next to nothing.'],
    ['and the like', 'It reads CSV and the like.'],
    ['take off', 'The mean is taken off.'],
    ['in its turn', 'Each server answers in its turn.'],
    ['looks whether', 'It looks whether the key fits.'],
    ['is to be', 'The fault is to be renewed.'],
    ['mend', 'Trying again mends none of it.'],
    ['else for otherwise', 'It waits for a minute, else it ends.'],
    ['old words', 'It writes the file anew.'],
  ])('"%s" is refused in documents and in comments', async (name, text) => {
    expect(await inDocument(text)).toEqual([name]);
    expect(await inComment(text)).toEqual([name]);
  });

  it.each([
    'It has so many rows that they do not fit.',
    'There are twice so many as before.',
    'The name was `but for`, and no code is prose.',
    'It says something about the rows, or else nothing.',
    'The page asks: who may contribute?',
    'It has to be renewed, and tells which part came first.',
    'The experiment audit-drawn-anew was found.',
  ])('"%s" is none', async (text) => {
    expect(await inDocument(text)).toEqual([]);
    expect(await inComment(text)).toEqual([]);
  });
});

describe('the opening of a comment', () => {
  it.each([
    'What rows have.',
    'How long a peer may be silent.',
    'Whether the key fits.',
    'Of each component by itself.',
    'Those of components that are missing.',
    'Per owner.',
    'As the receipt says.',
    'Where a service is.',
  ])('"%s" is refused, and is left to documents', async (text) => {
    expect(await inComment(text)).toHaveLength(1);
    expect(await inDocument(text)).toEqual([]);
  });

  it.each([
    'The columns that rows have.',
    'Returns whether the key fits.',
    'One entry per owner.',
    'Without a floor, the sum is exact.',
    'Where the key does not fit, this throws.',
    'What are the rows?',
    'That is why the key is kept.',
  ])('"%s" is none', async (text) => {
    expect(await inComment(text)).toEqual([]);
  });
});

describe('in a program', () => {
  it('finds turns across the lines of a comment, and says where they begin', async () => {
    const block = ['/**', ' * The sum is exact but', ' * for rounding.', ' */', 'const a = 1;'];
    expect(await findTurns('some.ts', block.join('\n'))).toMatchObject([{ line: 2, column: 21 }]);
    const lines = ['const a = 1 / 2; // The sum is exact but', '  // for rounding.'];
    expect(await findTurns('some.ts', lines.join('\n'))).toMatchObject([{ line: 1, column: 38 }]);
  });

  it('finds turns in messages, also around what a template fills in', async () => {
    expect(await named('some.ts', "throw new Error('the file holds nothing but one key');")).toEqual([
      'nothing but',
    ]);
    const template = 'throw new Error(`tell $' + '{names.join("but for")} apart or give one name`);';
    expect(await named('some.ts', template)).toEqual(['tell apart']);
  });

  it('takes names and code for no prose', async () => {
    const code = "const anew = words['all but'] / 2; // all right\nconst pattern = /\\* but for \\//;";
    expect(await named('some.ts', code)).toEqual([]);
  });

  it('refuses a program that it cannot read', async () => {
    expect(await named('some.ts', 'const = 1;')).toHaveLength(1);
  });
});
