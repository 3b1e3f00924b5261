/**
 * What a receiver gains that gives columns of other choice bits than the rest: a guess at bits of Δ, and no
 * second one in the session.
 *
 * @claims S-23, S-27, S-39, S-40
 */
import { createCipheriv } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { OT_MESSAGE } from '../../src/oblivious-transfer/base.ts';
import { CHECK_ROWS, challengeOf, linearHash } from '../../src/oblivious-transfer/consistency.ts';
import { systemRandomness } from '../../src/oblivious-transfer/randomness.ts';
import { type Deviation, deviatingSession } from '../support/deviating.ts';
import { sendChosen } from '../support/random-transfers.ts';
import { messagesOf } from '../support/views.ts';
import { session, xor } from './parties.ts';

const ROWS = 64;
const COLUMNS = 128;

const bit = (bytes: Uint8Array, i: number) => ((bytes[i >> 3]! >> (i & 7)) & 1) as 0 | 1;
const numberOf = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).toString('hex')}`);

type Session = Awaited<ReturnType<typeof deviatingSession>>;

/** Whether a block passes. The session goes on after one that does not, which no caller of the extension allows. */
async function passes({ sender, receiver }: Session, deviation: Deviation): Promise<boolean> {
  const [outcome] = await Promise.allSettled([sender.extend(ROWS), receiver.extend(ROWS, deviation)]);
  if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'ERR_OT_CHECK' });
  return outcome.status === 'fulfilled';
}

/** Multiplication in GF(2^128) bit by bit, as NIST SP 800-38D, section 6.3, writes it: the highest bit of a number is the coefficient of 1. */
function multiply(x: bigint, y: bigint): bigint {
  let product = 0n;
  let shifted = y;
  for (let i = 127n; i >= 0n; i -= 1n) {
    if ((x >> i) & 1n) product ^= shifted;
    shifted = shifted & 1n ? (shifted >> 1n) ^ (0xe1n << 120n) : shifted >> 1n;
  }
  return product;
}

/** Σ block_i · H^(n + 2 − i) for blocks 1 to n, the last one filled up with zeros. */
function slowHash(key: Uint8Array, bytes: Uint8Array): bigint {
  const H = numberOf(createCipheriv('aes-128-ecb', key, null).update(new Uint8Array(16)).subarray(0, 16));
  const blocks = Math.ceil(bytes.length / 16);
  const padded = Buffer.alloc(16 * blocks);
  padded.set(bytes);
  let sum = 0n;
  for (let i = 0; i < blocks; i += 1) sum = multiply(sum ^ numberOf(padded.subarray(16 * i, 16 * i + 16)), H);
  return multiply(sum, H);
}

describe('the hash of a column', () => {
  test('multiplies as in the example of the specification of GCM', () => {
    // McGrew, Viega, "The Galois/Counter Mode of Operation", test case 2: H, one block of ciphertext, its length, GHASH.
    const H = 0x66e94bd4ef8a2c3b884cfa59ca342b2en;
    const first = multiply(0x0388dace60b6a392f328c2b971b2fe78n, H);
    expect(first).toBe(0x5e2ec746917062882c85b0685353deb7n);
    expect(multiply(first ^ 0x80n, H)).toBe(0xf38cbb1ad69223dcc3457ae5b6b0f885n);
  });

  test('is the polynomial of its blocks in H, without length and mask', () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 200 });
    const key = fc.uint8Array({ minLength: 16, maxLength: 16 });
    fc.assert(
      fc.property(key, bytes, (k, column) => {
        expect(numberOf(linearHash(k, column.length)(column))).toBe(slowHash(k, column));
      }),
      { numRuns: 60 },
    );
    const [k, column] = [systemRandomness(16), systemRandomness(8208)];
    expect(numberOf(linearHash(k, column.length)(column))).toBe(slowHash(k, column));
  });

  test('is linear, and one to one in the choices of the check, which hide all others', () => {
    const length = (CHECK_ROWS + ROWS) / 8;
    const hash = linearHash(systemRandomness(16), length);
    const [a, b] = [systemRandomness(length), systemRandomness(length)];
    expect(xor(hash(a), hash(b)).equals(Buffer.from(hash(xor(a, b))))).toBe(true);
    // Gauss: 128 unit vectors have independent images.
    const basis: bigint[] = [];
    for (let i = 0; i < CHECK_ROWS; i += 1) {
      const unit = new Uint8Array(length);
      unit[i >> 3] = 1 << (i & 7);
      let image = numberOf(hash(unit));
      for (const known of basis) if ((image ^ known) < image) image ^= known;
      expect(image).not.toBe(0n);
      basis.push(image);
      basis.sort((x, y) => (x < y ? 1 : -1));
    }
  });

  test('is under a key that the base transfers, the place and every correction decide', () => {
    const [transcript, header, corrections] = [
      systemRandomness(32),
      systemRandomness(8),
      systemRandomness(500),
    ];
    const flipped = (bytes: Uint8Array, at: number) => bytes.map((byte, i) => (i === at ? byte ^ 1 : byte));
    const keys = [
      challengeOf(transcript, header, corrections),
      challengeOf(flipped(transcript, 31), header, corrections),
      challengeOf(transcript, flipped(header, 0), corrections),
      challengeOf(transcript, flipped(header, 7), corrections),
      ...[0, 250, 499].map((at) => challengeOf(transcript, header, flipped(corrections, at))),
    ];
    expect(keys.every(({ length }) => length === 16)).toBe(true);
    expect(new Set(keys.map((key) => Buffer.from(key).toString('hex'))).size).toBe(keys.length);
  });
});

describe('a receiver', () => {
  test('that does not deviate passes, block by block', async () => {
    const ends = await deviatingSession();
    for (let block = 0; block < 3; block += 1) expect(await passes(ends, {})).toBe(true);
  });

  const title =
    'that changes one bit of one column passes if and only if it has guessed the bit of Δ, whatever the column and the row';
  test(`${title}, in a ninth of the columns`, () => guessesOne(9));
  test(`${title}, in every column`, { tags: ['long'] }, () => guessesOne(1));

  async function guessesOne(step: number) {
    const ends = await deviatingSession();
    for (let j = 0; j < COLUMNS; j += step) {
      const row = (37 * j) % (CHECK_ROWS + ROWS);
      for (const guess of [0, 1] as const) {
        const deviation = { flips: new Map([[j, [row]]]), guesses: new Map([[j, guess]]) };
        expect([j, await passes(ends, deviation)]).toEqual([j, guess === bit(ends.delta, j)]);
      }
    }
  }

  test('that deviates in four columns passes with one of sixteen guesses, so a failure tells no more than that it was not that one', async () => {
    const ends = await deviatingSession();
    const columns = [3, 40, 77, 127];
    const flips = new Map(columns.map((j, n) => [j, [5 + n, 130 + n]]));
    const passed: number[] = [];
    for (let guess = 0; guess < 16; guess += 1) {
      const guesses = new Map(columns.map((j, n) => [j, ((guess >> n) & 1) as 0 | 1]));
      if (await passes(ends, { flips, guesses })) passed.push(guess);
    }
    expect(passed).toEqual([columns.reduce((sum, j, n) => sum + (bit(ends.delta, j) << n), 0)]);
  });

  test('that deviates in all columns but a few in the same way is one with other choices that deviates in the few', async () => {
    const ends = await deviatingSession();
    const [few, places] = [
      [9, 64],
      [1, 129, 150],
    ];
    const flips = new Map(Array.from({ length: COLUMNS }, (_, j) => [j, few.includes(j) ? [] : places]));
    const right = new Map(few.map((j) => [j, bit(ends.delta, j)]));
    const wrong = new Map(right).set(9, (1 - right.get(9)!) as 0 | 1);
    expect(await passes(ends, { flips, guesses: right, answered: places })).toBe(true);
    expect(await passes(ends, { flips, guesses: wrong, answered: places })).toBe(false);
    // With x̄ of the few's bits it would have to know Δ in all other columns.
    expect(await passes(ends, { flips, guesses: right })).toBe(false);
  });

  test('that deviates in half of the columns, as it takes to learn half of Δ, fails', async () => {
    const ends = await deviatingSession();
    const flips = new Map(Array.from({ length: COLUMNS / 2 }, (_, n) => [2 * n, [CHECK_ROWS + n]]));
    expect(await passes(ends, { flips })).toBe(false);
    const guesses = new Map([...flips.keys()].map((j) => [j, (systemRandomness(1)[0]! & 1) as 0 | 1]));
    expect(await passes(ends, { flips, guesses })).toBe(false);
  });

  test('that deviates in column 0 alone gains nothing: the lowest bit of Δ is 1, which everybody knows', async () => {
    const ends = await deviatingSession();
    const deviation = { flips: new Map([[0, [CHECK_ROWS]]]), guesses: new Map([[0, 1 as const]]) };
    expect(await passes(ends, deviation)).toBe(true);
  });

  test.each([
    ['x̄', 0],
    ['x̄', 15],
    ['the digest', 16],
    ['the digest', 47],
  ])('that changes a bit of %s fails, place %i', async (_, place) => {
    const ends = await deviatingSession();
    const respond = (response: Uint8Array) => response.map((byte, b) => (b === place ? byte ^ 0x10 : byte));
    expect(await passes(ends, { respond })).toBe(false);
  });

  test('with a response to nothing, or to another block, fails', async () => {
    const ends = await deviatingSession();
    expect(await passes(ends, { respond: (response) => new Uint8Array(response.length) })).toBe(false);
    let old = new Uint8Array(0);
    const keep = (response: Uint8Array) => {
      old = Uint8Array.from(response);
      return response;
    };
    expect(await passes(ends, { respond: keep })).toBe(true);
    expect(await passes(ends, { respond: () => old })).toBe(false);
  });

  test('that fails gets no byte of the sender after the block', async () => {
    const { sender, receiver, fromSender } = await deviatingSession();
    const messages = new Uint8Array(16 * ROWS);
    const flips = new Map([[0, [CHECK_ROWS]]]);
    const [outcome] = await Promise.allSettled([
      sendChosen(sender, messages, messages),
      receiver.extend(ROWS, { flips }),
    ]);
    expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'ERR_OT_CHECK' } });
    expect(messagesOf(fromSender).map(({ type }) => type)).toEqual([
      OT_MESSAGE.publicKeys,
      OT_MESSAGE.hashKeys,
    ]);
  });

  test('that fails in a later block keeps the sender from using that block, too', async () => {
    const ends = await deviatingSession();
    expect(await passes(ends, {})).toBe(true);
    const rows: Uint8Array[] = [];
    const reading = (async () => {
      for await (const block of ends.sender.blocks(ROWS)) rows.push(block.rows);
    })();
    const deviation = { flips: new Map([[0, [CHECK_ROWS]]]) };
    const [outcome] = await Promise.allSettled([reading, ends.receiver.extend(ROWS, deviation)]);
    expect(outcome.status).toBe('rejected');
    expect(rows).toEqual([]);
  });
});

test('x̄ of equal choices differs every time', async () => {
  const { sender, receiver, fromReceiver } = await session();
  const seen = new Set<string>();
  for (let run = 0; run < 20; run += 1) {
    await Promise.all([sender.extend(ROWS), receiver.extend(new Uint8Array(ROWS))]);
    const { payload } = messagesOf(fromReceiver).findLast(({ type }) => type === OT_MESSAGE.extensionCheck)!;
    seen.add(Buffer.from(payload.subarray(0, 16)).toString('hex'));
  }
  expect(seen.size).toBe(20);
});
