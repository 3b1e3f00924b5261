/** What is kept beside a receipt: the policy of the contribution, and whether another file is given. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TaskId } from '@eigenveil/task';
import { expect, onTestFinished, test, vi } from 'vitest';
import { OwnerHome, OwnerPolicy } from '../../src/index.ts';
import { keepHow, requireSameFile } from '../../src/owner/home.ts';

const taskId = TaskId.parse('t'.repeat(22));
const receipt = {
  taskId,
  receivedAt: '2026-01-01T00:00:00.000Z',
  contributionDigest: 'x',
} as unknown as Parameters<typeof requireSameFile>[1];
const [ONE, OTHER] = ['1'.repeat(64), '2'.repeat(64)] as const;

async function home(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'eigenveil-contributed-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return join(folder, 'home');
}

test('the policy comes back as it was, and the digest of the file is not kept in the clear', async () => {
  const folder = await home();
  expect(await new OwnerHome(folder).contributed(taskId)).toBeUndefined();
  const policy = OwnerPolicy.parse({ minimumOwners: 7, twoParty: ['garbled', 'rotated'], totalEpsilon: 3 });
  await keepHow(folder, taskId, policy, ONE);
  expect((await new OwnerHome(folder).contributed(taskId))?.policy).toEqual(policy);
  expect(await readFile(join(folder, `contributed-${taskId}.json`), 'utf8')).not.toContain(ONE);
});

test('another file is told, and what cannot be compared is let through', async () => {
  const folder = await home();
  const digestOf = vi.fn(async (): Promise<string | undefined> => OTHER);
  const check = () => requireSameFile(folder, receipt, 'rows.csv', digestOf);
  await check(); // nothing is known of the contribution, so the file is not even read
  expect(digestOf).not.toHaveBeenCalled();
  await keepHow(folder, taskId, OwnerPolicy.parse({}), undefined);
  await check();
  expect(digestOf).not.toHaveBeenCalled();
  await keepHow(folder, taskId, OwnerPolicy.parse({}), ONE);
  await expect(check()).rejects.toMatchObject({ code: 'ERR_CONTRIBUTION_CONFLICT', status: 409 });
  digestOf.mockResolvedValue(ONE);
  await check();
  digestOf.mockResolvedValue(undefined);
  await check();
  digestOf.mockRejectedValue(new Error('the file is gone'));
  await check();
});
