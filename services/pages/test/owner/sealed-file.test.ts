/**
 * Files under a passphrase: the page opens its own, and so does every program for age.
 *
 * @claims S-530
 */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { armor, Decrypter, Encrypter } from 'age-encryption';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { seal, unseal } from '../../src/owner/sealed-file.ts';
import { cheapScrypt } from '../support/cheap-scrypt.ts';

const PASSPHRASE = 'correct horse battery staple';
const Value = z.strictObject({ a: z.string() });
const open = (text: string, passphrase = PASSPHRASE) => unseal('backup', text, passphrase, Value);
const refusal = (code: unknown) => expect.objectContaining({ code });

/** Debian: `apt-get install age`; `script` is there with every system. */
const hasCommands = ['age', 'script'].every((it) => spawnSync(it, ['--version']).status === 0);

describe('a file under a passphrase', () => {
  let file: string;
  let dear: () => void;
  beforeAll(async () => {
    dear = cheapScrypt();
    file = await seal({ a: 'secret text' }, PASSPHRASE);
  });
  afterAll(() => dear());

  test('is opened by it, however a keyboard writes it, and by no other', async () => {
    await expect(open(file, ` ${PASSPHRASE}\n`)).resolves.toEqual({ a: 'secret text' });
    await expect(open(file.replaceAll('\n', '\r\n'))).resolves.toEqual({ a: 'secret text' });
    await expect(open(file, 'Correct horse battery staple')).rejects.toThrow(refusal('ERR_PASSPHRASE'));
    const accented = await seal({ a: 'b' }, 'déjà vu à la crème brûlée'.normalize('NFC'));
    await expect(open(accented, 'déjà vu à la crème brûlée'.normalize('NFD'))).resolves.toEqual({ a: 'b' });
  });

  test('is refused where a part is missing or another', async () => {
    const bytes = armor.decode(file);
    // All that is behind the header is content.
    const headerBytes = bytes.indexOf(0x0a, Buffer.from(bytes).indexOf('\n--- ') + 1) + 1;
    for (const text of ['', '{}', 'PK\u0003\u0004', file.slice(0, -20)])
      await expect(open(text)).rejects.toThrow(refusal('ERR_BACKUP_INVALID'));
    for (const [at, byte] of bytes.entries()) {
      const cut = armor.encode(bytes.subarray(0, at));
      await expect(open(cut), `cut at ${at}`).rejects.toThrow(refusal('ERR_BACKUP_INVALID'));
      const changed = armor.encode(bytes.with(at, byte ^ 1));
      const code = at < headerBytes ? /^ERR_(?:BACKUP_INVALID|PASSPHRASE)$/ : /^ERR_BACKUP_INVALID$/;
      await expect(open(changed), `changed at ${at}`).rejects.toThrow(refusal(expect.stringMatching(code)));
    }
    const other = await seal({ b: 1 }, PASSPHRASE);
    await expect(open(other)).rejects.toThrow(refusal('ERR_BACKUP_INVALID'));
  });

  test('does not choose what opening it costs', async () => {
    const dearer = armor.encode(
      Buffer.from(Buffer.from(armor.decode(file)).toString('latin1').replace(/ 6\n/, ' 19\n'), 'latin1'),
    );
    // With another code, it was tried first.
    await expect(open(dearer)).rejects.toThrow(refusal('ERR_BACKUP_INVALID'));
  });

  test('is another each time', async () => {
    const again = await seal({ a: 'secret text' }, PASSPHRASE);
    const lines = file.split('\n');
    // The first line of the armour has the name of the format alone.
    for (const [i, line] of again.split('\n').slice(2, -2).entries()) expect(line).not.toBe(lines[i + 2]);
  });

  test('has no passphrase that is easy to guess', async () => {
    await expect(seal({}, 'nineteen letters it')).rejects.toThrow(refusal('ERR_PASSPHRASE_WEAK'));
  });
});

describe('a file at its full cost', () => {
  let file: string;
  beforeAll(async () => {
    file = await seal({ a: 'secret text' }, PASSPHRASE);
  });

  test('is opened by the library’s own decrypter, and by the page', { tags: ['long'] }, async () => {
    expect(Buffer.from(armor.decode(file)).toString('latin1')).toMatch(/^-> scrypt \S+ 18$/m);
    const decrypter = new Decrypter();
    decrypter.addPassphrase(PASSPHRASE);
    await expect(decrypter.decrypt(armor.decode(file), 'text')).resolves.toBe('{"a":"secret text"}');
    await expect(open(file)).resolves.toEqual({ a: 'secret text' });
  });

  test('may be made by another program for age', { tags: ['long'] }, async () => {
    const encrypter = new Encrypter();
    encrypter.setPassphrase(PASSPHRASE);
    const made = armor.encode(await encrypter.encrypt('{"a":"b"}'));
    await expect(open(made)).resolves.toEqual({ a: 'b' });
  });

  test.skipIf(!hasCommands)('is opened by the command age', { tags: ['long'] }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'eigenveil-age-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const path = join(folder, 'backup.age');
    await writeFile(path, file);
    // age asks for the passphrase at a terminal, which script brings.
    const typed = promisify(execFile)('script', [
      ...['--quiet', '--return', '--command', `age --decrypt --output '${join(folder, 'opened')}' '${path}'`],
      '/dev/null',
    ]);
    typed.child.stdin!.end(`${PASSPHRASE}\n`);
    await typed;
    await expect(readFile(join(folder, 'opened'), 'utf8')).resolves.toBe('{"a":"secret text"}');
  });
});
