/** Decompositions as programs of a two-party session. */
export { type CheckedDecomposition, pca } from './pca.ts';
export type { Shares } from './statistics.ts';

import type { Program } from '@eigenveil/projection';
import type { StatisticsTask } from '@eigenveil/statistics';
import type { Session } from '../garbling/index.ts';
import { type CheckedDecomposition, pca } from './pca.ts';
import type { Shares } from './statistics.ts';

export function runProgram(
  session: Session,
  task: StatisticsTask,
  program: Program,
  shares: Shares,
): Promise<CheckedDecomposition | undefined> {
  return pca(session, task, program, shares);
}
