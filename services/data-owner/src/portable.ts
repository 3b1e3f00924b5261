/**
 * The part of the data owner that runs in Node.js and in browsers: what it does, and what it must not forget.
 * The program that uses it keeps the state.
 */

export { byProjector } from '@eigenveil/projection/portable';
export type { BudgetStatus } from './budget/budget.ts';
export { DatasetName, DEFAULT_DATASET } from './budget/dataset.ts';
export { Elsewhere, LedgerEntry, nextEntry } from './budget/ledger.ts';
export { partInWords } from './budget/parts.ts';
export type { Attempts, Basis } from './owner/connection.ts';
export { DataOwner } from './owner/data-owner.ts';
export { ownFloorInWords, planOwnFloor } from './owner/own-floor.ts';
export { type BrokenRule, brokenRules, checkPolicy, OwnerPolicy } from './owner/policy.ts';
export { Evidence, type TaskResult } from './owner/result.ts';
export { type Revealed, revealedBy } from './owner/reveals.ts';
export {
  digestOfData,
  Enrolment,
  hasContributed,
  newDataKey,
  type OwnerState,
  type PendingContribution,
  SeriesEntry,
  type SeriesState,
  Withdrawal,
} from './owner/state.ts';
export type { OwnerTerm, TaskTerm } from './owner/terms.ts';
export { reducedLines } from './rows/reduced-lines.ts';
