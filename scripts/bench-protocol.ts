/**
 * `npm run bench:protocol`: one owner's contribution, one addition at the data user and the unblinding at the CSP,
 * against the published protocol done literally with paillier-bigint, in one run on one thread.
 */
import {
  add,
  type Ciphertext,
  drawBlinding,
  type EncryptionScheme,
  encodeCiphertexts,
  PaillierPool,
  pack,
  packBlinding,
  type SecretKey,
  unpackBlinded,
} from '@eigenveil/paillier';
import {
  flatten,
  layout,
  type Statistics,
  StatisticsAccumulator,
  type StatisticsTask,
} from '@eigenveil/statistics';
import { modInv } from 'bigint-crypto-utils';
import Table from 'cli-table3';
import { Command, InvalidArgumentError } from 'commander';
import * as paillierBigint from 'paillier-bigint';
import { formatMilliseconds, formatRatio, interleavedMedians } from './bench/measure.ts';

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
const OWNERS = 10;
const SAMPLES_PER_OWNER = 10_000;
const REPETITIONS = 5;
/** Of each role's ciphertexts in the literal protocol, so many are worked on and the rest is extrapolated. */
const LITERAL_SAMPLE = 12;
const LITERAL_ADDITIONS = 500;
/** Rows that are summed before the clock starts: their number changes the values, not the work. */
const ROWS = 200;

const EXPLANATION = `Bounds: ${OWNERS} owners, ${SAMPLES_PER_OWNER} rows each, 14 fraction bits, 40 bits of statistical security.
Literal: one ciphertext for each value of the full R, of V and Q (d² + d + 1), paillier-bigint with g = n + 1, negative values
mod n; ${LITERAL_SAMPLE} ciphertexts spread over the values are timed per repetition (${LITERAL_ADDITIONS} additions) and scaled to all of
them; --full times all. Owner: packing, encryption and encoding, with the set-up for the key (the table of DJN too). User: reading
the ciphertexts of one contribution from bytes and adding them, both sides. CSP: decryption and reading the slots, with its
set-up for the key. Summing the rows is left out on both sides. Medians of ${REPETITIONS} interleaved repetitions.`;

const pool = new PaillierPool({ threads: 0 });

function taskOf(d: number, keyBits: number): StatisticsTask {
  return {
    method: { kind: 'pca' },
    features: Array.from({ length: d }, (_, i) => ({ name: `f${i}`, min: -1, max: 1 })),
    labellings: [],
    fractionBits: 14,
    maximumOwners: OWNERS,
    maximumSamplesPerOwner: SAMPLES_PER_OWNER,
    keyBits,
    statisticalSecurityBits: 40,
  };
}

/** Statistics of pseudo-random rows around zero, so that values of both signs occur. */
function exampleStatistics(task: StatisticsTask): Statistics {
  const accumulator = new StatisticsAccumulator(task);
  let state = 1;
  const next = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.round((state / 2 ** 32 - 0.5) * 2 ** (task.fractionBits + 1));
  };
  for (let row = 0; row < ROWS; row += 1) accumulator.add(Int32Array.from(task.features, next), []);
  return accumulator.statistics();
}

/** The values that the literal protocol encrypts one by one: the full symmetric R, then V and Q. */
function literalValues({ R, labellings }: Statistics, d: number): bigint[] {
  const upper = (i: number, j: number) => R[i * d - (i * (i - 1)) / 2 + (j - i)]!;
  const full = Array.from({ length: d * d }, (_, at) => {
    const [i, j] = [Math.floor(at / d), at % d];
    return upper(Math.min(i, j), Math.max(i, j));
  });
  const [{ V, M }] = labellings[0]! as readonly [{ V: readonly bigint[]; M: bigint }];
  return [...full, ...V, M];
}

/** Evenly spread, so that the sample has the shares of negative and positive values that the whole has. */
function spread<T>(values: readonly T[], count: number): T[] {
  return Array.from({ length: count }, (_, i) => values[Math.floor(((i + 0.5) * values.length) / count)]!);
}

async function measure(d: number, keyBits: number, full: boolean): Promise<Row[]> {
  const task = taskOf(d, keyBits);
  const packing = layout(task);
  const statistics = exampleStatistics(task);
  const values = flatten(task, statistics);
  const literal = literalValues(statistics, d);
  const sample = full ? literal : spread(literal, Math.min(LITERAL_SAMPLE, literal.length));
  const literalScale = literal.length / sample.length;

  const keys: SecretKey[] = [];
  for (let i = 0; i <= REPETITIONS; i += 1) {
    keys.push(await pool.generateKeyPair({ bits: keyBits, scheme: 'djn', allowInsecureKey: true }));
  }
  const publicKeyOf = (i: number) => keys[i]!.publicKey;
  const theirs = keys.map(({ p, q, publicKey: { n } }) => {
    const publicKey = new paillierBigint.PublicKey(n, n + 1n);
    const lambda = (p - 1n) * (q - 1n);
    return {
      publicKey,
      privateKey: new paillierBigint.PrivateKey(lambda, modInv(lambda, n), publicKey, p, q),
    };
  });

  const theirCiphertexts: bigint[][] = [];
  const contributions: Uint8Array[] = [];
  const contribute = async (i: number, scheme: EncryptionScheme) => {
    const publicKey = publicKeyOf(i);
    const ciphertexts = await pool.encrypt(publicKey, pack(publicKey, packing, values), scheme);
    contributions[i] = encodeCiphertexts(publicKey, ciphertexts);
  };
  const owner = await interleavedMedians(
    {
      literal: {
        run: (i) => {
          const { publicKey } = theirs[i]!;
          theirCiphertexts[i] = sample.map((value) =>
            publicKey.encrypt(value < 0n ? value + publicKey.n : value),
          );
        },
      },
      standard: { run: (i) => contribute(i, 'standard') },
      djn: { run: (i) => contribute(i, 'djn') },
    },
    REPETITIONS,
  );

  const aggregates = await Promise.all(
    contributions.map((bytes, i) => pool.decode(publicKeyOf(i), bytes, packing.plaintexts.length)),
  );
  const theirBytes = theirCiphertexts.map((list, i) =>
    list.map((c) => encodeCiphertexts(publicKeyOf(i), [c as Ciphertext])),
  );
  const additions = Math.max(LITERAL_ADDITIONS, sample.length);
  const user = await interleavedMedians(
    {
      literal: {
        run: (i) => {
          const { publicKey } = theirs[i]!;
          const received = theirBytes[i]!;
          let sum = theirCiphertexts[i]![0]!;
          for (let k = 0; k < additions; k += 1) {
            const bytes = received[k % received.length]!;
            sum = publicKey.addition(
              sum,
              BigInt(`0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')}`),
            );
          }
        },
      },
      eigenveil: { run: (i) => pool.aggregate(publicKeyOf(i), aggregates[i]!, [contributions[i]!]) },
      validated: {
        run: async (i) => {
          await pool.decode(publicKeyOf(i), contributions[i]!, packing.plaintexts.length);
          await pool.aggregate(publicKeyOf(i), aggregates[i]!, [contributions[i]!]);
        },
      },
    },
    REPETITIONS,
  );

  const blinded = await Promise.all(
    aggregates.map(async (aggregate, i) => {
      const publicKey = publicKeyOf(i);
      const blinding = await pool.encrypt(
        publicKey,
        packBlinding(publicKey, packing, drawBlinding(packing)),
        'standard',
      );
      return aggregate.map((ciphertext, at) => add(publicKey, ciphertext, blinding[at]!));
    }),
  );
  const csp = await interleavedMedians(
    {
      literal: {
        run: (i) => {
          for (const ciphertext of theirCiphertexts[i]!) theirs[i]!.privateKey.decrypt(ciphertext);
        },
      },
      eigenveil: { run: async (i) => unpackBlinded(packing, await pool.decrypt(keys[i]!, blinded[i]!)) },
    },
    REPETITIONS,
  );

  const row = (role: Row['role'], scheme: EncryptionScheme, literalMs: number, eigenveilMs: number): Row => ({
    features: d,
    keyBits,
    role,
    scheme,
    literalMs,
    eigenveilMs,
    ratio: literalMs / eigenveilMs,
  });
  const literalUser = (user.literal / additions) * literal.length;
  const validated = { eigenveilValidatedMs: user.validated, ratioValidated: literalUser / user.validated };
  return [
    row('owner', 'standard', owner.literal * literalScale, owner.standard),
    row('owner', 'djn', owner.literal * literalScale, owner.djn),
    { ...row('user', 'standard', literalUser, user.eigenveil), ...validated },
    row('csp', 'standard', csp.literal * literalScale, csp.eigenveil),
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
      formatMilliseconds(row.literalMs),
      formatMilliseconds(row.eigenveilMs),
      formatRatio(row.ratio),
      validated === undefined ? '' : `${formatMilliseconds(validated)}, ${formatRatio(ratioValidated!)}`,
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
await pool.close();
process.stdout.write(options.json ? `${JSON.stringify({ rows })}\n` : `${render(rows)}\n${EXPLANATION}\n`);
