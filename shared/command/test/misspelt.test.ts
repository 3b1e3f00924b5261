/** What a file's user is told of a member that nobody knows. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { checkConfiguration } from '../src/index.ts';

const schema = z
  .strictObject({
    minimumOwners: z.int(),
    method: z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('a'), ridge: z.number() }),
      z.strictObject({ kind: z.literal('b'), scale: z.string().optional() }),
    ]),
    features: z.array(z.strictObject({ name: z.string() })).default([]),
    privacy: z.strictObject({ epsilon: z.number() }).nullable().default(null),
  })
  .transform((value) => value);
const right = { minimumOwners: 2, method: { kind: 'a', ridge: 1 } };

test.each([
  [
    { ...right, minimumOwner: 3 },
    '"policy.json": "minimumOwner" is not known: did you mean "minimumOwners"?',
  ],
  [
    { ...right, MINIMUMOWNERS: 3 },
    '"policy.json": "MINIMUMOWNERS" is not known: did you mean "minimumOwners"?',
  ],
  [
    { ...right, owners: 3 },
    '"policy.json": "owners" is not known; known are minimumOwners, method, features, privacy',
  ],
  [
    { ...right, method: { kind: 'a', ridge: 1, rigde: 1 } },
    '"policy.json": "method": "rigde" is not known: did you mean "ridge"?',
  ],
  [
    { ...right, features: [{ name: 'x', nam: 1 }] },
    '"policy.json": "features[0]": "nam" is not known: did you mean "name"?',
  ],
  [
    { ...right, privacy: { epsilon: 1, delta: 1 } },
    '"policy.json": "privacy": "delta" is not known; known are epsilon',
  ],
])('%j', (value, message) => {
  expect(() => checkConfiguration(schema, value, 'policy.json')).toThrow(
    expect.objectContaining({ code: 'ERR_CONFIGURATION', message }),
  );
});

test('other mistakes are told as ever', () => {
  expect(() => checkConfiguration(schema, { ...right, minimumOwners: 'x' }, 'policy.json')).toThrow(
    '"policy.json": "minimumOwners": expected a number, got a text',
  );
});
