import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TaskId } from '@eigenveil/wire';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { OwnerHome } from '../src/index.ts';

let folder: string;
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'eigenveil-home-')), 'home');
});
afterEach(() => rm(join(folder, '..'), { recursive: true }));

const taskId = TaskId.parse('t'.repeat(22));

describe("the owner's folder", () => {
  test('makes a key once and keeps it', async () => {
    const first = await new OwnerHome(folder).signingKey();
    expect((await new OwnerHome(folder).signingKey()).thumbprint).toBe(first.thumbprint);
  });

  test('is readable by its owner alone', async () => {
    const home = new OwnerHome(folder);
    await home.signingKey();
    await home.keepPending(taskId, { record: 'record', bytes: Buffer.from([1, 2]) });
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    for (const file of await readdir(folder))
      expect((await stat(join(folder, file))).mode & 0o777).toBe(0o600);
  });

  test('gives back the very bytes that were prepared, until there is a receipt', async () => {
    const home = new OwnerHome(folder);
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
    await home.keepPending(taskId, { record: 'record', bytes });
    const later = await home.keepPending(taskId, { record: 'later', bytes: Buffer.from([1]) });
    expect(later.record).toBe('record');
    const pending = await new OwnerHome(folder).pending(taskId);
    expect(pending!.record).toBe('record');
    expect(Buffer.from(pending!.bytes).equals(bytes)).toBe(true);
    await home.saveReceipt(taskId, 'receipt');
    expect(await home.pending(taskId)).toBeUndefined();
    expect(await home.receipt(taskId)).toBe('receipt');
    await home.forget(taskId);
    expect(await home.receipt(taskId)).toBeUndefined();
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
