/**
 * Writes the few WebAssembly functions that label arithmetic needs, straight from TypeScript: JavaScript has
 * no 128-bit type, and XOR of labels in 128-bit registers measured six times faster than in typed arrays.
 * Opcodes and encodings are those of the WebAssembly core specification (release 2.0, chapter 5, "Binary
 * Format").
 */

/** Instructions as bytes, nested for convenience. */
export type Code = number | readonly Code[];

/** The types of parameters and locals: an i32, an i64 and a v128. */
export const NUMBER = 'number';
export const LONG = 'long';
export const VECTOR = 'vector';

/** A page of memory. */
export const PAGE_BYTES = 65_536;

/** A function whose parameters are numbers: `real` is an f64. Results are written to memory only. */
export interface FunctionSource {
  readonly name: string;
  readonly parameters: readonly (typeof NUMBER | 'real')[];
  /** Locals after the parameters. */
  readonly locals: readonly (typeof NUMBER | typeof LONG | typeof VECTOR)[];
  readonly body: Code;
}

const I32 = 0x7f;
const I64 = 0x7e;
const F64 = 0x7c;
const V128 = 0x7b;
const EMPTY_BLOCK = 0x40;
const LOCAL_TYPES = { number: I32, long: I64, vector: V128 } as const;

/** Every load and store names its alignment as a power of two; a hint only. */
const UNALIGNED = 0;

export const get = (local: number): Code => [0x20, unsigned(local)];
export const set = (local: number, value: Code): Code => [value, 0x21, unsigned(local)];
export const constant = (value: number): Code => [0x41, signed(value)];
export const add = (a: Code, b: Code): Code => [a, b, 0x6a];
export const subtract = (a: Code, b: Code): Code => [a, b, 0x6b];
export const times = (a: Code, b: Code): Code => [a, b, 0x6c];
export const and = (a: Code, b: Code): Code => [a, b, 0x71];
export const shiftLeft = (a: Code, b: Code): Code => [a, b, 0x74];
/** The shift takes its number without sign. */
export const shiftRight = (a: Code, b: Code): Code => [a, b, 0x76];
export const loadByte = (address: Code): Code => [address, 0x2d, UNALIGNED, 0];
export const loadNumber = (address: Code, offset = 0): Code => [address, 0x28, UNALIGNED, unsigned(offset)];

export const storeNumber = (address: Code, value: Code): Code => [address, value, [0x36, UNALIGNED, 0]];
export const orNumber = (a: Code, b: Code): Code => [a, b, 0x72];
export const xorNumber = (a: Code, b: Code): Code => [a, b, 0x73];
/** 1 where a is more than b, without sign, and 0 elsewhere. */
export const isMore = (a: Code, b: Code): Code => [a, b, 0x4b];
/** The low 32 bits of a long. */
export const lowHalf = (a: Code): Code => [a, 0xa7];

/** A number as a long, without sign. */
export const long = (number: Code): Code => [number, 0xad];
export const constantLong = (value: number): Code => [0x42, signed(value)];
export const addLong = (a: Code, b: Code): Code => [a, b, 0x7c];
export const subtractLong = (a: Code, b: Code): Code => [a, b, 0x7d];
export const orLong = (a: Code, b: Code): Code => [a, b, 0x84];
export const shiftLeftLong = (a: Code, b: Code): Code => [a, b, 0x86];
/** Keeps the sign. */
export const shiftRightLong = (a: Code, b: Code): Code => [a, b, 0x87];
export const loadLong = (address: Code, offset = 0): Code => [address, 0x29, UNALIGNED, unsigned(offset)];
/** 32 bits of memory, without sign. */
export const loadHalf = (address: Code, offset = 0): Code => [address, 0x35, UNALIGNED, unsigned(offset)];
export const storeLong = (address: Code, value: Code, offset = 0): Code => [
  address,
  value,
  [0x37, UNALIGNED, unsigned(offset)],
];
/** The low 32 bits. */
export const storeHalf = (address: Code, value: Code, offset = 0): Code => [
  address,
  value,
  [0x3e, UNALIGNED, unsigned(offset)],
];

export const load = (address: Code, offset = 0): Code => [address, 0xfd, 0x00, UNALIGNED, unsigned(offset)];
export const store = (address: Code, value: Code, offset = 0): Code => [
  address,
  value,
  [0xfd, 0x0b, UNALIGNED, unsigned(offset)],
];
export const xor = (first: Code, ...rest: readonly Code[]): Code => [
  first,
  ...rest.map((operand): Code => [operand, 0xfd, 0x51]),
];
export const andVector = (a: Code, b: Code): Code => [a, b, 0xfd, 0x4e];
/** Adds the two 64-bit halves separately. */
export const addHalves = (a: Code, b: Code): Code => [a, b, 0xfd, unsigned(0xce)];
/** Subtracts the two 64-bit halves separately. */
export const subtractHalves = (a: Code, b: Code): Code => [a, b, 0xfd, unsigned(0xd1)];
export const shiftHalvesLeft = (a: Code, bits: number | Code): Code => [
  a,
  typeof bits === 'number' ? constant(bits) : bits,
  0xfd,
  unsigned(0xcb),
];
/** Adds the four 32-bit quarters. */
export const addQuarters = (a: Code, b: Code): Code => [a, b, 0xfd, unsigned(0xae)];
export const subtractQuarters = (a: Code, b: Code): Code => [a, b, 0xfd, unsigned(0xb1)];
/** The low 32 bits of each product of quarters. */
export const timesQuarters = (a: Code, b: Code): Code => [a, b, 0xfd, unsigned(0xb5)];
/** The lesser of each pair of quarters, without sign. */
export const leastQuarters = (a: Code, b: Code): Code => [a, b, 0xfd, unsigned(0xb7)];
/** All bits of a quarter where a is more than b, with sign. */
export const moreQuarters = (a: Code, b: Code): Code => [a, b, 0xfd, unsigned(0x3b)];
/** Keeps the sign. */
export const shiftQuartersRight = (a: Code, bits: number): Code => [a, constant(bits), 0xfd, unsigned(0xac)];
/** The products of the low two quarters, or of the high two, of 64 bits each, without sign. */
export const timesLowQuarters = (a: Code, b: Code): Code => [a, b, 0xfd, unsigned(0xde)];
export const timesHighQuarters = (a: Code, b: Code): Code => [a, b, 0xfd, unsigned(0xdf)];
/** 64 bits of memory, and zeros. */
export const loadLow = (address: Code, offset = 0): Code => [
  address,
  0xfd,
  0x5d,
  UNALIGNED,
  unsigned(offset),
];
export const shiftQuartersLeft = (a: Code, bits: number): Code => [a, constant(bits), 0xfd, unsigned(0xab)];
/** Two of the quarters, without sign, one in each half: the low two, or the high two. */
export const lowQuarters = (a: Code): Code => [a, 0xfd, unsigned(0xc9)];
export const highQuarters = (a: Code): Code => [a, 0xfd, unsigned(0xca)];
/** By the number of the byte that each of 16 comes from: 0 to 15 of `a`, 16 to 31 of `b`. */
export const shuffle = (a: Code, b: Code, bytes: readonly number[]): Code => [a, b, 0xfd, 0x0d, bytes];
/** The lowest byte as a number. */
export const lowestByte = (a: Code): Code => [a, 0xfd, 0x16, 0];
/** One 64-bit half as a long. */
export const half = (a: Code, index: 0 | 1): Code => [a, 0xfd, 0x1d, index];
/** a & ~b */
export const andNot = (a: Code, b: Code): Code => [a, b, 0xfd, 0x4f];
/** Two 32-bit integers of memory, without sign, one in each 64-bit half. */
export const loadPair = (address: Code, offset = 0): Code => [
  address,
  0xfd,
  0x06,
  UNALIGNED,
  unsigned(offset),
];
/** All 128 bits equal to the low 32 bits of a number, four times over. */
export const spread = (a: Code): Code => [a, 0xfd, 0x11];
/** A long as a 128-bit integer, without sign. */
export const widened = (a: Code): Code => [vector(0), a, 0xfd, 0x1e, 0];
/** The 128-bit integer below 2^64 that a real parameter holds exactly. */
export const wide = (real: Code): Code => widened([real, 0xb1]);
export const vector = (low: number): Code => [0xfd, 0x0c, low, ...new Array<number>(15).fill(0)];

/**
 * Repeats the body while `counter`, which must be positive at first, stays positive when it falls by one a
 * turn.
 */
export const repeat = (counter: number, body: Code): Code => [
  [0x03, EMPTY_BLOCK],
  body,
  [get(counter), constant(1), 0x6b, 0x22, unsigned(counter)],
  [0x0d, 0, 0x0b],
];

/** A module that imports its memory as `m.m` and exports the functions by name. */
export function assemble(functions: readonly FunctionSource[]): Uint8Array<ArrayBuffer> {
  const section = (id: number, entries: readonly Code[]): Code => {
    const content = flatten([unsigned(entries.length), entries]);
    return [id, unsigned(content.length), content];
  };
  const types = functions.map((source): Code => {
    const parameters = source.parameters.map((kind) => (kind === NUMBER ? I32 : F64));
    return [0x60, unsigned(parameters.length), parameters, 0];
  });
  const bodies = functions.map((source): Code => {
    const locals = source.locals.map((kind): Code => [1, LOCAL_TYPES[kind]]);
    const content = flatten([unsigned(locals.length), locals, source.body, 0x0b]);
    return [unsigned(content.length), content];
  });
  return Uint8Array.from(
    flatten([
      [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
      section(1, types),
      section(2, [[text('m'), text('m'), 0x02, 0x00, unsigned(1)]]),
      section(
        3,
        functions.map((_, index) => unsigned(index)),
      ),
      section(
        7,
        functions.map((source, index) => [text(source.name), 0x00, unsigned(index)]),
      ),
      section(10, bodies),
    ]),
  );
}

function text(name: string): Code {
  return [unsigned(name.length), [...name].map((letter) => letter.charCodeAt(0))];
}

/** LEB128. */
function unsigned(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  do {
    bytes.push((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
    rest >>>= 7;
  } while (rest > 0);
  return bytes;
}

function signed(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (;;) {
    const low = rest & 0x7f;
    rest >>= 7;
    const last = (rest === 0 && (low & 0x40) === 0) || (rest === -1 && (low & 0x40) !== 0);
    bytes.push(last ? low : low | 0x80);
    if (last) return bytes;
  }
}

/** Into one array: a new one for each level takes almost three times as long. */
function flatten(code: Code, bytes: number[] = []): number[] {
  if (typeof code === 'number') bytes.push(code);
  else for (let i = 0; i < code.length; i += 1) flatten(code[i]!, bytes);
  return bytes;
}
