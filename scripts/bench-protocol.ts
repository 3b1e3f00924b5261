/**
 * `npm run bench:protocol`: one owner's contribution, one addition at the data user and the unblinding at the CSP,
 * against the published protocol done literally with paillier-bigint, in one run on one thread.
 */

import {
  EXAMPLE_OWNERS,
  EXAMPLE_SAMPLES_PER_OWNER,
  exampleStatistics,
  exampleTask,
} from '@eigenveil/bench/example-task';
import { formatQuantity, formatRatio } from '@eigenveil/bench/quantities';
import { measureRoles, ROLES_EXPLANATION, type RoleSeries } from '@eigenveil/bench/roles';
import { median, summariseRatios } from '@eigenveil/bench/statistics';
import type { EncryptionScheme } from '@eigenveil/paillier';
import Table from 'cli-table3';
import { Command, InvalidArgumentError } from 'commander';

interface Row {
  features: number;
  keyBits: number;
  role: 'owner' | 'user' | 'csp';
  scheme: EncryptionScheme;
  literalMs: number;
  eigenveilMs: number;
  ratio: number;
  /** At the data user: the same with the check of every ciphertext, which the literal protocol does not have. */
  eigenveilValidatedMs?: number;
  ratioValidated?: number;
}

const FEATURES = [8, 14, 34, 50];
const REPETITIONS = 5;
const LITERAL_SAMPLE = 12;

const EXPLANATION = `Bounds: ${EXAMPLE_OWNERS} owners, ${EXAMPLE_SAMPLES_PER_OWNER} rows each, 14 fraction bits, 40 bits of statistical security. PCA.
${ROLES_EXPLANATION}
${LITERAL_SAMPLE} literal ciphertexts spread over the values are timed per repetition and scaled to all of them; --full times all.
Medians of ${REPETITIONS} interleaved repetitions; ratios are medians of the repetitions' ratios.`;

async function measure(d: number, keyBits: number, full: boolean): Promise<Row[]> {
  const task = exampleTask(d, keyBits);
  const { series } = await measureRoles({
    task,
    statistics: exampleStatistics(task),
    repetitions: REPETITIONS,
    literalSample: full ? Number.POSITIVE_INFINITY : LITERAL_SAMPLE,
  });
  const compare = (literal: RoleSeries, eigenveil: RoleSeries) => ({
    literalMs: median(series[literal].samples),
    eigenveilMs: median(series[eigenveil].samples),
    ratio: summariseRatios(series[literal].samples, series[eigenveil].samples).median,
  });
  const row = { features: d, keyBits };
  const checked = compare('user/literal', 'user/checked');
  return [
    { ...row, role: 'owner', scheme: 'standard', ...compare('owner/literal', 'owner/standard') },
    { ...row, role: 'owner', scheme: 'djn', ...compare('owner/literal', 'owner/djn') },
    {
      ...row,
      role: 'user',
      scheme: 'standard',
      ...compare('user/literal', 'user/eigenveil'),
      eigenveilValidatedMs: checked.eigenveilMs,
      ratioValidated: checked.ratio,
    },
    { ...row, role: 'csp', scheme: 'standard', ...compare('csp/literal', 'csp/eigenveil') },
  ];
}

function render(rows: readonly Row[]): string {
  const table = new Table({
    head: ['d', 'bits', 'role', 'scheme', 'literal', 'eigenveil', 'ratio', 'with validation'],
    colAligns: ['right', 'right', 'left', 'left', 'right', 'right', 'right', 'right'],
    style: { head: [], border: [] },
  });
  for (const row of rows) {
    const { eigenveilValidatedMs: validated, ratioValidated } = row;
    table.push([
      row.features,
      row.keyBits,
      row.role,
      row.scheme,
      formatQuantity(row.literalMs, 'ms'),
      formatQuantity(row.eigenveilMs, 'ms'),
      formatRatio(row.ratio),
      validated === undefined ? '' : `${formatQuantity(validated, 'ms')}, ${formatRatio(ratioValidated!)}`,
    ]);
  }
  return table.toString();
}

function numbers(text: string): number[] {
  const list = text.split(',').map(Number);
  if (list.some((value) => !Number.isInteger(value) || value < 1))
    throw new InvalidArgumentError('Expected whole numbers.');
  return list;
}

const options = new Command()
  .name('npm run bench:protocol --')
  .description(
    'Times each role of the protocol against the published protocol done literally with paillier-bigint.',
  )
  .option('--features <list>', 'numbers of features, separated by commas', numbers, FEATURES)
  .option('--bits <list>', 'key lengths, separated by commas', numbers, [2048])
  .option('--full', 'time every ciphertext of the literal protocol (minutes) instead of a sample')
  .option('--json', 'print one JSON object instead of a table')
  .addHelpText(
    'after',
    `\n${EXPLANATION}\n\nExample:\n  npm run bench:protocol -- --features 50 --bits 1024,2048`,
  )
  .parse()
  .opts<{ features: number[]; bits: number[]; full?: true; json?: true }>();

const rows: Row[] = [];
for (const keyBits of options.bits) {
  for (const d of options.features) {
    if (!options.json) process.stderr.write(`measuring d = ${d}, ${keyBits} bits …\n`);
    rows.push(...(await measure(d, keyBits, options.full === true)));
  }
}
process.stdout.write(options.json ? `${JSON.stringify({ rows })}\n` : `${render(rows)}\n${EXPLANATION}\n`);
