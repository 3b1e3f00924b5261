/** @eigenveil/paillier against paillier-bigint, in one run on one thread. */
import {
  type Ciphertext,
  encodeCiphertexts,
  makePacking,
  type Packing,
  PaillierPool,
  pack,
  type SecretKey,
} from '@eigenveil/paillier';
import * as paillierBigint from 'paillier-bigint';
import { median, only, ratio, where } from '../instrument/figure.ts';
import { interleavedSamples } from '../instrument/measure.ts';
import { setting, someOf } from '../instrument/settings.ts';
import { defineStudy } from '../instrument/study.ts';
import type { Tidy } from '../instrument/tidy.ts';

/** The numbers that one owner sends in a task of 50 features, 10 owners and 10,000 rows each, 14 fraction bits: R, V, Q, owners. */
const VALUE_BITS = [...new Array<number>(1275).fill(46), ...new Array<number>(50).fill(32), 18, 5];
const KEY_BITS = [1024, 2048, 3072, 4096];
const REPETITIONS = 5;
/** The largest values of 46 bits: positive, since paillier-bigint takes half as long again for negative ones. */
const THEIR_VALUES = [(1n << 45n) - 1n, (1n << 45n) - 2n];
/** At least this number of additions are timed together: one takes microseconds. */
const ADDITIONS = 500;

const LENGTHS = setting({
  name: 'bits',
  says: 'key lengths, separated by commas',
  parse: someOf(KEY_BITS, Number),
  quick: [1024],
  full: KEY_BITS,
});

/** The material that one repetition works on. Each, the warm-up included, has keys of its own and pays for their tables. */
interface Work {
  readonly key: SecretKey;
  readonly theirs: paillierBigint.KeyPair;
  readonly plaintexts: bigint[];
  encrypted: Ciphertext[];
  theirEncrypted: bigint[];
  contributions: Uint8Array[];
}

const packingFor = (keyBits: number): Packing =>
  makePacking({ valueBits: VALUE_BITS, statisticalSecurityBits: 40, plaintextBits: keyBits - 1 });

/** Keys of both for every repetition, and what making them took. */
async function generated(pool: PaillierPool, keyBits: number) {
  const options = { bits: keyBits, allowInsecureKey: true };
  const keys: SecretKey[] = [];
  const theirKeys: paillierBigint.KeyPair[] = [];
  const times = await interleavedSamples(
    {
      theirs: { run: async (i) => (theirKeys[i] = await paillierBigint.generateRandomKeys(keyBits, true)) },
      standard: { run: () => pool.generateKeyPair({ ...options, scheme: 'standard' }) },
      djn: { run: async (i) => (keys[i] = await pool.generateKeyPair({ ...options, scheme: 'djn' })) },
    },
    REPETITIONS,
  );
  return { keys, theirKeys, times };
}

async function encrypted(pool: PaillierPool, at: (i: number) => Work) {
  return interleavedSamples(
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
}

async function addedAndDecrypted(pool: PaillierPool, at: (i: number) => Work, additions: number) {
  return interleavedSamples(
    {
      theirAdd: {
        run: (i) => {
          const { publicKey } = at(i).theirs;
          const [a, b] = at(i).theirEncrypted;
          let sum = a!;
          for (let k = 0; k < additions; k += 1) sum = publicKey.addition(sum, b!);
        },
      },
      add: {
        prepare: (i) => {
          const contribution = encodeCiphertexts(at(i).key.publicKey, at(i).encrypted);
          const rounds = additions / at(i).encrypted.length;
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
}

const theirs = where({ library: 'paillier-bigint' }, median('ms', { unit: 'ms' }));
const ours = (column: string) => where({ library: 'eigenveil' }, median(column, { unit: 'ms' }));
const [THEIRS, OURS] = [{ library: 'paillier-bigint' }, { library: 'eigenveil' }];

export const paillier = defineStudy({
  id: 'speed/paillier',
  isApart: true,
  settings: [LENGTHS],
  plan: (asked) => {
    return { cases: asked.settings.of(LENGTHS).map((keyBits) => ({ keyBits, repetitions: REPETITIONS })) };
  },
  titleOf: ({ keyBits }) => `${keyBits} bits`,
  expectedSeconds: ({ keyBits }) => 8 * (keyBits / 1024) ** 3,
  async *measure({ keyBits }): AsyncGenerator<Tidy> {
    const pool = new PaillierPool({ threads: 0 });
    try {
      const packing = packingFor(keyBits);
      const count = packing.plaintexts.length;
      const values = VALUE_BITS.map((bits, i) => (i % 2 === 0 ? 1n : -1n) * ((1n << BigInt(bits - 1)) - 1n));
      const { keys, theirKeys, times: generating } = await generated(pool, keyBits);
      const work = keys.map((key, i): Work => {
        const plaintexts = pack(key.publicKey, packing, values);
        return {
          key,
          theirs: theirKeys[i]!,
          plaintexts,
          encrypted: [],
          theirEncrypted: [],
          contributions: [],
        };
      });
      const at = (i: number) => work[i]!;
      const encrypting = await encrypted(pool, at);
      const additions = Math.ceil(ADDITIONS / count) * count;
      const computing = await addedAndDecrypted(pool, at, additions);
      const perCiphertext = VALUE_BITS.length / count;
      yield* pairs('generate key (standard)', generating.theirs, generating.standard);
      yield* pairs('generate key (DJN)', generating.theirs, generating.djn);
      for (const [operation, their, own] of [
        [
          'encrypt (standard)',
          each(encrypting.theirs, THEIR_VALUES.length),
          each(encrypting.standard, count),
        ],
        ['encrypt (DJN)', each(encrypting.theirs, THEIR_VALUES.length), each(encrypting.djn, count)],
        ['add', each(computing.theirAdd, additions), each(computing.add, additions)],
        ['decrypt', each(computing.theirDecrypt, THEIR_VALUES.length), each(computing.decrypt, count)],
      ] as const)
        yield* pairs(operation, their, own, perCiphertext);
    } finally {
      await pool.close();
    }
  },
  columns: { keyBits: { title: 'bits' } },
  tables: {
    operations: {
      caption: 'Per key or per ciphertext, and per value that is packed into it',
      rows: ['keyBits', 'operation'],
      cells: {
        'paillier-bigint': theirs,
        eigenveil: ours('ms'),
        ratio: ratio('ms', THEIRS, OURS),
        values: where(OURS, only('values', { digits: 1 })),
        'per value': ours('perValue'),
        'ratio per value': ratio('perValue', THEIRS, OURS),
      },
    },
  },
  facts: { repetitions: { figure: only('repetitions') } },
  words: new URL('paillier.md', import.meta.url),
});

const each = (times: readonly number[], count: number): number[] => times.map((time) => time / count);

/** Each repetition has a record of either library: paillier-bigint holds one value in a ciphertext; keys hold none. */
function pairs(operation: string, their: readonly number[], own: readonly number[], values?: number): Tidy[] {
  return their.flatMap((ms, repetition) => [
    { operation, repetition, ...THEIRS, ms, ...(values && { values: 1, perValue: ms }) },
    {
      ...{ operation, repetition, ...OURS, ms: own[repetition]! },
      ...(values && { values, perValue: own[repetition]! / values }),
    },
  ]);
}
