/**
 * Several signed integers per Paillier plaintext, and the blinding that hides each of them from the key
 * holder.
 *
 * Why nothing carries. Let slot i of a plaintext hold x_i at bit offset o_i. Slots do not overlap: o_i +
 * width_i <= o_(i+1), and the last one ends at bit `plaintextBits` = bits(n) - 1 or below, so that
 * 2^plaintextBits < n.
 * - A packed plaintext is X = sum of x_i 2^(o_i), an integer, mod n, with x_i in [-2^(b_i - 1), 2^(b_i - 1)).
 *   Negative x_i borrow from their neighbours, and X itself may be negative, but the map from the x_i to X is
 *   linear: the homomorphic sum of contributions is X of the sums of their x_i, mod n. The layout chooses b_i
 *   so that these sums are in the same range. So what a neighbour lends is paid back as soon as all x_i are
 *   made non-negative:
 * - Blinding adds 2^(b_i - 1) + r_i to slot i, with 0 <= r_i < 2^(width_i - 1). In total slot i then holds
 *   y_i = x_i + 2^(b_i - 1) + r_i. Since 0 <= x_i + 2^(b_i - 1) < 2^(b_i) <= 2^(width_i - 1), 0 <= y_i <
 *   2^(width_i). So Y = sum of y_i 2^(o_i) is in [0, 2^plaintextBits), hence below n: the decrypted plaintext
 *   is Y itself, not only mod n, and its bits at o_i are y_i.
 * - r_i has b_i + sigma + ceil(log2 slots) bits, over the slots of the whole task. So y_i is within 2^-(sigma
 *   + log2 slots) of a distribution that does not depend on x_i, and all slots together within 2^-sigma.
 */

import { CodedError, type IntegerList, Integers } from '@eigenveil/platform';
import { type RandomBytes, randomBits } from './arithmetic/random.ts';
import { PAILLIER_CODES } from './codes.ts';
import type { Plaintext } from './encryption.ts';
import type { PublicKey } from './keys/public-key.ts';

export interface Slot {
  /** The index of the value in the flat vector of values. */
  readonly value: number;
  /** Bits below the slot. */
  readonly offset: number;
  /** b: the value, also summed over all owners, is in [-2^(b-1), 2^(b-1)). */
  readonly valueBits: number;
  /** b + sigma + ceil(log2 slots) + 1 bits: room for the value, its blinding and their carry. */
  readonly width: number;
}

/**
 * The slots of each plaintext by ascending offset: made when they are asked for, since those of a sketch
 * would be forty megabytes.
 */
export interface Plaintexts extends Iterable<readonly Slot[]> {
  readonly length: number;
  /** Does what an array's method of this name does, for integers. */
  at(index: number): readonly Slot[] | undefined;
}

export interface Packing {
  readonly plaintexts: Plaintexts;
  /** b of each value. */
  readonly valueBits: readonly number[];
  /** Bits of the random part of each value's blinding: b + sigma + ceil(log2 slots). */
  readonly blindingBits: readonly number[];
}

export interface PackingOptions {
  /** b of each value, at least 1; one slot per value. */
  valueBits: readonly number[];
  /** sigma. */
  statisticalSecurityBits: number;
  /** bits(n) - 1. */
  plaintextBits: number;
}

/**
 * Places every value in a slot, widest first, each in the first plaintext with room for it (first-fit
 * decreasing: Johnson 1973, within 11/9 of the fewest plaintexts). Values of equal width keep their order, so
 * that everybody who knows the options finds the same packing.
 * @throws ERR_PACKING_TOO_NARROW when a slot is wider than a plaintext
 * @throws RangeError when a number of bits is no positive integer, or there are no values
 * @example
 * import { makePacking, pack } from '@eigenveil/paillier';
 *
 * const plaintextBits = publicKey.bits - 1;
 * const packing = makePacking({ valueBits: [20, 20, 8], statisticalSecurityBits: 40, plaintextBits });
 * const [plaintext] = pack(publicKey, packing, [-7n, 12n, 3n]); // one plaintext with three slots
 */
export function makePacking({ valueBits, statisticalSecurityBits, plaintextBits }: PackingOptions): Packing {
  if (valueBits.length === 0) throw new RangeError('"valueBits" expected of at least one value');
  for (const numbers of [valueBits, [statisticalSecurityBits, plaintextBits]]) {
    for (const bits of numbers) {
      if (!Number.isInteger(bits) || bits < 1)
        throw new RangeError(`numbers of bits expected as positive integers, got ${bits}`);
    }
  }
  const logSlots = 32 - Math.clz32(valueBits.length - 1);
  const blindingBits = valueBits.map((bits) => bits + statisticalSecurityBits + logSlots);
  const widest = Math.max(...new Set(blindingBits)) + 1;
  if (widest > plaintextBits) {
    throw new CodedError(
      PAILLIER_CODES.ERR_PACKING_TOO_NARROW,
      `slot of ${widest} bits expected to fit a plaintext of ${plaintextBits} bits`,
    );
  }

  const bits = [...valueBits];
  let plaintexts: Plaintexts | undefined;
  return {
    // Many callers never ask.
    get plaintexts() {
      plaintexts ??= new PlacedSlots(bits, blindingBits, plaintextBits);
      return plaintexts;
    },
    valueBits: bits,
    blindingBits,
  };
}

/** Keeps four bytes for each slot; slots themselves are made again at each reading. */
class PlacedSlots implements Plaintexts {
  readonly #valueBits: readonly number[];
  readonly #blindingBits: readonly number[];
  /** Values, plaintext by plaintext. */
  readonly #values: Uint32Array;
  /** The places where each plaintext begins in these, and where the last one ends. */
  readonly #starts: Uint32Array;

  constructor(valueBits: readonly number[], blindingBits: readonly number[], plaintextBits: number) {
    this.#valueBits = valueBits;
    this.#blindingBits = blindingBits;
    const order = valueBits
      .map((_, value) => value)
      .sort((a, b) => blindingBits[b]! - blindingBits[a]! || a - b);
    const plaintextOf = new Uint32Array(order.length);
    const used: number[] = [];
    let current = 0;
    let lastWidth = 0;
    for (const value of order) {
      const width = this.#widthOf(value);
      // Plaintexts only fill up: one without room for this width has none for the next of the same width
      // either. So the search starts over only where the width changes, which it does at most `plaintextBits`
      // times.
      if (width !== lastWidth) current = 0;
      lastWidth = width;
      while (current < used.length && used[current]! + width > plaintextBits) current += 1;
      used[current] = (used[current] ?? 0) + width;
      plaintextOf[value] = current;
    }
    this.#starts = new Uint32Array(used.length + 1);
    for (const plaintext of plaintextOf) this.#starts[plaintext + 1]! += 1;
    for (let i = 0; i < used.length; i += 1) this.#starts[i + 1]! += this.#starts[i]!;
    const next = this.#starts.slice();
    this.#values = new Uint32Array(order.length);
    for (const value of order) {
      const plaintext = plaintextOf[value]!;
      this.#values[next[plaintext]!] = value;
      next[plaintext]! += 1;
    }
  }

  get length(): number {
    return this.#starts.length - 1;
  }

  at(index: number): readonly Slot[] | undefined {
    const plaintext = index < 0 ? index + this.length : index;
    if (plaintext < 0 || plaintext >= this.length) return undefined;
    let end = 0;
    return Array.from(
      this.#values.subarray(this.#starts[plaintext], this.#starts[plaintext + 1]),
      (value): Slot => {
        const [offset, width] = [end, this.#widthOf(value)];
        end += width;
        return { value, offset, valueBits: this.#valueBits[value]!, width };
      },
    );
  }

  #widthOf(value: number): number {
    return this.#blindingBits[value]! + 1;
  }

  *[Symbol.iterator](): Generator<readonly Slot[]> {
    for (let plaintext = 0; plaintext < this.length; plaintext += 1) yield this.at(plaintext)!;
  }
}

/**
 * The packed plaintexts of one vector of values, ready to encrypt.
 * @param values one signed integer per slot, each in [-2^(b-1), 2^(b-1))
 * @throws ERR_VALUE_OUT_OF_RANGE (names the index)
 * @throws RangeError when the number of values or the key does not match the packing
 */
export function pack(publicKey: PublicKey, packing: Packing, values: IntegerList): Plaintext[] {
  return place(publicKey, packing, values, (index) => {
    const half = 1n << BigInt(packing.valueBits[index]! - 1);
    return { least: -half, end: half };
  });
}

/**
 * Blinding values of one task: per value 2^(b-1), which makes it non-negative, plus a uniform integer of
 * `blindingBits`. They are as secret as the key, and drawn once per task.
 * @param randomness gives uniform bytes of a given number: the system's CSPRNG, unless a test has to repeat
 *   them
 * @example
 * import { drawBlinding, packBlinding } from '@eigenveil/paillier';
 *
 * const blinding = drawBlinding(packing); // to be kept, as secret as the key
 * const addends = packBlinding(publicKey, packing, blinding); // to be encrypted and added
 */
export function drawBlinding(packing: Packing, randomness?: RandomBytes): Integers {
  return Integers.of(drawn(packing, randomness), blindingWidths(packing));
}

/** The bits of what `drawBlinding` draws: half the range of a value, and the random part. */
export function blindingWidths({ blindingBits }: Packing): number[] {
  return blindingBits.map((bits) => bits + 1);
}

function* drawn({ valueBits, blindingBits }: Packing, randomness?: RandomBytes): Generator<bigint> {
  for (const [i, bits] of valueBits.entries())
    yield (1n << BigInt(bits - 1)) + randomBits(blindingBits[i]!, randomness);
}

/**
 * The plaintexts to add to an aggregate, from what `drawBlinding` drew.
 * @throws ERR_VALUE_OUT_OF_RANGE (names the index) when a blinding value cannot come from `drawBlinding`
 * @throws RangeError when the number of values or the key does not match the packing
 */
export function packBlinding(publicKey: PublicKey, packing: Packing, blinding: IntegerList): Plaintext[] {
  return place(publicKey, packing, blinding, (index) => {
    const least = 1n << BigInt(packing.valueBits[index]! - 1);
    return { least, end: least + (1n << BigInt(packing.blindingBits[index]!)) };
  });
}

/**
 * Reads what the key holder gets from a blinded aggregate: per value x + 2^(b-1) + r, non-negative. Less the
 * blinding value it is x over the integers.
 * @param plaintexts decrypted, as many as the packing has
 * @throws ERR_PACKING_OVERFLOW when a plaintext holds bits above its last slot: a sum left its range
 * @throws RangeError when the number of plaintexts does not match the packing
 */
export function unpackBlinded(packing: Packing, plaintexts: readonly bigint[]): bigint[] {
  if (plaintexts.length !== packing.plaintexts.length) {
    throw new RangeError(
      `"plaintexts" expected of length ${packing.plaintexts.length}, got ${plaintexts.length}`,
    );
  }
  const values: bigint[] = new Array(packing.valueBits.length);
  for (const [index, plaintext] of plaintexts.entries()) {
    const slots = packing.plaintexts.at(index)!;
    if (plaintext < 0n || plaintext >> BigInt(usedBits(slots)) !== 0n) {
      throw new CodedError(
        PAILLIER_CODES.ERR_PACKING_OVERFLOW,
        `plaintext ${index} expected of at most ${usedBits(slots)} bits`,
      );
    }
    for (const { value, offset, width } of slots) {
      values[value] = BigInt.asUintN(width, plaintext >> BigInt(offset));
    }
  }
  return values;
}

/** Sum of value * 2^offset per plaintext, mod n, after checking each value against its range. */
function place(
  publicKey: PublicKey,
  packing: Packing,
  values: IntegerList,
  rangeOf: (index: number) => { least: bigint; end: bigint },
): Plaintext[] {
  if (values.length !== packing.valueBits.length) {
    throw new RangeError(`"values" expected of length ${packing.valueBits.length}, got ${values.length}`);
  }
  let index = 0;
  for (const value of values) {
    const { least, end } = rangeOf(index);
    if (value < least || value >= end) {
      throw new CodedError(
        PAILLIER_CODES.ERR_VALUE_OUT_OF_RANGE,
        `value ${index} expected in the range of its slot of ${packing.valueBits[index]} value bits`,
      );
    }
    index += 1;
  }
  return Array.from(packing.plaintexts, (slots) => {
    if (usedBits(slots) > publicKey.bits - 1) {
      throw new RangeError(
        `"packing" expected for a key of ${publicKey.bits} bits, got ${usedBits(slots)} bits of slots`,
      );
    }
    const sum = slots.reduce((total, { value, offset }) => total + (values.at(value)! << BigInt(offset)), 0n);
    return (sum < 0n ? sum + publicKey.n : sum) as Plaintext;
  });
}

function usedBits(slots: readonly Slot[]): number {
  const last = slots.at(-1);
  return last === undefined ? 0 : last.offset + last.width;
}
