/** All methods as programs of a two-party session. */
import { CodedError } from '@eigenveil/platform';
import { PROJECTION_CODES } from '@eigenveil/projection/portable';
import type { Program, StatisticsTask } from '@eigenveil/task';
import type { Session } from '../garbling/index.ts';
import { discriminant } from './discriminant.ts';
import type { Shares } from './inputs.ts';
import { mdr } from './mdr.ts';
import { type CheckedDecomposition, pca } from './pca.ts';
import { ridge } from './ridge.ts';

export type { Shares } from './inputs.ts';
export { type CheckedDecomposition, pca } from './pca.ts';

/**
 * Runs the program of the task's method; the evaluator's session gets the decomposition, the garbler's nothing.
 * @throws as `pca`, `discriminant`, `mdr` and `ridge`
 */
export async function runProgram(
  session: Session,
  task: StatisticsTask,
  program: Program,
  shares: Shares,
): Promise<CheckedDecomposition | undefined> {
  const { method } = task;
  switch (method.kind) {
    case 'pca':
      return pca(session, task, program, shares);
    case 'dca':
    case 'lda':
      return discriminant(session, task, program, shares, method);
    case 'mdr':
      return mdr(session, task, program, shares, method.ridge);
    case 'ridge':
      return ridge(session, task, program, shares, method.ridge);
    case 'histogram':
      throw new CodedError(
        PROJECTION_CODES.ERR_PROGRAM_INVALID,
        '"method" expected one that decomposes, got histogram',
      );
  }
}
