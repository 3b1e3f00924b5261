/** The end of a discriminant program: its checks, what is revealed where they hold, and what it means. */

import type { ResultOf } from '@eigenveil/methods';
import { CodedError } from '@eigenveil/platform';
import { notPositiveDefinite, PROJECTION_CODES } from '@eigenveil/projection/portable';
import { cappedComponents, type Program, type StatisticsTask } from '@eigenveil/task';
import { Fixed } from '../fixed-point/index.ts';
import type { Session, Wires } from '../garbling/index.ts';
import {
  cutTogether,
  poolChecks,
  readStatistics,
  readVectors,
  revealChecked,
  statisticsOutputs,
} from './outputs.ts';
import { REVEALED_FRACTION } from './precision.ts';
import type { PooledStatistics } from './statistics.ts';

export interface Components {
  /** One lane per component, REVEALED_FRACTION.pencil fraction bits. */
  readonly values: Fixed;
  /** Lane i * count + j: entry i of vector j. */
  readonly vectors: Fixed;
  readonly converged: Wires;
}

/**
 * `trace` is Q times that of the total scatter, where there is one.
 * @throws as `poolChecks`, and ERR_SINGLE_CLASS, ERR_NOT_POSITIVE_DEFINITE; all other outputs are zero then
 */
export async function revealComponents(
  session: Session,
  task: StatisticsTask,
  program: Program,
  pooled: PooledStatistics,
  trace: (() => Fixed) | undefined,
  definite: Wires,
  { values, vectors, converged }: Components,
): Promise<ResultOf<'components'> | undefined> {
  const d = task.features.length;
  const checks = [
    ...poolChecks(pooled),
    { holds: pooled.classes, error: singleClass },
    { holds: definite, error: notPositiveDefinite },
  ];
  const traceWithoutR = (): Fixed => {
    throw new RangeError('"outputs" expected no trace without R');
  };
  const numbers = await session.step((gates) => ({
    vectors,
    values: cutTogether(values, task),
    converged: Fixed.bit(gates, converged),
    ...statisticsOutputs(program.outputs, pooled, trace ?? traceWithoutR, task),
  }));
  const revealed = await revealChecked(session, checks, numbers);
  if (revealed === undefined) return undefined;
  return {
    kind: 'components',
    vectors: readVectors(revealed.vectors, d, cappedComponents(program)),
    eigenvalues: revealed.values.map((value) => Number(value) / 2 ** REVEALED_FRACTION.pencil),
    converged: revealed.converged.map((bit) => bit === 1n),
    ...readStatistics(revealed, task),
  };
}

function singleClass(): CodedError {
  return new CodedError(
    PROJECTION_CODES.ERR_SINGLE_CLASS,
    'expected samples of at least two classes, got one',
  );
}
