import { Task, TaskProposal } from '@eigenveil/task';
import { describe, expect, test } from 'vitest';
import { digestTask } from '../../src/index.ts';

describe('the digest of a task', () => {
  const task = Task.parse({
    ...TaskProposal.parse({
      method: { kind: 'pca' },
      features: ['a', 'b', 'c', 'd'].map((name) => ({ name, min: -1, max: 1 })),
      components: 2,
      maximumOwners: 10,
      maximumSamplesPerOwner: 1000,
      minimumOwners: 3,
      twoParty: 'simulated',
      deadline: '2030-01-01T00:00:00.000Z',
    }),
    protocol: 'eigenveil/1',
    id: 'A'.repeat(22),
    csp: 'B'.repeat(43),
    dataUser: 'C'.repeat(43),
  });

  test('does not depend on the order of members', () => {
    const reversed = Object.fromEntries(Object.entries(task).reverse()) as Task;
    expect(digestTask(reversed)).toBe(digestTask(task));
  });

  test('changes with every parameter', () => {
    const digests = new Set([
      digestTask(task),
      digestTask({ ...task, minimumOwners: 2 }),
      digestTask({ ...task, keyBits: 4096 }),
      digestTask({ ...task, features: task.features.toReversed() }),
      digestTask({ ...task, outputs: ['mean'] }),
      digestTask({ ...task, method: { kind: 'pca', scale: 'correlation' } }),
      digestTask({ ...task, deadline: '2030-01-01T00:00:00.001Z' }),
    ]);
    expect(digests.size).toBe(7);
  });
});
