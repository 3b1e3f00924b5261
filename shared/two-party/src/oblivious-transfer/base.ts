/**
 * Base oblivious transfer of random 16-byte keys over P-256, secure against semi-honest parties.
 *
 * The receiver with choice bit c sends two points: P_c = a·G, whose discrete logarithm a it knows, and P_(1−c), which it
 * draws directly as a point, without its logarithm. The sender answers with one ephemeral B = b·G for all pairs; the
 * keys are k_j = SHA-256(domain, transcript, i, j, x(b·P_j)), and the receiver computes k_c from x(a·B). It is
 * oblivious transfer from public keys that can be sampled obliviously (Even, Goldreich, Lempel, CACM 1985; Gertner,
 * Kannan, Malkin, Reingold, Viswanathan, FOCS 2000, section 4) with hashed ElGamal, and needs no addition of points,
 * which node:crypto does not offer.
 *
 * - The sender learns nothing, unconditionally. a is uniform in [1, n), so P_c is a uniform point other than the
 *   identity. P_(1−c) is drawn by trying uniform x in [0, 2^256) and a uniform sign until they encode a point: each of
 *   the n − 1 points other than the identity has exactly one encoding (P-256 has no point with y = 0: its order is an
 *   odd prime), so it is uniform as well. Both orders of the pair have the same distribution.
 * - The receiver's other keys look random to it under the decisional Diffie-Hellman assumption in P-256, with SHA-256 as
 *   a random oracle or an extractor of the shared x. Its whole view is (P, B) and how P was drawn, which can be
 *   simulated from P: draw failed tries as usual, then the encoding of P. Given a challenge (P, B, Z), the further pairs
 *   that share B are (P + r·G, Z + r·B) by random self-reduction, so that all 128 cost no more than one.
 * - Sampling obliviously is what the semi-honest model grants. A receiver that knows both logarithms learns both keys.
 */
import { createECDH, createHash, ECDH } from 'node:crypto';
import type { MessageStream } from '../channel/message-stream.ts';
import { TwoPartyError } from '../errors.ts';
import { OT_MESSAGE } from './message-types.ts';
import type { RandomSource } from './randomness.ts';

export const BASE_COUNT = 128;
export const KEY_BYTES = 16;

const CURVE = 'prime256v1';
const SCALAR_BYTES = 32;
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
/** Points travel uncompressed, since decompressing one costs a square root. */
const POINT_BYTES = 65;
const UNCOMPRESSED = 4;
const TRANSCRIPT_DOMAIN = 'eigenveil base OT transcript v1';
const KEY_DOMAIN = 'eigenveil base OT key v1';

/**
 * Receives the key that each of 128 choice bits selects (bit i is bit i mod 8 of byte ⌊i/8⌋ of `choices`). Throws
 * ERR_OT_POINT when the sender's point is none, and the errors of the stream.
 */
export async function receiveBaseKeys(
  stream: MessageStream,
  choices: Uint8Array,
  random: RandomSource,
): Promise<Uint8Array[]> {
  const scalars: Buffer[] = [];
  const points = Buffer.alloc(2 * BASE_COUNT * POINT_BYTES);
  const ecdh = createECDH(CURVE);
  for (let i = 0; i < BASE_COUNT; i += 1) {
    const scalar = drawScalar(random);
    scalars.push(scalar);
    ecdh.setPrivateKey(scalar);
    const own = ecdh.getPublicKey();
    const other = drawPoint(random);
    const choice = bitAt(choices, i);
    own.copy(points, (2 * i + choice) * POINT_BYTES);
    other.copy(points, (2 * i + 1 - choice) * POINT_BYTES);
  }
  stream.write(OT_MESSAGE.publicKeys, points);
  const ephemeral = await stream.read(OT_MESSAGE.ephemeralKey, POINT_BYTES);
  const transcript = transcriptOf(points, ephemeral);
  return scalars.map((scalar, i) => {
    ecdh.setPrivateKey(scalar);
    return keyOf(transcript, i, bitAt(choices, i), sharedX(ecdh, ephemeral, 'ephemeral key'));
  });
}

/** Sends, that is: both keys of each of 128 pairs. Throws ERR_OT_POINT and the errors of the stream. */
export async function sendBaseKeys(
  stream: MessageStream,
  random: RandomSource,
): Promise<[Uint8Array, Uint8Array][]> {
  const points = await stream.read(OT_MESSAGE.publicKeys, 2 * BASE_COUNT * POINT_BYTES);
  const ecdh = createECDH(CURVE);
  ecdh.setPrivateKey(drawScalar(random));
  const ephemeral = ecdh.getPublicKey();
  const transcript = transcriptOf(points, ephemeral);
  const key = (i: number, bit: 0 | 1) => {
    const start = (2 * i + bit) * POINT_BYTES;
    const point = points.subarray(start, start + POINT_BYTES);
    return keyOf(transcript, i, bit, sharedX(ecdh, point, `public key ${2 * i + bit}`));
  };
  const keys = Array.from({ length: BASE_COUNT }, (_, i): [Uint8Array, Uint8Array] => [key(i, 0), key(i, 1)]);
  stream.write(OT_MESSAGE.ephemeralKey, ephemeral);
  await stream.flush();
  return keys;
}

/** A uniform scalar in [1, n). */
function drawScalar(random: RandomSource): Buffer {
  for (;;) {
    const scalar = Buffer.from(random(SCALAR_BYTES));
    const value = BigInt(`0x${scalar.toString('hex')}`);
    if (value > 0n && value < ORDER) return scalar;
  }
}

/** A uniform point, not the identity, whose discrete logarithm nobody learns; two tries on average. */
function drawPoint(random: RandomSource): Buffer {
  for (;;) {
    const compressed = Buffer.from(random(1 + SCALAR_BYTES));
    compressed[0] = 2 + (compressed[0]! & 1);
    try {
      return ECDH.convertKey(compressed, CURVE, undefined, undefined, 'uncompressed') as Buffer;
    } catch {
      // x is no abscissa of the curve, or not below the field's prime
    }
  }
}

/** The abscissa of private key × point. OpenSSL refuses what is not on the curve, whose cofactor is 1. */
function sharedX(ecdh: ECDH, point: Uint8Array, what: string): Buffer {
  // OpenSSL also reads compressed and hybrid encodings, and the identity: a point shall have one encoding.
  if (point.length !== POINT_BYTES || point[0] !== UNCOMPRESSED) {
    throw new TwoPartyError('ERR_OT_POINT', `"${what}" expected an uncompressed point of P-256`);
  }
  try {
    return ecdh.computeSecret(point);
  } catch (error) {
    throw new TwoPartyError('ERR_OT_POINT', `"${what}" expected a point of P-256`, { cause: error });
  }
}

/** Binds the keys to every byte that was exchanged. */
function transcriptOf(points: Uint8Array, ephemeral: Uint8Array): Buffer {
  return createHash('sha256').update(TRANSCRIPT_DOMAIN).update(points).update(ephemeral).digest();
}

function keyOf(transcript: Buffer, index: number, bit: 0 | 1, shared: Buffer): Uint8Array {
  const place = Uint8Array.of(index, bit);
  const digest = createHash('sha256')
    .update(KEY_DOMAIN)
    .update(transcript)
    .update(place)
    .update(shared)
    .digest();
  return digest.subarray(0, KEY_BYTES);
}

export function bitAt(bits: Uint8Array, index: number): 0 | 1 {
  return ((bits[index >> 3]! >> (index & 7)) & 1) as 0 | 1;
}
