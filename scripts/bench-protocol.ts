/**
 * `npm run bench:protocol`: one owner's contribution, one addition at the data user and the unblinding at the CSP,
 * against the published protocol done literally with paillier-bigint, in one run on one thread.
 */

import type { EncryptionScheme } from '@eigenveil/paillier';
import { measureEach } from '@eigenveil/studies/instrument/cases';
import { formatQuantity, formatRatio } from '@eigenveil/studies/instrument/quantities';
import { addScale, scaleOf } from '@eigenveil/studies/instrument/scale';
import { median, summariseRatios } from '@eigenveil/studies/instrument/statistics';
import { figures, renderTable, words } from '@eigenveil/studies/instrument/table';
import {
  EXAMPLE_OWNERS,
  EXAMPLE_SAMPLES_PER_OWNER,
  exampleStatistics,
  exampleTask,
} from '@eigenveil/studies/speed/example-task';
import { measureRoles, ROLES_EXPLANATION, type RoleSeries } from '@eigenveil/studies/speed/roles';
import { benchmark, wholeNumbers } from './options.ts';

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
  return renderTable(rows, [
    figures('d', (row) => row.features),
    figures('bits', (row) => row.keyBits),
    words('role', (row) => row.role),
    words('scheme', (row) => row.scheme),
    figures('literal', (row) => formatQuantity(row.literalMs, 'ms')),
    figures('eigenveil', (row) => formatQuantity(row.eigenveilMs, 'ms')),
    figures('ratio', (row) => formatRatio(row.ratio)),
    figures('with validation', ({ eigenveilValidatedMs: validated, ratioValidated }) =>
      validated === undefined ? '' : `${formatQuantity(validated, 'ms')}, ${formatRatio(ratioValidated!)}`,
    ),
  ]);
}

const options = addScale(
  benchmark({
    name: 'bench:protocol',
    description:
      'Times each role of the protocol against the published protocol done literally with paillier-bigint.',
    explanation: EXPLANATION,
    example: '--features 50 --bits 1024,2048',
  }),
  'quick',
  {
    quick: 'time a sample of the ciphertexts of the literal protocol',
    full: 'time every ciphertext of the literal protocol (minutes)',
  },
)
  .option('--features <list>', 'numbers of features, separated by commas', wholeNumbers, FEATURES)
  .option('--bits <list>', 'key lengths, separated by commas', wholeNumbers, [2048])
  .parse()
  .opts<{ features: number[]; bits: number[]; quick?: true; full?: true; json?: true }>();

const rows = await measureEach(
  options.bits.flatMap((keyBits) => options.features.map((d) => ({ d, keyBits }))),
  ({ d, keyBits }) => `d = ${d}, ${keyBits} bits`,
  ({ d, keyBits }) => measure(d, keyBits, scaleOf(options, 'quick') === 'full'),
);
process.stdout.write(options.json ? `${JSON.stringify({ rows })}\n` : `${render(rows)}\n${EXPLANATION}\n`);
