/** The operations on secrets that are timed: through OpenSSL, in BigInts, and comparisons of credentials. */
import { randomBytes, randomInt } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import {
  type Ciphertext,
  decrypt,
  encrypt,
  generateKeyPair,
  makePacking,
  type PublicKey,
  pack,
  unpackBlinded,
} from '@eigenveil/paillier';
import { AdminToken, adminAuthenticator } from '@eigenveil/server';
import {
  EvaluatorSession,
  GarblerSession,
  MessageStream,
  memoryChannelPair,
  toRing,
} from '@eigenveil/two-party/insides';
import { wrongAt } from './controls.ts';
import { extremeKey, withBigintFallback } from './keys.ts';
import type { Class, Operation } from './measure.ts';
import { fresh, randomBigint } from './values.ts';

const KEY_BITS = 2048;
/** This number of random ciphertexts is used over and over: making one takes about as long as decrypting it. */
const POOL = 256;
/** Keys of each class; one would tell where its objects lie in memory rather than what it is. */
const KEYS = 4;

/** Values of 46 bits, as those of R in a task of some dozens of features: as many as one plaintext holds. */
const PACKING = makePacking({
  valueBits: new Array<number>(22).fill(46),
  statisticalSecurityBits: 40,
  plaintextBits: KEY_BITS - 1,
});
const WIDTHS = PACKING.plaintexts.at(0)!.map(({ width }) => width);
const PACKED_BITS = WIDTHS.reduce((sum, width) => sum + width, 0);
const INPUT_BITS = 128;

function draw<T>(count: number, make: () => T): T[] {
  return Array.from({ length: count }, make);
}

function pick<T>(items: readonly T[]): T {
  return items[randomInt(items.length)]!;
}

function encryptions(publicKey: PublicKey, count: number, plaintext: () => bigint): Ciphertext[] {
  return draw(count, () => encrypt(publicKey, plaintext(), 'djn'));
}

const anyPlaintext = () => randomBigint(KEY_BITS - 1);

async function djnKey() {
  return generateKeyPair({ bits: KEY_BITS, scheme: 'djn' });
}

/** The attacker chooses ciphertexts. Those of the first class are all one, or all of one plaintext. */
function decryption(classes: Operation['classes'], first: (publicKey: PublicKey) => Ciphertext[]): Operation {
  return {
    name: 'decryption (OpenSSL)',
    kind: 'operation',
    classes,
    slowness: 10,
    async open() {
      const key = await djnKey();
      const { publicKey } = key;
      const pools = [first(publicKey), encryptions(publicKey, POOL, anyPlaintext)] as const;
      return {
        prepare(which) {
          const ciphertext = fresh(pick(pools[which])) as Ciphertext;
          return () => decrypt(key, ciphertext);
        },
      };
    },
  };
}

/** The secret is the key. `within` is where each key is used for the first time, which settles its way of exponentiation. */
async function openKeys(within: (use: () => Promise<void>) => Promise<void>) {
  const keys = (['sparse', 'dense'] as const).map((density) =>
    draw(KEYS, () => {
      const key = extremeKey(density);
      const { publicKey } = key;
      return { key, ciphertexts: draw(POOL / KEYS, () => encrypt(publicKey, anyPlaintext(), 'standard')) };
    }),
  );
  await within(async () => {
    for (const { key, ciphertexts } of keys.flat()) decrypt(key, ciphertexts[0]!);
  });
  return {
    prepare(which: Class) {
      const { key, ciphertexts } = pick(keys[which]!);
      const ciphertext = fresh(pick(ciphertexts)) as Ciphertext;
      return () => decrypt(key, ciphertext);
    },
  };
}

/** The refusal is part of what is timed: it is all that a peer sees. */
function refused(use: () => unknown): void {
  try {
    use();
  } catch {
    return;
  }
  throw new Error('a wrong token expected to be refused');
}

const KEY_CLASSES = ['primes with few bits set', 'primes with nearly all'] as const;

export const OPERATIONS: readonly Operation[] = [
  decryption(['one ciphertext', 'random ciphertexts'], (publicKey) =>
    encryptions(publicKey, 1, anyPlaintext),
  ),
  decryption(['encryptions of zero', 'of random plaintexts'], (publicKey) =>
    encryptions(publicKey, POOL, () => 0n),
  ),
  {
    name: 'decryption (OpenSSL)',
    kind: 'operation',
    classes: KEY_CLASSES,
    slowness: 10,
    open: () => openKeys((use) => use()),
  },
  {
    name: 'decryption (--allow-bigint-fallback)',
    kind: 'operation',
    classes: KEY_CLASSES,
    slowness: 100,
    open: () => openKeys(withBigintFallback),
  },
  {
    name: 'unpacking a blinded plaintext (CSP)',
    kind: 'operation',
    classes: ['all slots small', 'random slots'],
    slowness: 1,
    async open() {
      return {
        prepare(which) {
          // The top bit is set in both: the blinded plaintext as a whole is as long as it can be.
          const rest = randomBigint(which === 0 ? 1 : PACKED_BITS - 1);
          const plaintext = fresh((1n << BigInt(PACKED_BITS - 1)) | rest);
          return () => unpackBlinded(PACKING, [plaintext]);
        },
      };
    },
  },
  {
    name: 'reduction to additive shares (toRing)',
    kind: 'operation',
    classes: ['values of one digit', 'values as long as blinding makes them'],
    slowness: 1,
    async open() {
      return {
        prepare(which) {
          const values = WIDTHS.map((width) => randomBigint(which === 0 ? 40 : width));
          return () => toRing(PACKING.valueBits, values);
        },
      };
    },
  },
  {
    name: "labels of the garbler's input bits",
    kind: 'operation',
    classes: ['all bits 0', 'all bits 1'],
    slowness: 5,
    async open() {
      const [left, right] = memoryChannelPair();
      const [garbler, evaluator] = await Promise.all([
        GarblerSession.open(new MessageStream(left)),
        EvaluatorSession.open(new MessageStream(right)),
      ]);
      return {
        prepare(which) {
          const bits = new Uint8Array(INPUT_BITS).fill(which);
          return () =>
            Promise.all([garbler.garblerInput(INPUT_BITS, bits), evaluator.garblerInput(INPUT_BITS)]);
        },
        close: () => void left.close(),
      };
    },
  },
  {
    name: 'encryption (djn, owner)',
    kind: 'operation',
    classes: ['zero', 'random plaintext'],
    slowness: 10,
    async open() {
      const { publicKey } = await djnKey();
      encryptions(publicKey, 1, anyPlaintext); // builds the table
      return {
        prepare(which) {
          const plaintext = fresh(which === 0 ? 0n : anyPlaintext());
          return () => encrypt(publicKey, plaintext, 'djn');
        },
      };
    },
  },
  {
    name: 'packing (owner)',
    kind: 'operation',
    classes: ['zeros', 'random values'],
    slowness: 1,
    async open() {
      const { publicKey } = await djnKey();
      return {
        prepare(which) {
          const values = PACKING.valueBits.map((bits) => (which === 0 ? 0n : randomBigint(bits - 1)));
          return () => pack(publicKey, PACKING, values);
        },
      };
    },
  },
  {
    name: "comparison of the operator's token",
    kind: 'operation',
    classes: ['wrong at the first character', 'wrong at the last'],
    slowness: 1,
    async open() {
      const token = randomBytes(32).toString('base64url');
      const { authenticate } = adminAuthenticator(new AdminToken(token));
      return {
        prepare(which) {
          const presented = wrongAt(token, which === 0 ? 0 : token.length - 1);
          const authorization = Buffer.from(`Bearer ${presented}`).toString('latin1');
          const request = { headers: { authorization } } as IncomingMessage;
          return () => refused(() => authenticate(request));
        },
      };
    },
  },
];
