/** What the demo makes of a file before it starts anything. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { draft } from '../../demo/task.ts';

test('a file that makes no task is the fault of its user, who is told the flag that mends it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'eigenveil-demo-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const data = join(folder, 'rows.csv');
  await writeFile(data, 'id,a,b,group\nx,1,2,u\ny,3,4,v\n');
  const setting = {
    ...{ data, label: 'group', ignore: [], owners: 2, components: 1 },
    ...{ keyBits: 2048, twoParty: 'garbled' as const },
  };
  for (const method of ['pca', 'dca'] as const)
    await expect(draft(setting, method)).rejects.toMatchObject({
      code: 'ERR_TASK_INVALID',
      message: expect.stringMatching(/^column "id" \(number 1\) of row 1 .* with --label; otherwise/),
    });
});
