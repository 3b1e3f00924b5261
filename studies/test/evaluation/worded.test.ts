/** The words of experiments: each has all of its own, by the page of its folder, and no page has others. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Unworded } from '../../evaluation/experiment.ts';
import { EXPERIMENTS } from '../../evaluation/experiments.ts';
import { worded } from '../../evaluation/worded.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eigenveil-words-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const unworded = (id: string, terms?: Unworded['terms']): Unworded => ({
  ...{ id, kind: 'attack', attacker: 'CSP', secret: 'result', expectation: 'holds' },
  ...{ claims: [], unit: 'run', scenes: ['iris'], ...(terms && { terms }) },
  run: () => Promise.reject(new Error('is not run')),
});
const PAGE = `# Words

## Guesses

- **Sees:** a long line that goes on
  here
- **Knows:** nothing
- **Control:** others
- **Baseline:** chance

### first

- **Title:** A guess by \`rotated\`

### second

- **Title:** {{tries}} guesses
- **Knows:** {{knows}}, but the task
- **Control:** none`;
const of = async (page: string, ...experiments: Unworded[]) => {
  const file = join(folder, 'words.md');
  await writeFile(file, page);
  return worded(pathToFileURL(file), experiments);
};

test('an experiment has the words below its heading, and else those of its part of the page', async () => {
  const [first, second] = await of(PAGE, unworded('first'), unworded('second', { tries: 3 }));
  expect(first).toMatchObject({
    ...{ id: 'first', kind: 'attack', title: 'A guess by `rotated`', sees: 'a long line that goes on here' },
    ...{ knows: 'nothing', control: 'others', baseline: 'chance' },
  });
  expect(second).toMatchObject({ title: '3 guesses', knows: 'nothing, but the task', control: 'none' });
});

test.each([
  ['an experiment that the page lacks', PAGE, ['first', 'second', 'third'], 'no words of third'],
  ['words of what is no experiment', PAGE, ['first'], 'words of second, which is no experiment'],
  [
    'a field that is missing',
    PAGE.replace('- **Knows:** nothing\n', ''),
    ['first', 'second'],
    'first has no knows',
  ],
  ['a field that there is not', PAGE.replace('**Sees:**', '**Smells:**'), ['first'], '"Smells" is no field'],
  ['a term that is not given', PAGE.replace('tries', 'trials'), ['first', 'second'], 'trials'],
])('%s is an error', async (_, page, ids, said) => {
  await expect(of(page, ...ids.map((id) => unworded(id, { tries: 3 })))).rejects.toThrow(said);
});

test('every experiment of the project has words of one line, without marks of the page', () => {
  for (const { id, title, sees, knows, control, baseline } of EXPERIMENTS)
    for (const text of [title, sees, knows, control, baseline]) expect(text, id).toMatch(/^[^\n*{}]+$/);
});
