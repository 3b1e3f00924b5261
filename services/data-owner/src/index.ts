/**
 * The data owner: client library and command line.
 * @module data-owner
 */

export { PaillierPool, selfTest } from '@eigenveil/paillier';
// These are exported here since a program needs them around a DataOwner, and the packages that have them are
// not installed on their own.
export { CodedError } from '@eigenveil/platform';
export { explainedVariance, Projector, saveProjection, statisticsThrough } from '@eigenveil/projection';
export {
  LabelIndex,
  RowAccumulator,
  readFileBytes,
  STATISTICS_CODES,
  type Statistics,
  statisticsOfCsv,
  statisticsOfRows,
} from '@eigenveil/statistics';

export { type Task, TaskId } from '@eigenveil/task';
export { CODES, type Projection, type Receipt, type ServiceAddress, Thumbprint } from '@eigenveil/wire';
export type { BudgetStatus } from './budget/budget.ts';
export { DEFAULT_DATASET } from './budget/dataset.ts';
export { Elsewhere, LedgerEntry } from './budget/ledger.ts';
export { ownerProgram } from './cli/command.ts';
export type { Basis } from './owner/connection.ts';
export { DataOwner, type DataOwnerOptions, type Rehearsal, type Summed } from './owner/data-owner.ts';
export { OwnerHome } from './owner/home.ts';
export type { OwnFloorTold } from './owner/own-floor.ts';
export { type BrokenRule, checkPolicy, OwnerPolicy } from './owner/policy.ts';
export type { Waiting } from './owner/result.ts';
export { Evidence, type TaskResult, verifyResult } from './owner/result.ts';
export { type Revealed, revealedBy } from './owner/reveals.ts';
export {
  type Enrolment,
  MemoryOwnerState,
  type OwnerState,
  type PendingContribution,
} from './owner/state.ts';
export { type ReducedFile, reduceFile } from './rows/reduce.ts';
export { isParquetName, type RowSettings, type Rows, rowsOf } from './rows/sources.ts';
