/** The data owner in Node.js and in browsers: what it does, and what it must not forget. Whoever uses it keeps the state. */
export type { Basis } from './basis.ts';
export { type BudgetStatus, budgetStatus } from './budget.ts';
export { DataOwner, type DataOwnerOptions, type Summed } from './data-owner.ts';
export { DatasetName, DEFAULT_DATASET } from './dataset.ts';
export { Elsewhere, LedgerEntry, nextEntry } from './ledger.ts';
export { type OwnFloorTold, ownFloorInWords, planOwnFloor } from './own-floor.ts';
export { partInWords } from './parts.ts';
export { type BrokenRule, brokenRules, checkPolicy, OwnerPolicy } from './policy.ts';
export { byPredictor, byProjector, reducedLines } from './reduced-lines.ts';
export { Evidence, type TaskResult, verifyResult } from './result.ts';
export { type Revealed, revealedBy } from './reveals.ts';
export {
  digestOfData,
  Enrolment,
  MemoryOwnerState,
  newDataKey,
  type OwnerState,
  type PendingContribution,
  SeriesEntry,
  type SeriesState,
} from './state.ts';
export type { OwnerTerm, TaskTerm } from './terms.ts';
export { untilReady, type Waiting } from './waiting.ts';
