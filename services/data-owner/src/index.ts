/** The data owner: client library and command line. */

export { PaillierPool, selfTest } from '@eigenveil/paillier';
// A program needs these around a DataOwner, and the packages that have them are not installed on their own.
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

export type { Basis } from './basis.ts';
export type { BudgetStatus } from './budget.ts';
export { ownerProgram } from './command.ts';
export { DataOwner, type DataOwnerOptions, type Rehearsal, type Summed } from './data-owner.ts';
export { DEFAULT_DATASET } from './dataset.ts';
export { OwnerHome } from './home.ts';
export { Elsewhere, LedgerEntry } from './ledger.ts';
export type { OwnFloorTold } from './own-floor.ts';
export { type BrokenRule, checkPolicy, OwnerPolicy } from './policy.ts';
export { type ReducedFile, reduceFile } from './reduce.ts';
export { Evidence, type TaskResult, verifyResult } from './result.ts';
export { type Revealed, revealedBy } from './reveals.ts';
export { isParquetName, type RowSettings, type Rows, rowsOf } from './rows.ts';
export { type Enrolment, MemoryOwnerState, type OwnerState, type PendingContribution } from './state.ts';
export type { Waiting } from './waiting.ts';
