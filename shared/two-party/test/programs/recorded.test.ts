/**
 * What programs reveal in the clear, bit for bit, their AND gates and their batches, as recorded.json has them: a change of how a program is
 * written must not change any of these. After a change that means to, `EIGENVEIL_RECORD=1 npx vitest run recorded` records anew.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { type Case, datasets, edges, random, recordOf } from './recording.ts';

const PATH = new URL('recorded.json', import.meta.url);
const RANDOM_TASKS = 200;
const all = (): Case[] => [...datasets(), ...edges(), ...random(RANDOM_TASKS)];

function recorded(): { [name: string]: string } {
  return JSON.parse(readFileSync(PATH, 'utf8'));
}

async function compare(cases: readonly Case[]): Promise<void> {
  const before = recorded();
  const different: string[] = [];
  for (const one of cases) {
    const own = await recordOf(one);
    if (own !== before[one.name]) different.push(`${one.name}: expected ${before[one.name]}, got ${own}`);
  }
  expect(different).toEqual([]);
}

/** Each program at the least that shows all of it, and under noise. */
const SOME: ReadonlySet<string> = new Set([
  'pca, two features',
  'pca, too few owners',
  'correlation, two features',
  'masked correlation, 2 features',
  'iris ridge',
  'discriminant, one feature',
  'discriminant, no definite noise',
  'discriminant, equal means',
  'mdr, one feature',
  'mdr, more privacy contrasts than features',
  'iris mdr', // whose columns are reduced
  'random 19, pca',
  'random 101, lda',
  'random 118, dca',
  'random 195, dca', // with a negative one
  'random 67, dca', // of the book
  'random 172, dca', // of the book, with a ridge on the signal
  'random 38, mdr',
]);

it('some of every kind are as they were', async () => {
  const cases = all().filter(({ name }) => SOME.has(name));
  expect(cases).toHaveLength(SOME.size);
  await compare(cases);
});

it('all are as they were', { tags: ['long'], timeout: 600_000 }, async () => {
  const cases = all();
  expect(new Set(cases.map(({ name }) => name))).toEqual(new Set(Object.keys(recorded())));
  await compare(cases);
});

it.runIf(process.env.EIGENVEIL_RECORD === '1')('records', { timeout: 600_000 }, async () => {
  const records: { [name: string]: string } = {};
  for (const one of all()) records[one.name] = await recordOf(one);
  writeFileSync(
    PATH,
    `${JSON.stringify(records, null, 2)}
`,
  );
});
