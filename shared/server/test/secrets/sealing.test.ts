/**
 * Sealed values and the files that hold their keys.
 *
 * @claims S-84
 */
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AdminToken, loadOrCreateKeyRing, Sealer } from '../../src/index.ts';
import { readKeyRing, replaceKeyRing, withFreshKey } from '../../src/secrets/key-ring.ts';
import { loadOrCreateSecretFile } from '../../src/secrets/secret-file.ts';
import { temporaryDirectory } from '../temporary.ts';

const key = (fill: number) => new Uint8Array(32).fill(fill);
const lineOf = (fill: number) => Buffer.from(key(fill)).toString('base64url');
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

  test('opens under every key of a ring, and is sealed under the first', () => {
    const [older, newer] = [new Sealer(key(1)), new Sealer(key(2))];
    const ring = new Sealer(key(2), key(1));
    const sealed = older.seal(place, Buffer.from('secret'));
    expect(Buffer.from(ring.open(place, sealed)).toString()).toBe('secret');
    expect(() => ring.open('elsewhere', sealed)).toThrow(broken);
    const resealed = ring.reseal(place, sealed);
    expect(Buffer.from(newer.open(place, resealed)).toString()).toBe('secret');
    expect(() => older.open(place, resealed)).toThrow(broken);
    expect(ring.reseal(place, resealed)).toBe(resealed);
    expect(() => ring.reseal('elsewhere', sealed)).toThrow(broken);
    expect(ring.keyIds).toStrictEqual([...newer.keyIds, ...older.keyIds]);
  });

  test('names the key that it needs when that is missing', () => {
    const sealed = new Sealer(key(1)).seal(place, Buffer.from('secret'));
    const stranger = new Sealer(key(2), key(3));
    const [id] = new Sealer(key(1)).keyIds;
    const message = `the sealed value at "${place}" was sealed under key ${id}, which the key file does not hold: it holds ${stranger.keyIds.join(', ')}`;
    for (const use of [stranger.requireKey, stranger.open, stranger.reseal])
      expect(() => use.call(stranger, place, sealed)).toThrow(
        expect.objectContaining({ code: 'ERR_SEAL_BROKEN', message }),
      );
    expect(() => new Sealer(key(3), key(1)).requireKey(place, sealed)).not.toThrow();
  });

  test('under a ring needs keys that can be told apart', () => {
    expect(() => new Sealer(key(1), key(2), key(1))).toThrow(/ids of their own/);
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
    const made = await loadOrCreateKeyRing(path);
    expect(made).toHaveLength(1);
    expect(made[0]).toHaveLength(32);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await readFile(path, 'utf8')).trim()).toBe(Buffer.from(made[0]).toString('base64url'));
    expect(await loadOrCreateKeyRing(path)).toStrictEqual(made);
    expect(await loadOrCreateKeyRing(`${directory}/other`)).not.toStrictEqual(made);
  });

  test('is the same for everybody who makes it at once', async () => {
    const directory = await temporaryDirectory();
    const keys = await Promise.all(Array.from({ length: 20 }, () => loadOrCreateKeyRing(`${directory}/kek`)));
    expect(new Set(keys.map(([each]) => Buffer.from(each).toString('hex'))).size).toBe(1);
    expect(await readdir(directory)).toStrictEqual(['kek']); // no drafts are left
  });

  test.each([0o640, 0o604, 0o660, 0o610, 0o777])('with mode %o is refused', async (mode) => {
    const path = `${await temporaryDirectory()}/kek`;
    await loadOrCreateKeyRing(path);
    await chmod(path, mode);
    await expect(loadOrCreateKeyRing(path)).rejects.toMatchObject(fileError(/expected mode 0600/));
  });

  test.each([0o600, 0o400])('with mode %o is accepted', async (mode) => {
    const path = `${await temporaryDirectory()}/kek`;
    const made = await loadOrCreateKeyRing(path);
    await chmod(path, mode);
    expect(await loadOrCreateKeyRing(path)).toStrictEqual(made);
  });

  test.each([
    ['nothing', ''],
    ['31 bytes', Buffer.alloc(31, 7).toString('base64url')],
    ['33 bytes', Buffer.alloc(33, 7).toString('base64url')],
    ['other characters between', `${'A'.repeat(20)}!${'A'.repeat(23)}`],
    ['hexadecimal', '7'.repeat(64)],
    ['an empty line between two keys', `${lineOf(1)}\n\n${lineOf(2)}\n`],
    ['two keys on one line', `${lineOf(1)} ${lineOf(2)}\n`],
    ['half a key on its second line', `${lineOf(1)}\n${lineOf(2).slice(20)}\n`],
  ])('that holds %s is refused and left as it is', async (_, text) => {
    const path = `${await temporaryDirectory()}/kek`;
    await writeFile(path, text, { mode: 0o600 });
    await expect(loadOrCreateKeyRing(path)).rejects.toMatchObject(
      fileError(/expected 32 bytes as base64url/),
    );
    expect(await readFile(path, 'utf8')).toBe(text);
  });

  test('that is none, or in no directory, is refused', async () => {
    const directory = await temporaryDirectory();
    await mkdir(`${directory}/folder`, { mode: 0o700 });
    await expect(loadOrCreateKeyRing(`${directory}/folder`)).rejects.toMatchObject(fileError(/regular file/));
    await expect(loadOrCreateKeyRing(`${directory}/none/kek`)).rejects.toMatchObject(
      fileError(/no such file or directory/),
    );
    await writeFile(`${directory}/large`, 'x'.repeat(100_000), { mode: 0o600 });
    await expect(loadOrCreateKeyRing(`${directory}/large`)).rejects.toMatchObject(
      fileError(/at most 65536 bytes/),
    );
  });

  test('may be a link to a file on another volume', async () => {
    const directory = await temporaryDirectory();
    const made = await loadOrCreateKeyRing(`${directory}/kek`);
    await symlink(`${directory}/kek`, `${directory}/link`);
    expect(await loadOrCreateKeyRing(`${directory}/link`)).toStrictEqual(made);
  });

  test('can hold several keys, one to a line, whatever ends the lines', async () => {
    const path = `${await temporaryDirectory()}/kek`;
    await writeFile(path, `${lineOf(2)}\r\n${lineOf(1)}`, { mode: 0o600 });
    expect((await loadOrCreateKeyRing(path)).map((each) => each[0])).toStrictEqual([2, 1]);
    await writeFile(path, `${lineOf(2)}\n${lineOf(1)}\n${lineOf(2)}\n`);
    await expect(loadOrCreateKeyRing(path)).rejects.toMatchObject(fileError(/expected each key once/));
  });

  test('is not made where it must be there', async () => {
    const directory = await temporaryDirectory();
    await expect(readKeyRing(`${directory}/kek`)).rejects.toMatchObject(fileError(/--key-encryption-key/));
    expect(await readdir(directory)).toStrictEqual([]);
  });

  test('is replaced as a whole, where a link leads to, and over a draft that was left behind', async () => {
    const directory = await temporaryDirectory();
    const made = await loadOrCreateKeyRing(`${directory}/kek`);
    await symlink(`${directory}/kek`, `${directory}/link`);
    await writeFile(`${directory}/kek.new`, 'x'.repeat(500), { mode: 0o644 });
    const longer = withFreshKey(made);
    expect(longer.slice(1)).toStrictEqual([...made]);
    await replaceKeyRing(`${directory}/link`, longer);
    expect(await readKeyRing(`${directory}/kek`)).toStrictEqual([...longer]);
    expect((await stat(`${directory}/kek`)).mode & 0o777).toBe(0o600);
    expect((await readdir(directory)).toSorted()).toStrictEqual(['kek', 'link']);
    await expect(replaceKeyRing(`${directory}/none`, made)).rejects.toMatchObject(
      fileError(/no such file or directory/),
    );
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
    const { current: token } = await AdminToken.open(path);
    expect(token).toMatch(/^[\w-]{43}$/);
    expect((await AdminToken.open(path)).current).toBe(token);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });
});
