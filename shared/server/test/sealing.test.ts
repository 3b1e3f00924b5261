/** Sealed values and the files that hold their keys. */
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadOrCreateAdminToken, loadOrCreateKey, loadOrCreateSecretFile, Sealer } from '../src/index.ts';
import { temporaryDirectory } from './temporary.ts';

const key = (fill: number) => new Uint8Array(32).fill(fill);
const place = 'tasks/t1/secret_key';
const broken = expect.objectContaining({ code: 'ERR_SEAL_BROKEN' });

describe('a sealed value', () => {
  test('opens to the same bytes, in its place and under its key only', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.string(), fc.string(), (bytes, at, other) => {
        const sealed = new Sealer(key(1)).seal(at, bytes);
        expect(sealed).toHaveLength(bytes.length + 33);
        expect(Buffer.compare(new Sealer(key(1)).open(at, sealed), bytes)).toBe(0);
        if (at !== other) expect(() => new Sealer(key(1)).open(other, sealed)).toThrow(broken);
        expect(() => new Sealer(key(2)).open(at, sealed)).toThrow(broken);
      }),
      { numRuns: 50 },
    );
  });

  test('does not open once any bit of it was flipped', () => {
    const sealer = new Sealer(key(1));
    const sealed = sealer.seal(place, Buffer.from('eleven byte'));
    for (let bit = 0; bit < 8 * sealed.length; bit++) {
      const tampered = Uint8Array.from(sealed);
      tampered[bit >> 3]! ^= 1 << (bit & 7);
      expect(() => sealer.open(place, tampered), `bit ${bit}`).toThrow(broken);
    }
  });

  test('does not open shorter, longer or empty', () => {
    const sealer = new Sealer(key(1));
    const sealed = sealer.seal(place, Buffer.from('eleven byte'));
    for (let length = 0; length < sealed.length; length++) {
      expect(() => sealer.open(place, sealed.subarray(0, length))).toThrow(broken);
    }
    expect(() => sealer.open(place, Buffer.concat([sealed, Buffer.of(0)]))).toThrow(broken);
  });

  test('shows neither its content nor that two are equal', () => {
    const sealer = new Sealer(key(1));
    const first = Buffer.from(sealer.seal(place, Buffer.from('the secret primes')));
    const second = Buffer.from(sealer.seal(place, Buffer.from('the secret primes')));
    expect(first.includes('secret')).toBe(false);
    expect(first.equals(second)).toBe(false);
    // Version and key id are equal, nonces are not.
    expect(first.subarray(0, 5)).toStrictEqual(second.subarray(0, 5));
    expect(first.subarray(5, 17).equals(second.subarray(5, 17))).toBe(false);
  });

  test('needs a key of 32 bytes', () => {
    expect(() => new Sealer(new Uint8Array(16))).toThrow(/"key" expected 32 bytes, got 16/);
  });
});

describe('a key file', () => {
  const fileError = (message: RegExp) => ({ code: 'ERR_KEY_FILE', message: expect.stringMatching(message) });

  test('is made once, for its owner alone, and read again', async () => {
    const directory = await temporaryDirectory();
    const path = `${directory}/kek`;
    const made = await loadOrCreateKey(path);
    expect(made).toHaveLength(32);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await readFile(path, 'utf8')).trim()).toBe(Buffer.from(made).toString('base64url'));
    expect(await loadOrCreateKey(path)).toStrictEqual(made);
    expect(await loadOrCreateKey(`${directory}/other`)).not.toStrictEqual(made);
  });

  test('is the same for everybody who makes it at once', async () => {
    const directory = await temporaryDirectory();
    const keys = await Promise.all(Array.from({ length: 20 }, () => loadOrCreateKey(`${directory}/kek`)));
    expect(new Set(keys.map((each) => Buffer.from(each).toString('hex'))).size).toBe(1);
    expect(await readdir(directory)).toStrictEqual(['kek']); // no drafts are left
  });

  test.each([0o640, 0o604, 0o660, 0o610, 0o777])('with mode %o is refused', async (mode) => {
    const path = `${await temporaryDirectory()}/kek`;
    await loadOrCreateKey(path);
    await chmod(path, mode);
    await expect(loadOrCreateKey(path)).rejects.toMatchObject(fileError(/expected mode 0600/));
  });

  test.each([0o600, 0o400])('with mode %o is accepted', async (mode) => {
    const path = `${await temporaryDirectory()}/kek`;
    const made = await loadOrCreateKey(path);
    await chmod(path, mode);
    expect(await loadOrCreateKey(path)).toStrictEqual(made);
  });

  test.each([
    ['nothing', ''],
    ['31 bytes', Buffer.alloc(31, 7).toString('base64url')],
    ['33 bytes', Buffer.alloc(33, 7).toString('base64url')],
    ['other characters between', `${'A'.repeat(20)}!${'A'.repeat(23)}`],
    ['hexadecimal', '7'.repeat(64)],
  ])('that holds %s is refused and left as it is', async (_, text) => {
    const path = `${await temporaryDirectory()}/kek`;
    await writeFile(path, text, { mode: 0o600 });
    await expect(loadOrCreateKey(path)).rejects.toMatchObject(fileError(/expected 32 bytes as base64url/));
    expect(await readFile(path, 'utf8')).toBe(text);
  });

  test('that is none, or in no directory, is refused', async () => {
    const directory = await temporaryDirectory();
    await mkdir(`${directory}/folder`, { mode: 0o700 });
    await expect(loadOrCreateKey(`${directory}/folder`)).rejects.toMatchObject(fileError(/regular file/));
    await expect(loadOrCreateKey(`${directory}/none/kek`)).rejects.toMatchObject(fileError(/ENOENT/));
    await writeFile(`${directory}/large`, 'x'.repeat(100_000), { mode: 0o600 });
    await expect(loadOrCreateKey(`${directory}/large`)).rejects.toMatchObject(
      fileError(/at most 65536 bytes/),
    );
  });

  test('may be a link to a file on another volume', async () => {
    const directory = await temporaryDirectory();
    const made = await loadOrCreateKey(`${directory}/kek`);
    await symlink(`${directory}/kek`, `${directory}/link`);
    expect(await loadOrCreateKey(`${directory}/link`)).toStrictEqual(made);
  });

  test('can hold any text, made by a promise', async () => {
    const path = `${await temporaryDirectory()}/identity.json`;
    expect(await loadOrCreateSecretFile(path, () => Promise.resolve('{"d":"x"}'))).toBe('{"d":"x"}');
    expect(await loadOrCreateSecretFile(path, () => 'another')).toBe('{"d":"x"}');
  });

  test('that fails to be made leaves nothing, not even a half', async () => {
    const directory = await temporaryDirectory();
    const fail = () => Promise.reject(new Error('no entropy'));
    await expect(loadOrCreateSecretFile(`${directory}/kek`, fail)).rejects.toThrow('no entropy');
    expect(await readdir(directory)).toStrictEqual([]);
  });

  test("holds the operator's token of 256 bits", async () => {
    const path = `${await temporaryDirectory()}/admin-token`;
    const token = await loadOrCreateAdminToken(path);
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(await loadOrCreateAdminToken(path)).toBe(token);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });
});
