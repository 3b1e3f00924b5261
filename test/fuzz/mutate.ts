/** Inputs that are nearly right: valid examples with a few edits, in their bytes or in their JSON. Few edits shrink well. */
import fc from 'fast-check';

/** Where, as a part of the whole; what; and how much. */
const ByteEdit = fc.record({
  kind: fc.constantFrom('set', 'flip', 'insert', 'remove', 'repeat', 'cut', 'splice', 'swap'),
  at: fc.nat(0xffff),
  length: fc.integer({ min: 1, max: 64 }),
  bytes: fc.oneof(fc.uint8Array({ maxLength: 12 }), fc.constantFrom(...edgeBytes())),
});
type ByteEdit = typeof ByteEdit extends fc.Arbitrary<infer Edit> ? Edit : never;

/** An example after up to `mostEdits` edits, or now and then bytes that have nothing to do with one. */
export function mutatedBytes(examples: readonly Uint8Array[], mostEdits = 4): fc.Arbitrary<Uint8Array> {
  const edited = fc
    .record({
      example: fc.nat(examples.length - 1),
      edits: fc.array(ByteEdit, { maxLength: mostEdits }),
    })
    .map(({ example, edits }) =>
      edits.reduce((bytes, edit) => applyBytes(bytes, edit, examples), new Uint8Array(examples[example]!)),
    );
  return fc.oneof(
    { arbitrary: edited, weight: 15 },
    { arbitrary: fc.uint8Array({ maxLength: 300 }), weight: 1 },
  );
}

/** The same for text, whose bytes need not be UTF-8 any more afterwards; they are read as text all the same. */
export function mutatedText(examples: readonly string[], mostEdits = 4): fc.Arbitrary<string> {
  return mutatedBytes(
    examples.map((text) => Buffer.from(text)),
    mostEdits,
  ).map((bytes) => Buffer.from(bytes).toString());
}

function edgeBytes(): Uint8Array[] {
  const texts = [
    '\0',
    '"',
    '\\',
    '\r\n',
    ',',
    '{',
    '[',
    '.',
    '-',
    '\ufeff',
    '\ud800',
    'e999',
    '99999999999999999999',
  ];
  return [
    ...texts.map((text) => Buffer.from(text)),
    ...[1, 4, 8, 32].flatMap((n) => [0, 0x7f, 0x80, 0xff].map((byte) => new Uint8Array(n).fill(byte))),
  ];
}

function applyBytes(bytes: Uint8Array<ArrayBuffer>, edit: ByteEdit, examples: readonly Uint8Array[]) {
  const { kind, length, bytes: given } = edit;
  const at = Math.floor((edit.at / 0x10000) * (bytes.length + 1));
  const join = (...parts: Uint8Array[]) => new Uint8Array(Buffer.concat(parts));
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
  switch (kind) {
    case 'set':
      return join(before, given, after.subarray(given.length));
    case 'flip':
      return bytes.map((byte, i) => (i === at ? byte ^ (1 << (length % 8)) : byte));
    case 'insert':
      return join(before, given, after);
    case 'remove':
      return join(before, after.subarray(length));
    case 'repeat':
      return join(before, after.subarray(0, length), after);
    case 'cut':
      return join(before);
    case 'splice': {
      const other = examples[length % examples.length]!;
      return join(before, other.subarray(Math.floor((edit.at / 0x10000) * other.length)));
    }
    case 'swap':
      return join(
        before,
        after.subarray(length, 2 * length),
        after.subarray(0, length),
        after.subarray(2 * length),
      );
  }
}

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

const EDGES: readonly Json[] = [
  ...[
    null,
    true,
    false,
    0,
    -0,
    1,
    -1,
    2,
    0.5,
    1e-320,
    1e308,
    -1e308,
    2 ** 31,
    2 ** 32,
    2 ** 53,
    -(2 ** 53),
    1e21,
  ],
  ...[
    '',
    ' ',
    '0',
    '1e999',
    'NaN',
    '__proto__',
    'constructor',
    '\0',
    '\ud800',
    '\u202e',
    'x'.repeat(5000),
    'é'.repeat(100),
  ],
  ...[[], {}, [[]], [null], { x: 1 }, [1, 2, 3]],
];

const JsonEdit = fc.record({
  kind: fc.constantFrom('replace', 'remove', 'repeat', 'rename', 'copy', 'add', 'wrap'),
  at: fc.nat(0xffff),
  from: fc.nat(0xffff),
  value: fc.oneof(
    { arbitrary: fc.constantFrom(...EDGES), weight: 4 },
    { arbitrary: fc.integer({ min: -5, max: 300 }), weight: 2 },
    { arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }), weight: 1 },
    { arbitrary: fc.string({ maxLength: 24, unit: 'binary' }), weight: 1 },
    { arbitrary: fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>, weight: 1 },
  ),
});
type JsonEdit = typeof JsonEdit extends fc.Arbitrary<infer Edit> ? Edit : never;

/** An example after up to `mostEdits` edits of its values, names and structure. */
export function mutatedJson(examples: readonly unknown[], mostEdits = 4): fc.Arbitrary<Json> {
  return fc
    .record({ example: fc.nat(examples.length - 1), edits: fc.array(JsonEdit, { maxLength: mostEdits }) })
    .map(({ example, edits }) => {
      const box: Json = [structuredClone(examples[example]) as Json];
      for (const edit of edits) applyJson(box, edit);
      return box[0]!;
    });
}

interface Place {
  readonly holder: Json[] | { [name: string]: Json };
  readonly name: string | number;
}

function placesIn(holder: Json[] | { [name: string]: Json }): Place[] {
  const names = Array.isArray(holder) ? [...holder.keys()] : Object.keys(holder);
  return names.flatMap((name) => {
    const value = read({ holder, name });
    const own = [{ holder, name }];
    return typeof value === 'object' && value !== null ? [...own, ...placesIn(value)] : own;
  });
}

const read = ({ holder, name }: Place): Json => (holder as Record<string | number, Json>)[name]!;
function write({ holder, name }: Place, value: Json): void {
  // Not by assignment, which would set the prototype where the name is __proto__.
  Object.defineProperty(holder, name, { value, writable: true, enumerable: true, configurable: true });
}

function applyJson(box: Json[], { kind, at, from, value }: JsonEdit): void {
  const places = placesIn(box);
  const pick = (part: number) => places[Math.floor((part / 0x10000) * places.length)]!;
  const place = pick(at);
  const { holder, name } = place;
  const current = read(place);
  switch (kind) {
    case 'replace':
      write(place, structuredClone(value));
      return;
    case 'remove':
      if (holder === box) return;
      if (Array.isArray(holder)) holder.splice(Number(name), 1);
      else delete holder[name];
      return;
    case 'repeat':
      if (Array.isArray(current) && current.length < 1000) {
        for (let i = current.length * (1 + (from % 40)); i > 0 && current.length > 0; i -= 1)
          current.push(structuredClone(current[0]!));
      } else if (Array.isArray(holder) && holder !== box) holder.push(structuredClone(current));
      return;
    case 'rename':
      if (Array.isArray(holder)) return;
      delete holder[name];
      write({ holder, name: typeof value === 'string' ? value : `${name}x` }, current);
      return;
    case 'copy':
      write(place, structuredClone(read(pick(from))));
      return;
    case 'add':
      if (typeof current !== 'object' || current === null) return;
      write(
        { holder: current, name: Array.isArray(current) ? current.length : `m${from}` },
        structuredClone(value),
      );
      return;
    case 'wrap':
      write(place, [current]);
      return;
  }
}
