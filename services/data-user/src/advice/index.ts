/**
 * Drafting a task from a sample, and telling what it will cost and give: what the command line and the
 * console have in common.
 */
export { describeSample } from './describe/sample.ts';
export { describeTask } from './describe/task.ts';
export { basisFrom, type DraftBasis, draftRefining } from './draft/basis.ts';
export {
  asksForBookRidge,
  describeBookRidge,
  withBookRidge,
  withoutBookRidge,
} from './draft/book-ridge.ts';
export { type Draft, type DraftOptions, draftOf, followingColumns } from './draft/draft.ts';
export { draftPrivacy } from './draft/privacy.ts';
export { proposalOf, withOwnCells, withoutConsent } from './draft/proposal.ts';
export { type AskedLevels, draftRanged } from './draft/ranges.ts';
export { describeRounding, roundingOfSample } from './draft/rounding.ts';
export { type DraftTerm, type ReadSampleRows, readSample, type Sample } from './draft/sample.ts';
export type { SampleColumn } from './draft/sample-column.ts';
