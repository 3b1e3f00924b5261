/**
 * Passphrases that the page generates or takes.
 *
 * @claims S-530
 */
import { expect, test } from 'vitest';
import { generatePassphrase, passphraseProblem } from '../../src/owner/passphrase.ts';

test.each([
  '',
  'short',
  'nineteen letters it',
  'aaaaaaaaaaaaaaaaaaaaaaaa',
  'abcdefghijklmnopqrstuvwxyz',
  '12345678901234567890123',
  'abababababababababab',
  'passpasspasspasspass',
])('one that is easy to guess is refused: %s', (weak) => {
  expect(passphraseProblem(weak)).toMatch(/^The passphrase is too short/);
});

test('a long one is taken, as is each that is generated, of which none comes twice', () => {
  expect(passphraseProblem('correct horse battery staple')).toBeNull();
  const generated = new Set(Array.from({ length: 200 }, generatePassphrase));
  expect(generated.size).toBe(200);
  for (const it of generated)
    expect([passphraseProblem(it), it]).toEqual([
      null,
      expect.stringMatching(/^(?:[a-z2-9]{5}-){4}[a-z2-9]{5}$/),
    ]);
});
