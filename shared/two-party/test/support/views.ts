/**
 * The view of an end, for tests and experiments: the messages that were sent, the times that a made-up clock tells
 * exactly, the data user's view of M with what it gets for its directions, and numbers that sum a view up, standard
 * normal or nearly so where it tells nothing.
 */
import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../src/channel/pace.ts';
import type { LatticePlan } from '../../src/lattice/sizes.ts';
import {
  innerProduct,
  type Matrix,
  multiplyMatrices,
  symmetricMatrix,
  traceOf,
  transpose,
} from '../../src/rotated/matrices.ts';
import type { RotatedParameters } from '../../src/rotated/parameters.ts';
import type { RotationSecrets } from '../../src/rotated/secrets.ts';

/** Time that goes on when somebody sleeps, and by a step whenever somebody looks, as where everything takes its time. */
export class MadeUpTime implements Clock {
  time = 0;
  readonly #step: number;

  constructor(step = 0) {
    this.#step = step;
  }

  now(): number {
    this.time += this.#step;
    return this.time;
  }

  async sleep(milliseconds: number): Promise<void> {
    await setImmediate();
    this.time += milliseconds / 2 + 1; // wakes up too early now and then
  }
}

export interface Message {
  readonly type: number;
  readonly payload: Uint8Array;
}

/** The messages of a stream: type, length, payload. */
export function messagesOf(frames: readonly Uint8Array[]): Message[] {
  const bytes = Buffer.concat(frames);
  const messages: Message[] = [];
  for (let from = 0; from < bytes.length; ) {
    const length = bytes.readUInt32LE(from + 4);
    messages.push({ type: bytes.readUInt32LE(from), payload: bytes.subarray(from + 8, from + 8 + length) });
    from += 8 + length;
  }
  return messages;
}

/**
 * The frame, and the byte in it, where a message of this type has this byte of its payload: of the first such message or the one with
 * another number, from the end if that is negative; the middle byte, if none is named.
 */
export function placeOf(frames: readonly Uint8Array[], type: number, number = 0, byte?: number) {
  let at = 0;
  const starts: { from: number; length: number }[] = [];
  for (const message of messagesOf(frames)) {
    if (message.type === type) starts.push({ from: at + 8, length: message.payload.length });
    at += 8 + message.payload.length;
  }
  const { from, length } = starts.at(number)!;
  let [frame, rest] = [0, from + (byte ?? length >> 1)];
  for (; rest >= frames[frame]!.length; frame += 1) rest -= frames[frame]!.length;
  return { frame, at: rest };
}

/** The numbers of a PCA's products that tests look at: that of the noise, and those that open M and the vectors. */
export const PCA_PRODUCTS = { noise: 3, matrix: 4, vectors: 5 } as const;

/** Returns the numbers of a pencil's products that tests look at, by the number of Y's columns: one column is not turned from the right. MDR has one less before X. */
export function pencilProducts(columns: number, method?: 'mdr') {
  const groups = method === 'mdr' ? 2 : 3;
  const signal = columns > 1 ? groups + 6 : groups + 5;
  return {
    ...{ contrasts: 0, groups, noise: groups + 2, matrix: groups + 3, root: groups + 4, signal },
    ...{ directions: signal + 1, normalised: signal + 2, vectors: signal + 3 },
  } as const;
}

/** The numbers of a sketch's products that tests look at, where it has no floor. */
export const SKETCH_PRODUCTS = {
  ...{ square: 0, noise: 2, matrix: 4, framed: 5, root: 6, second: 9, directions: 10, normalised: 11 },
  ...{ mixed: 13, vectors: 14 },
} as const;

/** The number of answers of the CSP that come before those of a product. */
export function answersBefore({ products }: LatticePlan, product: number): number {
  return products.slice(0, product).reduce((sum, { packing }) => sum + packing.blocks * packing.answers, 0);
}

/** χ² of bytes against uniform ones, in standard deviations from its mean. */
export function unevenness(payloads: readonly Uint8Array[]): number {
  const counts = new Float64Array(256);
  let total = 0;
  for (const payload of payloads) {
    for (const byte of payload) counts[byte]! += 1;
    total += payload.length;
  }
  const expected = total / 256;
  const statistic = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  return (statistic - 255) / Math.sqrt(2 * 255);
}

/**
 * Returns how often the lowest bits of labels of 16 bytes equal these bits, in standard deviations of fair
 * coins.
 */
export function telling(labels: Uint8Array, bits: Uint8Array): number {
  const equal = bits.reduce((sum, bit, i) => sum + ((labels[16 * i]! & 1) === bit ? 1 : 0), 0);
  return (equal - bits.length / 2) / (Math.sqrt(bits.length) / 2);
}

/** The upper triangle, row by row, of left · rightᵀ (both d × n), reduced to [0, 2^ringBits). */
export function upperProduct(left: Matrix, right: Matrix, ringBits: number): bigint[] {
  return left.flatMap((row, i) =>
    right.slice(i).map((other) => BigInt.asUintN(ringBits, innerProduct(row, other))),
  );
}

/** More bits than anything here has, so that nothing is reduced. */
const WIDE = 1024;

/** 2^f P T (2^f P)ᵀ, upper triangle, as signed integers. */
export function rotatedScatter(T: Matrix, rotation: Matrix): bigint[] {
  return upperProduct(multiplyMatrices(rotation, T, WIDE), rotation, WIDE).map((entry) =>
    BigInt.asIntN(WIDE, entry),
  );
}

/** M with noise and mask, upper triangle, of T as it is rotated: raised, where there is a floor. */
export function view(T: Matrix, { rotation, noise, mask }: RotationSecrets): bigint[] {
  const trace = traceOf(T);
  return rotatedScatter(T, rotation).map((entry, e) => entry + noise[e]! * trace + mask[e]!);
}

export const doubles = (matrix: Matrix, scale: number): number[][] =>
  matrix.map((row) => row.map((entry) => Number(entry) / scale));

/** The data user's M in units of T, without the mean of the mask. */
export function opened(
  T: Matrix,
  secrets: RotationSecrets,
  { rotationBits, maskBits }: RotatedParameters,
): number[][] {
  const upper = view(T, secrets).map((entry) => entry - (1n << BigInt(maskBits - 1)));
  return doubles(symmetricMatrix(upper, T.length), 2 ** (2 * rotationBits));
}

/** Pᵀ A for directions in doubles, one in a row, the flood included: what the data user obtains. */
export function answered(
  directions: readonly (readonly number[])[],
  secrets: RotationSecrets,
  { rotationBits, directionBits }: RotatedParameters,
): number[][] {
  const A = transpose(
    directions.map((vector) =>
      vector.map((x) => BigInt(Math.round(x * 2 ** 50)) << BigInt(directionBits - 50)),
    ),
  );
  const product = multiplyMatrices(transpose(secrets.rotation), A, WIDE);
  const flooded = product.map((row, i) => row.map((x, j) => BigInt.asIntN(WIDE, x) + secrets.flood[i]![j]!));
  return doubles(transpose(flooded), 2 ** (rotationBits + directionBits));
}
