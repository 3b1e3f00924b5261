import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { drawPassphrase, passphraseProblem, seal, unseal } from '../../src/owner/sealed-file.ts';

const PASSPHRASE = 'correct horse battery staple';
const Value = z.strictObject({ a: z.string() });
const open = (text: string, passphrase = PASSPHRASE, kind: 'backup' | 'transfer' = 'backup') =>
  unseal(kind, text, passphrase, Value);

function withChecksum({ checksum: _, content, ...header }: Readonly<Record<string, unknown>>): string {
  const text = `${JSON.stringify(header)}\n${content}`;
  const checksum = createHash('sha256').update(text).digest('base64url');
  return JSON.stringify({ ...header, content, checksum });
}

describe('a file under a passphrase', () => {
  let file: string;
  beforeAll(async () => {
    file = await seal('backup', { a: 'secret text' }, PASSPHRASE);
  });

  test('is opened by it, however a keyboard writes it, and by no other', { tags: ['long'] }, async () => {
    expect(file).not.toContain('secret');
    await expect(open(file, ` ${PASSPHRASE}\n`)).resolves.toEqual({ a: 'secret text' });
    await expect(open(file, 'Correct horse battery staple')).rejects.toThrow(
      expect.objectContaining({ code: 'ERR_PASSPHRASE' }),
    );
    const accented = await seal('backup', { a: 'b' }, 'déjà vu à la crème brûlée'.normalize('NFC'));
    await expect(open(accented, 'déjà vu à la crème brûlée'.normalize('NFD'))).resolves.toEqual({ a: 'b' });
  });

  test('is refused where a part is missing or another', async () => {
    const damaged = async (text: string) => {
      const error = await open(text).then(
        () => null,
        (reason: unknown) => reason,
      );
      expect(error, text).toMatchObject({ code: 'ERR_BACKUP_INVALID' });
    };
    await damaged('');
    await damaged('{}');
    await damaged('PK\u0003\u0004');
    await damaged(file.slice(0, -20));
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: file.trimEnd().length - 1 }), async (length) =>
        damaged(file.slice(0, length)),
      ),
      { numRuns: 30 },
    );
    for (const [name, text] of Object.entries(JSON.parse(file) as Record<string, string | number>)) {
      const { [name]: _, ...others } = JSON.parse(file);
      await damaged(JSON.stringify(others));
      if (typeof text === 'string' && text.length > 20)
        await damaged(
          JSON.stringify({ ...others, [name]: `${text.startsWith('A') ? 'B' : 'A'}${text.slice(1)}` }),
        );
    }
    await expect(open(JSON.stringify({ ...JSON.parse(file), version: 2 }))).rejects.toThrow('of version 2');
    await expect(open(file, PASSPHRASE, 'transfer')).rejects.toThrow('the transfer file is none');
  });

  test('does not choose what opening it costs, and proves all that stands in it', {
    tags: ['long'],
  }, async () => {
    const json = JSON.parse(file);
    await expect(open(JSON.stringify({ ...json, iterations: 1 }))).rejects.toThrow('has changed');
    // Somebody who makes the checksum anew, as anybody can.
    const other = JSON.parse(await seal('backup', { a: 'c' }, 'another passphrase of somebody'));
    const refused = expect.objectContaining({ code: 'ERR_PASSPHRASE' });
    await expect(open(withChecksum({ ...json, content: other.content }))).rejects.toThrow(refused);
    const relabelled = withChecksum({ ...json, format: 'eigenveil-owner-transfer' });
    await expect(open(relabelled, PASSPHRASE, 'transfer')).rejects.toThrow(refused);
    await expect(open(withChecksum(json))).resolves.toEqual({ a: 'secret text' });
  });

  test('is another each time', async () => {
    const again = JSON.parse(await seal('backup', { a: 'secret text' }, PASSPHRASE));
    const first = JSON.parse(file);
    for (const name of ['salt', 'iv', 'content']) expect(again[name]).not.toBe(first[name]);
  });

  test.each([
    '',
    'short',
    'aaaaaaaaaaaaaaaaaaaaaaaa',
    'abcdefghijklmnopqrstuvwxyz',
    '1234567890123456789',
    'abababababababababab',
    'passpasspasspasspass',
  ])('takes no passphrase that is easy to guess: %s', async (weak) => {
    expect(passphraseProblem(weak)).not.toBeNull();
    await expect(seal('backup', {}, weak)).rejects.toThrow(
      expect.objectContaining({ code: 'ERR_PASSPHRASE_WEAK' }),
    );
  });

  test('takes those that it draws', () => {
    const drawn = new Set(Array.from({ length: 200 }, drawPassphrase));
    expect(drawn.size).toBe(200);
    for (const it of drawn)
      expect([passphraseProblem(it), it]).toEqual([
        null,
        expect.stringMatching(/^(?:[a-z2-9]{5}-){4}[a-z2-9]{5}$/),
      ]);
  });
});
