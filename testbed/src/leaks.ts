/** Looks for numbers in what somebody saw, in every form in which software is likely to write a number down. */

/**
 * Shorter forms turn up by chance in ciphertexts and tokens. A given one of 48 bits does so in 2^16 random bytes once in
 * 2^32 transcripts, and there are some thousands of forms.
 */
const SHORTEST_BYTES = 6;
/** 40 bits if they are decimal: a transcript writes its blinded values down in decimal, too, so that 8 are found by chance. */
const SHORTEST_DIGITS = 12;
/** The least integer of six bytes; smaller ones, padded to six, would be found wherever there are zeros. */
const FEWEST_BITS = 41;
/** Of two neighbours together. */
const FEWEST_BITS_OF_PAIR = 48;

export interface Form {
  /** Such as `value 3, decimal`. */
  readonly name: string;
  readonly bytes: Buffer;
}

/** Where values lie in packed plaintexts, as far as forms of them go. */
interface Layout {
  readonly valueBits: readonly number[];
  readonly plaintexts: Iterable<readonly Slot[]>;
}

interface Slot {
  /** An index. */
  readonly value: number;
  readonly offset: number;
  readonly valueBits: number;
}

/**
 * The forms of a vector of statistics: each number as it is and with 2^(b-1) added, as decimal or hexadecimal text, as an
 * integer of either byte order, as a double and as JSON number, also divided by the units of discretisation; neighbours
 * in a fixed-length encoding; whole packed plaintexts. Numbers that are too small to be told from chance are left out.
 */
export function formsOf(values: readonly bigint[], packing: Layout, fractionBits: number): Form[] {
  const forms: Form[] = [];
  const add = (name: string, bytes: Buffer) => forms.push({ name, bytes });
  values.forEach((value, i) => {
    const bits = packing.valueBits[i]!;
    for (const integer of new Set([value, value + (1n << BigInt(bits - 1)), BigInt.asUintN(bits, value)])) {
      for (const { name, bytes } of integerForms(integer, bits)) add(`value ${i}, ${name}`, bytes);
    }
    for (const scale of [0, fractionBits, 2 * fractionBits]) {
      const scaled = Number(value) / 2 ** scale;
      const text = `${Math.abs(scaled)}`;
      if (text.length > SHORTEST_DIGITS) add(`value ${i}, number`, Buffer.from(text));
      if (bitLength(value) < FEWEST_BITS) continue;
      const double = Buffer.alloc(8);
      double.writeDoubleBE(scaled);
      add(`value ${i}, double`, double);
      add(`value ${i}, double, little-endian`, Buffer.from(double).reverse());
    }
    const next = values[i + 1];
    if (next !== undefined && bitLength(value) + bitLength(next) >= FEWEST_BITS_OF_PAIR) {
      const pair = Buffer.concat([fixed(value, bits), fixed(next, packing.valueBits[i + 1]!)]);
      add(`values ${i} and ${i + 1}`, pair);
    }
  });
  for (const [p, slots] of [...packing.plaintexts].entries()) {
    for (const added of [0n, 1n]) {
      const place = ({ value, offset, valueBits }: Slot) =>
        (values[value]! + (added << BigInt(valueBits - 1))) << BigInt(offset);
      const sum = slots.reduce((total, slot) => total + place(slot), 0n);
      add(`plaintext ${p}`, unsigned(sum));
      add(`plaintext ${p}, decimal`, Buffer.from(`${magnitude(sum)}`));
    }
  }
  return forms.filter(({ bytes }) => bytes.length >= SHORTEST_BYTES);
}

/** The forms of numbers as JSON text and as doubles. */
export function formsOfNumbers(numbers: readonly number[]): Form[] {
  return numbers
    .flatMap((number, i) => {
      const double = Buffer.alloc(8);
      double.writeDoubleBE(number);
      return [
        { name: `number ${i}`, bytes: Buffer.from(`${Math.abs(number)}`) },
        { name: `number ${i}, double`, bytes: double },
        { name: `number ${i}, double, little-endian`, bytes: Buffer.from(double).reverse() },
      ];
    })
    .filter(({ name, bytes }) => name.includes('double') || bytes.length >= SHORTEST_DIGITS);
}

/** The forms that occur anywhere in the bytes, or in what base64 text among them stands for. */
export function findForms<F extends Form>(seen: readonly Uint8Array[], forms: readonly F[]): F[] {
  return finderOf(forms)(seen);
}

/** The same for many searches. */
export function finderOf<F extends Form>(forms: readonly F[]): (seen: readonly Uint8Array[]) => F[] {
  const byPrefix = new Map<number, F[]>();
  // Most places begin with what no form begins with: two bits of memory tell so without the map.
  const [first, second] = [new Uint8Array(2 ** 24), new Uint8Array(2 ** 24)];
  for (const form of forms) {
    const prefix = form.bytes.readUIntBE(0, SHORTEST_BYTES);
    const same = byPrefix.get(prefix) ?? [];
    byPrefix.set(prefix, same);
    same.push(form);
    first[form.bytes.readUIntBE(0, 3)] = 1;
    second[form.bytes.readUIntBE(3, 3)] = 1;
  }
  return (seen) => [...found(seen, byPrefix, first, second)];
}

function found<F extends Form>(
  seen: readonly Uint8Array[],
  byPrefix: ReadonlyMap<number, readonly F[]>,
  first: Uint8Array,
  second: Uint8Array,
): Set<F> {
  const found = new Set<F>();
  const views = seen.map(({ buffer, byteOffset, length }) => Buffer.from(buffer, byteOffset, length));
  for (const bytes of views.flatMap((it) => [it, ...decodedBase64(it)])) {
    // The three bytes that begin at a place, and the three after them.
    let [three, after] = [0, 0];
    for (let end = 0; end < bytes.length; end++) {
      three = ((three << 8) | (after >>> 16)) & 0xff_ff_ff;
      after = ((after << 8) | bytes[end]!) & 0xff_ff_ff;
      if (first[three] === 0 || second[after] === 0 || end < SHORTEST_BYTES - 1) continue;
      const start = end - (SHORTEST_BYTES - 1);
      for (const form of byPrefix.get(three * 2 ** 24 + after) ?? []) {
        if (bytes.subarray(start, start + form.bytes.length).equals(form.bytes)) found.add(form);
      }
    }
  }
  return found;
}

function integerForms(integer: bigint, bits: number): Form[] {
  const forms: Form[] = [];
  const decimal = `${magnitude(integer)}`;
  const hex = magnitude(integer).toString(16);
  if (decimal.length >= SHORTEST_DIGITS) forms.push({ name: 'decimal', bytes: Buffer.from(decimal) });
  if (hex.length >= SHORTEST_DIGITS) {
    forms.push({ name: 'hexadecimal', bytes: Buffer.from(hex) });
    forms.push({ name: 'hexadecimal capitals', bytes: Buffer.from(hex.toUpperCase()) });
  }
  if (bitLength(integer) >= FEWEST_BITS) {
    for (const bytes of [unsigned(integer), fixed(integer, bits)]) {
      forms.push({ name: 'bytes', bytes });
      forms.push({ name: 'bytes, little-endian', bytes: Buffer.from(bytes).reverse() });
    }
  }
  return forms;
}

/** JSON web signatures, keys and tokens carry bytes this way. */
function decodedBase64(bytes: Buffer): Buffer[] {
  const text = bytes.toString('latin1');
  return [...text.matchAll(/[A-Za-z0-9+/_-]{8,}/g)].map(([token]) => Buffer.from(token, 'base64url'));
}

/** Two's complement, big-endian. */
function fixed(value: bigint, bits: number): Buffer {
  const length = Math.ceil(bits / 8);
  return Buffer.from(
    BigInt.asUintN(8 * length, value)
      .toString(16)
      .padStart(2 * length, '0'),
    'hex',
  );
}

function unsigned(value: bigint): Buffer {
  const hex = magnitude(value).toString(16);
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
}

function bitLength(value: bigint): number {
  return magnitude(value).toString(2).length;
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}

/** A number as whoever has it may write it down: as text, and as bytes of either order. */
export function writtenDown(value: bigint): Buffer[] {
  const bytes = unsigned(value);
  return [Buffer.from(`${value}`), bytes, Buffer.from(bytes).reverse()];
}
