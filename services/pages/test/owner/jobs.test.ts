/** The worker of the owner's page refuses these jobs. */
import { madeUpProjection, madeUpTask } from '@eigenveil/made-up/tasks';
import { expect, test } from 'vitest';
import { reduce } from '../../src/owner/jobs.ts';

test('the result of a regression reduces no rows', async () => {
  const task = madeUpTask('pca', 3, { method: { kind: 'ridge', ridge: 1 }, components: 0 });
  const projection = madeUpProjection(task, [], { regression: { weights: [0.5, 0.25], intercept: 0 } });
  const file = new Blob(['f0,f1,f2\n0,0,1\n']);
  const job = { kind: 'reduce', file, name: 'rows.csv', task, projection, basis: [] } as const;
  await expect(
    reduce({ ...job, options: { missing: 'error' }, keptColumns: [] }, () => {}),
  ).rejects.toMatchObject({
    code: 'ERR_PROJECTION_INVALID',
    message: expect.stringContaining('Predictor'),
  });
});
