/** The public waits in the documents are those that the code reckons today. */
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { waits } from '../../speed/waits.ts';
import { planOf, printed, recordsOf } from './printed.ts';

it('are in the kept report as the code reckons them', async () => {
  const { cases } = await planOf(waits, 'full');
  const records = (await Promise.all(cases.map((one) => recordsOf(waits, one)))).flat();
  const { facts } = await printed(waits, records);
  const kept = JSON.parse(
    await readFile(new URL('../../../docs/benchmarks/waits.json', import.meta.url), 'utf8'),
  );
  expect([...facts.keys()]).not.toHaveLength(0);
  for (const [name, { text }] of facts)
    expect([name, kept.facts[`waits.${name}`]?.text]).toEqual([name, text]);
});
