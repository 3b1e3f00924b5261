import { principalAngles } from '@eigenveil/projection';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dataFile, exampleOf, reference, split, summarise } from './support/tasks.ts';
import { World } from './support/world.ts';

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.close());

const OWNERS = 3;

describe('the way of the data', () => {
  test.each([['ionosphere', 'pca', {}]] as const)(
    '%s %s equals the clear reference',
    async (name, method, changes) => {
      const { proposal, rows } = await exampleOf(dataFile(name), method, changes);
      const parts = split(rows, OWNERS);
      const client = await world.taskClient();
      const { task } = await client.create(proposal);
      const owners = await Promise.all(parts.map(() => world.enrolledOwner()));
      await Promise.all(
        owners.map(({ owner }, i) =>
          owner.contribute(world.dataUserAddress, task.id, async (t) => summarise(t, parts[i]!)),
        ),
      );
      await client.closeTask(task.id);
      await expect.poll(async () => (await client.status(task.id)).state, { timeout: 20_000 }).toBe('done');
      const projection = await owners[0]!.owner.projection(world.dataUserAddress, task.id);
      const { decomposition } = reference(proposal, parts);
      expect(Math.max(...principalAngles(projection.vectors, decomposition.vectors))).toBeLessThan(1e-7);
    },
  );
});
