import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TaskId } from '@eigenveil/task';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { OwnerHome } from '../../src/index.ts';

let folder: string;
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'eigenveil-home-')), 'home');
});
afterEach(() => rm(join(folder, '..'), { recursive: true }));

const taskId = TaskId.parse('t'.repeat(22));

const dataDigest = 'digest';

describe("the owner's folder", () => {
  test('makes a key once and keeps it', async () => {
    const first = await new OwnerHome(folder).signingKey();
    expect((await new OwnerHome(folder).signingKey()).thumbprint).toBe(first.thumbprint);
  });

  test('is readable by its owner alone', async () => {
    const home = new OwnerHome(folder);
    await home.signingKey();
    await home.keepPending(taskId, { record: 'record', bytes: Buffer.from([1, 2]), dataDigest });
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    for (const file of await readdir(folder))
      expect((await stat(join(folder, file))).mode & 0o777).toBe(0o600);
  });

  test('gives back the very bytes that were prepared, until there is a receipt', async () => {
    const home = new OwnerHome(folder);
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
    await home.keepPending(taskId, { record: 'record', bytes, dataDigest });
    const later = await home.keepPending(taskId, { record: 'later', bytes: Buffer.from([1]), dataDigest });
    expect(later.record).toBe('record');
    const pending = await new OwnerHome(folder).pending(taskId);
    expect(pending!.record).toBe('record');
    expect(Buffer.from(pending!.bytes as Uint8Array).equals(bytes)).toBe(true);
    await home.saveReceipt(taskId, 'receipt');
    expect(await home.pending(taskId)).toBeUndefined();
    expect(await home.receipt(taskId)).toBe('receipt');
  });

  test('keeps long contributions in files of their own, which are read where they are asked for, until there is a receipt', async () => {
    const home = new OwnerHome(folder);
    const parts = [Buffer.from('one '), Buffer.from('two')];
    const made = () =>
      home.keepBytes(
        taskId,
        (async function* () {
          yield* parts;
        })(),
      );
    const bytes = await made();
    await home.keepPending(taskId, { record: 'record', bytes, dataDigest });
    const later = await home.keepPending(taskId, { record: 'later', bytes: await made(), dataDigest });
    expect(later.record).toBe('record');
    const again = new OwnerHome(folder);
    const pending = (await again.pending(taskId))!;
    expect(pending).toMatchObject({ record: 'record' });
    expect(await (pending.bytes as Blob).slice(2, 6).text()).toBe('e tw');
    const files = await readdir(folder);
    expect(files.filter((it) => it.endsWith('.bin'))).toHaveLength(1); // that of the other is gone
    for (const file of files) expect((await stat(join(folder, file))).mode & 0o777).toBe(0o600);
    const broken = home.keepBytes(
      taskId,
      (async function* () {
        yield* parts;
        throw new RangeError('no more');
      })(),
    );
    await expect(broken).rejects.toThrow(RangeError);
    expect(await readdir(folder)).toEqual(files);
    await again.saveReceipt(taskId, 'receipt');
    expect(await readdir(folder)).toEqual([`receipt-${taskId}.json`]);
  });

  test('makes nothing anew of which the bytes were lost: they may have been taken', async () => {
    const home = new OwnerHome(folder);
    const bytes = await home.keepBytes(
      taskId,
      (async function* () {
        yield Buffer.from('bytes');
      })(),
    );
    await home.keepPending(taskId, { record: 'record', bytes, dataDigest });
    for (const file of await readdir(folder)) if (file.endsWith('.bin')) await rm(join(folder, file));
    await expect(home.pending(taskId)).rejects.toMatchObject({ code: 'ERR_OWNER_HOME' });
    await home.discardPending(taskId);
    expect(await home.pending(taskId)).toBeUndefined();
  });

  test.each(['0701', '0710', '0704', '0740', '0720', '0702'])(
    'is refused with mode %s, as are its files, and changed by nobody',
    async (mode) => {
      const home = new OwnerHome(folder);
      await home.signingKey();
      const key = join(folder, 'signing-key.json');
      const before = await readFile(key, 'utf8');
      const refused = expect.objectContaining({
        code: 'ERR_OWNER_HOME',
        message: expect.stringMatching(new RegExp(`got mode ${mode}: chmod -R go= '${folder}'$`)),
      });
      for (const [path, closed] of [
        [folder, 0o700],
        [key, 0o600],
      ] as const) {
        await chmod(path, Number.parseInt(mode, 8));
        await expect(home.signingKey()).rejects.toEqual(refused);
        if (path === folder) await expect(home.saveReceipt(taskId, 'receipt')).rejects.toEqual(refused);
        await chmod(path, closed);
      }
      expect(await readdir(folder)).toEqual(['signing-key.json']);
      expect(await readFile(key, 'utf8')).toBe(before);
      expect((await home.signingKey()).thumbprint).toHaveLength(43);
    },
  );

  test('is refused when somebody else made it open, before a key is put there', async () => {
    await mkdir(folder, { mode: 0o755 });
    await expect(new OwnerHome(folder).signingKey()).rejects.toMatchObject({ code: 'ERR_OWNER_HOME' });
    expect(await readdir(folder)).toEqual([]);
  });

  test('says what cannot be used without showing what it holds', async () => {
    const home = new OwnerHome(folder);
    await home.signingKey();
    for (const secret of ['4815162342', '{"token":"4815162342"}']) {
      await writeFile(join(folder, 'enrolment.json'), secret, { mode: 0o600 });
      const error: unknown = await home.enrolment().catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'ERR_OWNER_HOME' });
      expect(String((error as Error).stack) + String((error as Error).cause)).not.toContain('4815162342');
    }
    const file = new OwnerHome(join(folder, 'enrolment.json'));
    await expect(file.enrolment()).rejects.toMatchObject({
      code: 'ERR_OWNER_HOME',
      message: expect.stringContaining('not a directory'),
    });
  });

  test('tells data apart by the same digest after a restart', async () => {
    const digest = await new OwnerHome(folder).digestOfData(taskId, [1n, -2n]);
    expect(await new OwnerHome(folder).digestOfData(taskId, [1n, -2n])).toBe(digest);
  });

  test('leaves no half-written file behind', async () => {
    const home = new OwnerHome(folder);
    await Promise.all(Array.from({ length: 20 }, (_, i) => home.saveReceipt(taskId, `receipt ${i}`)));
    expect(await readdir(folder)).toEqual([`receipt-${taskId}.json`]);
    expect(JSON.parse(await readFile(join(folder, `receipt-${taskId}.json`), 'utf8'))).toMatch(
      /^receipt \d+$/,
    );
  });
});
