import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pathOf, placeIn } from '../../src/console/create/places.ts';

/** All paths of a value. */
function pathsOf(value: unknown): (string | number)[][] {
  const children: [string | number, unknown][] = Array.isArray(value)
    ? [...value.entries()]
    : typeof value === 'object' && value !== null
      ? Object.entries(value)
      : [];
  return [[], ...children.flatMap(([key, child]) => pathsOf(child).map((path) => [key, ...path]))];
}

test('the text at the place of a member is that member, however it is written', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1, '\t'), (json, indent) => {
      const text = JSON.stringify(json, null, indent);
      const value: unknown = JSON.parse(text);
      for (const path of pathsOf(value)) {
        const { start, end } = placeIn(text, path);
        const found = path.reduce<unknown>((it, key) => (it as Record<string | number, unknown>)[key], value);
        expect(JSON.parse(text.slice(start, end))).toEqual(found);
      }
    }),
  );
});

test('a member that is missing is at the object where it should be; of one that is there twice the last counts', () => {
  const text = '{\n  "a": [\n    {"b": 1},\n    {"b": 2, "b": 3}\n  ]\n}\n';
  const object = placeIn(text, ['a', 0, 'c']);
  expect(text.slice(object.start, object.end)).toBe('{"b": 1}');
  expect(object.line).toBe(3);
  const twice = placeIn(text, ['a', 1, 'b']);
  expect(text.slice(twice.start, twice.end)).toBe('3');
  expect(placeIn(text, ['zzz'])).toEqual({ start: 0, end: text.trimEnd().length, line: 1 });
});

test('a message names the member with which it begins, features by their names', () => {
  const name = 'a "b".[0]';
  const task = { keyBits: 1024, features: [{ name: 'x' }, { name }], labellings: [{ column: 'y' }] };
  expect(pathOf('"features[3].min" expected 1', task)).toEqual(['features', 3, 'min']);
  expect(pathOf('"keyBits" expected "more"', task)).toEqual(['keyBits']);
  expect(pathOf(`"features[${JSON.stringify(name)}].grain" expected a number`, task)).toEqual([
    'features',
    1,
    'grain',
  ]);
  expect(pathOf('"labellings["y"].classes" expected distinct labels', task)).toEqual([
    'labellings',
    0,
    'classes',
  ]);
  expect(pathOf('no place "keyBits"', task)).toEqual([]);
});
