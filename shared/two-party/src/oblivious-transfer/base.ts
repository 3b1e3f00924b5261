/**
 * Base oblivious transfer of random 16-byte keys over P-256: Naor, Pinkas, "Efficient oblivious transfer
 * protocols" (SODA 2001, section 3), with a point C that is fixed. It holds against parties that deviate.
 *
 * The receiver with choice bit c draws P_c = a·G; the other point of the pair is C − P_c. It sends P_0, from
 * which the sender has P_1 = C − P_0. The sender answers with one ephemeral B = b·G for all pairs. The keys
 * are k_j = SHA-256(domain, transcript, i, j, x(b·P_j)); the receiver computes k_c from x(a·B).
 *
 * The sender learns nothing, unconditionally. The receiver gets at most one key of a pair. Assumptions:
 * computational Diffie-Hellman in P-256, with SHA-256 as a random oracle; nobody knows the logarithm of C,
 * the hash of a name (p256.ts). We claim no simulation. Why: docs/arguments/primitives.md, "Base transfers".
 */
import { createECDH, createHash, type ECDH } from 'node:crypto';
import { CodedError } from '@eigenveil/platform';
import type { MessageStream } from '../channel/message-stream.ts';
import { TWO_PARTY_CODES } from '../codes.ts';
import { CURVE, differences, hashedPoint, ORDER, POINT_BYTES, SCALAR_BYTES, UNCOMPRESSED } from './p256.ts';
import type { RandomSource } from './randomness.ts';

/** The types of this room's messages in a MessageStream: 0x10 to 0x1f belong to it. */
export const OT_MESSAGE = {
  publicKeys: 0x10,
  ephemeralKey: 0x11,
  extensionHeader: 0x12,
  extension: 0x13,
  hashKeys: 0x14,
  corrections: 0x15,
  maskedMessages: 0x16,
  extensionCheck: 0x17,
} as const;

export const BASE_COUNT = 128;
export const BASE_KEY_BYTES = 16;

const TRANSCRIPT_DOMAIN = 'eigenveil base OT transcript v2';
const KEY_DOMAIN = 'eigenveil base OT key v2';

/** C: both points of a pair add up to it. */
const SUM = hashedPoint('eigenveil base OT sum v2');

/** The keys of one end after the base transfers. */
export interface BaseTransfers<Keys> {
  readonly keys: readonly Keys[];
  /** A digest of every byte that was exchanged. */
  readonly transcript: Uint8Array;
}

/**
 * Receives the key that each of 128 choice bits selects (bit i is bit i mod 8 of byte ⌊i/8⌋ of `choices`).
 * @throws ERR_OT_POINT when the sender's point is none, and as the stream
 */
export async function receiveBaseKeys(
  stream: MessageStream,
  choices: Uint8Array,
  random: RandomSource,
): Promise<BaseTransfers<Uint8Array>> {
  const ecdh = createECDH(CURVE);
  const scalars = Array.from({ length: BASE_COUNT }, () => drawScalar(random));
  const own = scalars.map((scalar) => {
    ecdh.setPrivateKey(scalar);
    return ecdh.getPublicKey();
  });
  const points = new Uint8Array(BASE_COUNT * POINT_BYTES);
  for (const [i, other] of othersOf(own).entries()) {
    const mask = -bitAt(choices, i);
    for (let b = 0; b < POINT_BYTES; b += 1) {
      points[i * POINT_BYTES + b] = own[i]![b]! ^ (mask & (own[i]![b]! ^ other[b]!));
    }
  }
  stream.write(OT_MESSAGE.publicKeys, points);

  const ephemeral = await stream.read(OT_MESSAGE.ephemeralKey, POINT_BYTES);
  const transcript = transcriptOf(points, ephemeral);
  const keys = scalars.map((scalar, i) => {
    ecdh.setPrivateKey(scalar);
    return keyOf(transcript, i, bitAt(choices, i), sharedX(ecdh, ephemeral, 'ephemeral key'));
  });
  return { keys, transcript };
}

/**
 * Sends, that is: both keys of each of 128 pairs.
 * @throws ERR_OT_POINT and the errors of the stream
 */
export async function sendBaseKeys(
  stream: MessageStream,
  random: RandomSource,
): Promise<BaseTransfers<[Uint8Array, Uint8Array]>> {
  const points = await stream.read(OT_MESSAGE.publicKeys, BASE_COUNT * POINT_BYTES);
  const ecdh = createECDH(CURVE);
  ecdh.setPrivateKey(drawScalar(random));
  const ephemeral = ecdh.getPublicKey();
  const transcript = transcriptOf(points, ephemeral);
  const zeros = Array.from({ length: BASE_COUNT }, (_, i) =>
    points.subarray(i * POINT_BYTES, (i + 1) * POINT_BYTES),
  );
  const keysOf = (ofPair: readonly Uint8Array[], bit: 0 | 1) =>
    ofPair.map((point, i) => keyOf(transcript, i, bit, sharedX(ecdh, point, `public key ${i}`)));
  const zeroKeys = keysOf(zeros, 0); // which also checks the points, from which the others follow
  const oneKeys = keysOf(othersOf(zeros), 1);
  stream.write(OT_MESSAGE.ephemeralKey, ephemeral);
  await stream.flush();
  return { keys: zeroKeys.map((key, i) => [key, oneKeys[i]!]), transcript };
}

/** The other point of each pair. */
function othersOf(points: readonly Uint8Array[]): Uint8Array[] {
  const others = differences(SUM, points);
  if (others === undefined) {
    throw new CodedError(
      TWO_PARTY_CODES.ERR_OT_POINT,
      '"public keys" expected another abscissa than that of their sum',
    );
  }
  return others;
}

/** A uniform scalar in [1, n). */
function drawScalar(random: RandomSource): Buffer {
  for (;;) {
    const scalar = Buffer.from(random(SCALAR_BYTES));
    const value = BigInt(`0x${scalar.toString('hex')}`);
    if (value > 0n && value < ORDER) return scalar;
  }
}

/** The abscissa of private key × point. OpenSSL refuses what is not on the curve, whose cofactor is 1. */
function sharedX(ecdh: ECDH, point: Uint8Array, what: string): Buffer {
  // OpenSSL also reads compressed and hybrid encodings, and the identity: a point shall have one encoding.
  if (point.length !== POINT_BYTES || point[0] !== UNCOMPRESSED) {
    throw new CodedError(TWO_PARTY_CODES.ERR_OT_POINT, `"${what}" expected an uncompressed point of P-256`);
  }
  try {
    return ecdh.computeSecret(point);
  } catch (error) {
    throw new CodedError(TWO_PARTY_CODES.ERR_OT_POINT, `"${what}" expected a point of P-256`, {
      cause: error,
    });
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
  return digest.subarray(0, BASE_KEY_BYTES);
}

export function bitAt(bits: Uint8Array, index: number): 0 | 1 {
  return ((bits[index >> 3]! >> (index & 7)) & 1) as 0 | 1;
}
