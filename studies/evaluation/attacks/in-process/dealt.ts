/** Runs a task by `rotated` to its release, by the real code of both servers in this process, with products from a trusted dealer: far faster than with lattices. */

import { randomBytes } from 'node:crypto';
import type { FlatResult } from '@eigenveil/methods';
import type { Statistics } from '@eigenveil/statistics';
import { programOf, type Task } from '@eigenveil/task';
import {
  answerPencil,
  answerRotated,
  answerSketch,
  askPencil,
  askRotated,
  askSketch,
  dealtLattice,
  drawPencilSecrets,
  drawSecrets,
  drawSketchSecrets,
  MessageStream,
  memoryChannelPair,
  RandomBits,
} from '@eigenveil/two-party/insides';
import { AT_ONCE, share } from './two-party.ts';

/**
 * The result of a PCA of the covariance or of a discriminant method, or of a sketch where there are signs.
 * @throws as the data user of the protocol
 */
export async function dealtResult(
  task: Task,
  statistics: Statistics,
  signs?: Int32Array,
  shares = share(task, statistics, undefined, signs),
): Promise<FlatResult> {
  const asked = { task, program: programOf(task) };
  const { csp, user } = dealtLattice();
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
  const ends = () => {
    if (signs !== undefined)
      return [
        askSketch(right, user, asked, asking),
        answerSketch(left, csp, asked, answering, (sizes) => drawSketchSecrets(sizes, random)),
      ];
    if (task.method.kind === 'pca')
      return [
        askRotated(right, user, asked, asking),
        answerRotated(left, csp, asked, answering, (sizes) => drawSecrets(sizes, task.components, random)),
      ];
    return [
      askPencil(right, user, asked, asking),
      answerPencil(left, csp, asked, answering, (sizes) => drawPencilSecrets(sizes, random)),
    ];
  };
  const [result] = await Promise.all(ends());
  return result as FlatResult;
}
