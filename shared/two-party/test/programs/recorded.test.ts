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

it('a few of every kind are as they were', () =>
  compare([...edges().filter((_, i) => i % 6 === 0), ...random(6)]));

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
