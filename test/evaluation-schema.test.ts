/** The JSON schema of an evaluation's report.json, which `vitest run evaluation-schema -u` writes. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { EvaluationResult } from '@eigenveil/studies/evaluation/result';
import { format } from 'prettier';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { RESULT } from '../studies/test/evaluation/report/made-up.ts';
import { fits } from './support/json-schema.ts';

const FILE = fileURLToPath(new URL('../studies/evaluation/result.schema.json', import.meta.url));

test('is that of the parser', async () => {
  const { $schema, ...schema } = z.toJSONSchema(EvaluationResult, { io: 'input' });
  const titled = { $schema, title: 'The result of an evaluation of Eigenveil', ...schema };
  const text = await format(JSON.stringify(titled), { parser: 'json', printWidth: 110 });
  await expect(text).toMatchFileSnapshot(FILE);
});

test('takes a result as report.json has it, and refuses what the parser refuses', async () => {
  const schema = JSON.parse(await readFile(FILE, 'utf8')) as object;
  const result = JSON.parse(JSON.stringify(RESULT)) as EvaluationResult;
  expect(fits(schema, result)).toBe(true);
  const [first] = result.experiments;
  const experiments = (changed: object) => ({ ...result, experiments: [{ ...first, ...changed }] });
  const [own] = first!.cases;
  for (const wrong of [
    { ...result, format: 'eigenveil-evaluation/2' },
    { ...result, unknown: 1 },
    { ...result, claims: undefined },
    { ...result, claims: [{ ...result.claims[0], id: 'X-1' }] },
    experiments({ verdict: 'secure' }),
    experiments({ attacker: 'somebody' }),
    experiments({ cases: [{ ...own, kind: 'guess' }] }),
    experiments({ cases: [{ ...own, pBroken: 1.5 }] }),
    experiments({ cases: [{ ...own, facts: { nested: {} } }] }),
    experiments({ cases: [{ ...own, blocks: [{ kind: 'script', text: '' }] }] }),
  ]) {
    const told = JSON.parse(JSON.stringify(wrong)) as object;
    expect({ wrong, parsed: EvaluationResult.safeParse(told).success }).toEqual({ wrong, parsed: false });
    expect({ wrong, fits: fits(schema, told) }).toEqual({ wrong, fits: false });
  }
});
