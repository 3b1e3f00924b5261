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
import { measureRoles, type RoleColumn } from '@eigenveil/studies/speed/roles';
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
Literal: one ciphertext for each value of the full R and of V and Q, paillier-bigint with g = n + 1 and negative values mod n, which take it a
second long exponentiation. Owner: packing, encryption and encoding, with the set-up for the key (the table of DJN too); summing its rows is left out on
both sides. Data user: reading the ciphertexts of one contribution from bytes and adding them, on both sides; checking every ciphertext, which Eigenveil
does at receipt, is not part of the literal protocol. CSP: decryption, reading the slots and taking its shares, with its set-up for the key.
All on one thread; literal and Eigenveil take turns under the same keys, a new one for each repetition.
${LITERAL_SAMPLE} literal ciphertexts spread over the values are timed per repetition and scaled to all of them; --full times all.
Medians of ${REPETITIONS} interleaved repetitions; ratios are medians of the repetitions' ratios.`;

async function measure(d: number, keyBits: number, full: boolean): Promise<Row[]> {
  const task = exampleTask(d, keyBits);
  const records = await measureRoles({
    task,
    statistics: exampleStatistics(task),
    repetitions: REPETITIONS,
    literalSample: full ? Number.POSITIVE_INFINITY : LITERAL_SAMPLE,
  });
  const compare = (literal: RoleColumn, eigenveil: RoleColumn) => {
    const [theirs, ours] = [literal, eigenveil].map((column) => records.map((record) => record[column]));
    return {
      literalMs: median(theirs!),
      eigenveilMs: median(ours!),
      ratio: summariseRatios(theirs!, ours!).median,
    };
  };
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
