/** `npm run bench:paillier`: @eigenveil/paillier against paillier-bigint, in one run on one thread. */

import {
  type Ciphertext,
  encodeCiphertexts,
  makePacking,
  PaillierPool,
  pack,
  type SecretKey,
} from '@eigenveil/paillier';
import { measureEach } from '@eigenveil/studies/instrument/cases';
import { interleavedMedians } from '@eigenveil/studies/instrument/measure';
import { formatQuantity, formatRatio } from '@eigenveil/studies/instrument/quantities';
import { figures, renderTable, words } from '@eigenveil/studies/instrument/table';
import * as paillierBigint from 'paillier-bigint';
import { benchmark, printJson, someOf } from './options.ts';

type Operation =
  | 'generate key (standard)'
  | 'generate key (DJN)'
  | 'encrypt (standard)'
  | 'encrypt (DJN)'
  | 'add'
  | 'decrypt';

/** Times are per key or per ciphertext; those per value follow from the packing, and keys have none. */
interface Row {
  keyBits: number;
  operation: Operation;
  paillierBigintMs: number;
  eigenveilMs: number;
  ratio: number;
  valuesPerCiphertext?: number;
  eigenveilPerValueMs?: number;
  ratioPerValue?: number;
}

/** What one owner sends in a task of 50 features, 10 owners and 10,000 rows each, 14 fraction bits: R, V, Q, owners. */
const VALUE_BITS = [...new Array<number>(1275).fill(46), ...new Array<number>(50).fill(32), 18, 5];
const KEY_BITS = [1024, 2048, 3072, 4096];
const REPETITIONS = 5;
/** The largest values of 46 bits: positive, since paillier-bigint takes half as long again for negative ones. */
const THEIR_VALUES = [(1n << 45n) - 1n, (1n << 45n) - 2n];
/** At least so many additions are timed together: one takes microseconds. */
const ADDITIONS = 500;

const EXPLANATION = `Medians of ${REPETITIONS} repetitions on one thread, the contestants taking turns with fresh keys.
Per ciphertext: paillier-bigint with g = n + 1 encrypts positive values of 45 bits, its fastest case. Eigenveil encrypts
one owner's whole contribution, its set-up for the key and the DJN table included; what the values are does not matter.
Addition includes reading Eigenveil's ciphertexts from bytes, and decryption its set-up for the key.
Per value: paillier-bigint holds one value in a ciphertext. Eigenveil packs 50 features' statistics (1275 values of 46
bits, 50 of 32, one of 18, one of 5; 40 bits of statistical security) into as few ciphertexts as they need.`;

const pool = new PaillierPool({ threads: 0 });

/** What one repetition works on. Each, the warm-up included, has keys of its own and pays for their tables. */
interface Work {
  key: SecretKey;
  theirs: paillierBigint.KeyPair;
  plaintexts: bigint[];
  encrypted: Ciphertext[];
  theirEncrypted: bigint[];
  contributions: Uint8Array[];
}

async function measureKeyBits(keyBits: number): Promise<Row[]> {
  const options = { bits: keyBits, allowInsecureKey: true };
  const packing = makePacking({
    valueBits: VALUE_BITS,
    statisticalSecurityBits: 40,
    plaintextBits: keyBits - 1,
  });
  const values = VALUE_BITS.map((bits, i) => (i % 2 === 0 ? 1n : -1n) * ((1n << BigInt(bits - 1)) - 1n));
  const count = packing.plaintexts.length;
  const rounds = Math.ceil(ADDITIONS / count);

  const keys: SecretKey[] = [];
  const theirKeys: paillierBigint.KeyPair[] = [];
  const generating = await interleavedMedians(
    {
      theirs: { run: async (i) => (theirKeys[i] = await paillierBigint.generateRandomKeys(keyBits, true)) },
      standard: { run: () => pool.generateKeyPair({ ...options, scheme: 'standard' }) },
      djn: { run: async (i) => (keys[i] = await pool.generateKeyPair({ ...options, scheme: 'djn' })) },
    },
    REPETITIONS,
  );

  const work = keys.map((key, i): Work => {
    const plaintexts = pack(key.publicKey, packing, values);
    return { key, theirs: theirKeys[i]!, plaintexts, encrypted: [], theirEncrypted: [], contributions: [] };
  });
  const at = (i: number) => work[i]!;
  const encrypting = await interleavedMedians(
    {
      theirs: {
        run: (i) => {
          at(i).theirEncrypted = THEIR_VALUES.map((value) => at(i).theirs.publicKey.encrypt(value));
        },
      },
      standard: {
        run: async (i) => {
          at(i).encrypted = await pool.encrypt(at(i).key.publicKey, at(i).plaintexts, 'standard');
        },
      },
      djn: { run: (i) => pool.encrypt(at(i).key.publicKey, at(i).plaintexts, 'djn') },
    },
    REPETITIONS,
  );

  const computing = await interleavedMedians(
    {
      theirAdd: {
        run: (i) => {
          const { publicKey } = at(i).theirs;
          const [a, b] = at(i).theirEncrypted;
          let sum = a!;
          for (let k = 0; k < rounds * count; k += 1) sum = publicKey.addition(sum, b!);
        },
      },
      add: {
        prepare: (i) => {
          const contribution = encodeCiphertexts(at(i).key.publicKey, at(i).encrypted);
          at(i).contributions = new Array<Uint8Array>(rounds).fill(contribution);
        },
        run: (i) => pool.aggregate(at(i).key.publicKey, at(i).encrypted, at(i).contributions),
      },
      theirDecrypt: {
        run: (i) => {
          for (const ciphertext of at(i).theirEncrypted) at(i).theirs.privateKey.decrypt(ciphertext);
        },
      },
      decrypt: { run: (i) => pool.decrypt(at(i).key, at(i).encrypted) },
    },
    REPETITIONS,
  );

  const valuesPerCiphertext = VALUE_BITS.length / count;
  const row = (operation: Operation, paillierBigintMs: number, eigenveilMs: number): Row => {
    const ratio = paillierBigintMs / eigenveilMs;
    const row = { keyBits, operation, paillierBigintMs, eigenveilMs, ratio };
    if (operation.startsWith('generate')) return row;
    return {
      ...row,
      valuesPerCiphertext,
      eigenveilPerValueMs: eigenveilMs / valuesPerCiphertext,
      ratioPerValue: ratio * valuesPerCiphertext,
    };
  };
  const theirEncrypt = encrypting.theirs / THEIR_VALUES.length;
  return [
    row('generate key (standard)', generating.theirs, generating.standard),
    row('generate key (DJN)', generating.theirs, generating.djn),
    row('encrypt (standard)', theirEncrypt, encrypting.standard / count),
    row('encrypt (DJN)', theirEncrypt, encrypting.djn / count),
    row('add', computing.theirAdd / (rounds * count), computing.add / (rounds * count)),
    row('decrypt', computing.theirDecrypt / THEIR_VALUES.length, computing.decrypt / count),
  ];
}

function render(rows: readonly Row[]): string {
  return renderTable(rows, [
    figures('bits', (row) => row.keyBits),
    words('operation', (row) => row.operation),
    figures('paillier-bigint', (row) => formatQuantity(row.paillierBigintMs, 'ms')),
    figures('eigenveil', (row) => formatQuantity(row.eigenveilMs, 'ms')),
    figures('ratio', (row) => formatRatio(row.ratio)),
    figures('values', (row) => row.valuesPerCiphertext?.toFixed(1) ?? ''),
    figures('per value', ({ eigenveilPerValueMs: perValue }) =>
      perValue === undefined ? '' : formatQuantity(perValue, 'ms'),
    ),
    figures('ratio per value', ({ ratioPerValue: ratio }) => (ratio === undefined ? '' : formatRatio(ratio))),
  ]);
}

const { bits: bitsWanted, json } = benchmark({
  name: 'bench:paillier',
  description:
    'Times @eigenveil/paillier against paillier-bigint: key generation, encryption, addition, decryption.',
  explanation: EXPLANATION,
  example: '--bits 1024,2048',
})
  .option('--bits <list>', 'key lengths, separated by commas', someOf(KEY_BITS, Number), KEY_BITS)
  .parse()
  .opts<{ bits: number[]; json?: true }>();

const rows = await measureEach(bitsWanted, (keyBits) => `${keyBits} bits`, measureKeyBits);
await pool.close();
if (json) await printJson({ rows });
else console.log(`${render(rows)}\n${EXPLANATION}`);
