/** Beside a receipt, the policy of the contribution is kept, and other rows are told. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TaskId } from '@eigenveil/task';
import { expect, onTestFinished, test, vi } from 'vitest';
import { OwnerHome, OwnerPolicy } from '../../src/index.ts';
import { requireSameRows } from '../../src/owner/home.ts';

const taskId = TaskId.parse('t'.repeat(22));
const receipt = {
  taskId,
  receivedAt: '2026-01-01T00:00:00.000Z',
  contributionDigest: 'x',
} as unknown as Parameters<typeof requireSameRows>[1];
const policy = OwnerPolicy.parse({ minimumOwners: 7, twoParty: ['garbled', 'rotated'], totalEpsilon: 3 });

test('the policy comes back as it was, and other rows are told', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'eigenveil-contributed-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const home = new OwnerHome(join(folder, 'home'));
  const digestOf = vi.fn(async () => 'other');
  const check = () => requireSameRows(home, receipt, 'rows.csv', digestOf);
  await check(); // nothing is known of the contribution, so no row is read
  expect(digestOf).not.toHaveBeenCalled();
  await home.keepContributed(taskId, { policy, dataDigest: 'one' });
  expect((await home.contributed(taskId))?.policy).toEqual(policy);
  await expect(check()).rejects.toMatchObject({ code: 'ERR_CONTRIBUTION_CONFLICT', status: 409 });
  digestOf.mockResolvedValue('one');
  await check();
  // Rows of a file that is gone are let through; whatever else is wrong is told.
  const gone = Object.assign(new Error('gone'), { code: 'ENOENT' });
  digestOf.mockRejectedValue(new Error('unreadable', { cause: gone }));
  await check();
  digestOf.mockRejectedValue(new Error('bad cell'));
  await expect(check()).rejects.toThrow('bad cell');
});
