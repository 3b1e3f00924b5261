/** Many integers in one piece of memory: the one form in which they are kept, sealed and sent. */
import { CodedError } from './coded-error.ts';
import { PLATFORM_CODES } from './codes.ts';
import type { Bytes } from './platform.ts';

/** Bits of each integer, or a number of integers with the same number of bits each. */
export type Widths = readonly number[] | { readonly length: number; readonly bits: number };

/** Says whether integers of b bits are in [0, 2^b), or in [−2^(b−1), 2^(b−1)) and in two's complement. */
export type Sign = 'unsigned' | 'signed';

/** Many integers that are asked for one by one: `Integers`, or an array. */
export interface IntegerList extends Iterable<bigint> {
  readonly length: number;
  at(index: number): bigint | undefined;
  slice(from: number, to?: number): IntegerList;
  map<T>(of: (value: bigint, index: number) => T): T[];
}

/** Integers next to each other that have as many bits. */
interface Run {
  readonly from: number;
  readonly to: number;
  readonly bits: number;
  /** The bytes of one integer. */
  readonly bytes: number;
  /** The place where the first of them begins. */
  readonly offset: number;
}

const WORD_BYTES = 8;
const WORD_BITS = 64n;
const HALF_BYTES = 4;
const HALF_BITS = 32n;

/**
 * Integers one after the other, each big-endian in the fewest whole bytes that hold its bits. Widths are not
 * in the bytes: who reads them knows them, and a length tells nothing about the integers. Nothing here
 * changes them; whoever has made them from secrets may overwrite `bytes` when nobody needs them any more.
 * @example
 * import { Integers } from '@eigenveil/platform';
 *
 * const { bytes } = Integers.of([7n, 300n], [8, 9]); // three bytes: 07 01 2c
 * Integers.read(bytes, [8, 9]).at(1); // → 300n
 */
export class Integers implements IntegerList {
  readonly bytes: Uint8Array;
  readonly #runs: readonly Run[];
  readonly #sign: Sign;
  readonly #view: DataView;

  private constructor(bytes: Uint8Array, runs: readonly Run[], sign: Sign) {
    this.bytes = bytes;
    this.#runs = runs;
    this.#sign = sign;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /**
   * Integers in memory of their own.
   * @param values as many as there are widths; what makes them one by one need never hold them all
   * @throws RangeError for one that has more bits, or another number of them
   */
  static of(values: Iterable<bigint>, widths: Widths, sign: Sign = 'unsigned'): Integers {
    const runs = runsOf(widths);
    const bytes: Bytes = new Uint8Array(bytesOf(runs));
    const view = new DataView(bytes.buffer);
    let index = 0;
    let run = 0;
    for (const value of values) {
      while (run < runs.length && runs[run]!.to <= index) run += 1;
      const at = runs[run];
      if (at === undefined) throw new RangeError(`"values" expected ${widths.length} integers, got more`);
      if ((sign === 'signed' ? BigInt.asIntN : BigInt.asUintN)(at.bits, value) !== value)
        throw new RangeError(`"values" expected ${at.bits} bits at ${index}`);
      write(view, at.offset + (index - at.from) * at.bytes, at.bytes, value);
      index += 1;
    }
    if (index < widths.length)
      throw new RangeError(`"values" expected ${widths.length} integers, got ${index}`);
    return new Integers(bytes, runs, sign);
  }

  /**
   * A view of bytes that come from elsewhere, all of which are looked at.
   * @throws ERR_ENCODING_INVALID unless they are exactly the integers of these widths
   */
  static read(bytes: Uint8Array, widths: Widths, sign: Sign = 'unsigned'): Integers {
    const runs = runsOf(widths);
    const expected = bytesOf(runs);
    if (bytes.length !== expected)
      throw refused(`${widths.length} integers expected as ${expected} bytes, got ${bytes.length}`);
    for (const run of runs) checkRun(bytes, run, sign);
    return new Integers(bytes, runs, sign);
  }

  /** The bytes that integers of these widths take. */
  static lengthOf(widths: Widths): number {
    return bytesOf(runsOf(widths));
  }

  get length(): number {
    return this.#runs.at(-1)?.to ?? 0;
  }

  /** Does what an array's method of this name does. */
  at(index: number): bigint | undefined {
    const i = index < 0 ? this.length + index : index;
    const run = this.#runOf(i);
    return run && this.#read(run, i);
  }

  /** Does what an array's method of this name does, but gives a view of the same bytes. */
  slice(from: number, to: number = this.length): Integers {
    const place = (at: number) => Math.max(0, Math.min(at < 0 ? this.length + at : at, this.length));
    const [first, end] = [place(from), place(to)];
    const runs = first < end ? clipped(this.#runs, first, end) : [];
    const start = first < end ? placeIn(this.#runOf(first)!, first) : 0;
    return new Integers(this.bytes.subarray(start, start + bytesOf(runs)), runs, this.#sign);
  }

  /** Does what an array's method of this name does. */
  map<T>(of: (value: bigint, index: number) => T): T[] {
    return Array.from(this, of);
  }

  *[Symbol.iterator](): Generator<bigint, undefined> {
    for (const run of this.#runs) for (let i = run.from; i < run.to; i += 1) yield this.#read(run, i);
  }

  #read(run: Run, index: number): bigint {
    const value = read(this.#view, placeIn(run, index), run.bytes);
    return this.#sign === 'signed' ? BigInt.asIntN(run.bits, value) : value;
  }

  /** Searches by halves: a table of widths may have as many runs as integers. */
  #runOf(index: number): Run | undefined {
    let [low, high] = [0, this.#runs.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#runs[middle]!.to <= index) low = middle + 1;
      else high = middle;
    }
    const run = this.#runs[low];
    return run !== undefined && index >= run.from ? run : undefined;
  }
}

/**
 * The error of bytes that came from elsewhere and are not the integers that they should be. It repeats none
 * of them.
 */
const refused = (why: string) => new CodedError(PLATFORM_CODES.ERR_ENCODING_INVALID, why);

function runsOf(widths: Widths): Run[] {
  const runs: { -readonly [Member in keyof Run]: Run[Member] }[] = [];
  const add = (bits: number, count: number) => {
    if (!Number.isInteger(bits) || bits < 1)
      throw new RangeError(`"widths" expected positive numbers of bits, got ${bits}`);
    const last = runs.at(-1);
    if (last?.bits === bits) last.to += count;
    else {
      const from = last?.to ?? 0;
      const offset = last === undefined ? 0 : placeIn(last, last.to);
      runs.push({ from, to: from + count, bits, bytes: Math.ceil(bits / 8), offset });
    }
  };
  if (!('bits' in widths)) for (const bits of widths) add(bits, 1);
  else if (widths.length > 0) add(widths.bits, widths.length);
  return runs;
}

function clipped(runs: readonly Run[], from: number, to: number): Run[] {
  let offset = 0;
  return runs
    .filter((run) => run.from < to && run.to > from)
    .map((run) => {
      const clip = { ...run, from: Math.max(run.from, from) - from, to: Math.min(run.to, to) - from, offset };
      offset = placeIn(clip, clip.to);
      return clip;
    });
}

function placeIn({ from, bytes, offset }: Run, index: number): number {
  return offset + (index - from) * bytes;
}

function bytesOf(runs: readonly Run[]): number {
  const last = runs.at(-1);
  return last === undefined ? 0 : placeIn(last, last.to);
}

/** Bits above the width are in the first byte: as of a number that is not negative, or as its sign. */
function checkRun(bytes: Uint8Array, run: Run, sign: Sign): void {
  const above = run.bits % 8;
  if (above === 0) return;
  for (let i = run.from; i < run.to; i += 1) {
    const first = bytes[placeIn(run, i)]!;
    const rest = sign === 'signed' ? ((first << 24) >> 24) >> (above - 1) : first >> above;
    if (rest !== 0 && !(sign === 'signed' && rest === -1))
      throw refused(`integer ${i} expected of ${run.bits} bits`);
  }
}

/**
 * Words of 64 bits, then one of 32 and bytes above them. Of a negative number it takes the two's complement.
 */
function write(view: DataView, from: number, bytes: number, value: bigint): void {
  let rest = value;
  let end = from + bytes;
  for (; end - from >= WORD_BYTES; end -= WORD_BYTES) {
    view.setBigUint64(end - WORD_BYTES, rest); // what exceeds 64 bits is not written
    rest >>= WORD_BITS;
  }
  if (end - from >= HALF_BYTES) {
    end -= HALF_BYTES;
    view.setUint32(end, Number(BigInt.asUintN(32, rest)));
    rest >>= HALF_BITS;
  }
  if (end === from) return;
  for (let first = Number(BigInt.asUintN(24, rest)); end > from; first >>= 8) {
    end -= 1;
    view.setUint8(end, first & 0xff);
  }
}

/** The bytes as a number that is not negative. */
function read(view: DataView, from: number, bytes: number): bigint {
  const words = from + (bytes % WORD_BYTES);
  let at = from;
  let first = 0;
  for (; (words - at) % HALF_BYTES !== 0; at += 1) first = first * 256 + view.getUint8(at);
  let value = BigInt(first);
  for (; at < words; at += HALF_BYTES) value = (value << HALF_BITS) | BigInt(view.getUint32(at));
  for (; at < from + bytes; at += WORD_BYTES) value = (value << WORD_BITS) | view.getBigUint64(at);
  return value;
}

/** The number of bits of a non-negative integer; 0 for 0. */
export function bitLength(value: bigint): number {
  if (value === 0n) return 0;
  const hex = value.toString(16);
  return 4 * (hex.length - 1) + 32 - Math.clz32(Number.parseInt(hex[0]!, 16));
}
