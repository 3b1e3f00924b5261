/** What a task by `rotated` releases, by the real code of both servers in this process, with products from a trusted dealer: a hundred times faster than with transfers. */
import { randomBytes } from 'node:crypto';
import type { Decomposition } from '@eigenveil/projection';
import type { Statistics } from '@eigenveil/statistics';
import { programOf, type Task } from '@eigenveil/task';
import { askRotated, MessageStream, memoryChannelPair } from '@eigenveil/two-party';
import {
  answerRotated,
  answerSketch,
  askSketch,
  clearProductsBothWays,
  drawSecrets,
  drawSketchSecrets,
  RandomBits,
} from '@eigenveil/two-party/insides';
import { AT_ONCE, share } from './two-party.ts';

/**
 * The result of a PCA, or of a sketch where there are signs.
 * @throws as the data user of the protocol
 */
export async function dealtResult(
  task: Task,
  statistics: Statistics,
  signs?: Int32Array,
): Promise<Decomposition> {
  const asked = { task, program: programOf(task) };
  const shares = share(task, statistics);
  const { csp, user } = clearProductsBothWays();
  const [left, right] = memoryChannelPair().map((channel) => new MessageStream(channel)) as [
    MessageStream,
    MessageStream,
  ];
  const random = new RandomBits((length) => randomBytes(length));
  const answering = {
    ...{ shares: shares.csp, signs, verifiedOwners: Number(statistics.owners) },
    markAnswered: async () => undefined,
  };
  const asking = { shares: shares.dataUser, signs, pace: AT_ONCE };
  const ends = signs
    ? [
        askSketch(right, async () => user, asked, asking),
        answerSketch(
          left,
          async () => csp,
          asked,
          answering,
          (sizes) => drawSketchSecrets(sizes, random),
        ),
      ]
    : [
        askRotated(right, async () => user, asked, asking),
        answerRotated(
          left,
          async () => csp,
          asked,
          answering,
          (sizes) => drawSecrets(sizes, task.components, random),
        ),
      ];
  const [result] = await Promise.all(ends);
  return result as Decomposition;
}
