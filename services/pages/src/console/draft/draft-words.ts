/**
 * Messages about samples, drafts and tasks in the words of the console, which has no options and reads files
 * in one form only.
 */
import type { DraftTerm } from '@eigenveil/data-user/draft';
import type { Vocabulary, Words } from '@eigenveil/platform';
import type { RowTerm } from '@eigenveil/statistics/owner';
import type { CheckTerm } from '@eigenveil/task';
import { WRITTEN_OTHERWISE } from '../../common/files.ts';

const NOTHING = () => 'nothing on this page';

const ROW_WORDS: Vocabulary<RowTerm> = {
  ...WRITTEN_OTHERWISE,
  allowClipping: () => 'write the file in the unit of the range, or give a wider range',
  separator: () => 'a file with commas between its cells',
  decimal: NOTHING,
  thousands: NOTHING,
  trim: NOTHING,
  trimmed: () => ': take them out of the file',
  missing: NOTHING,
  missingValues: NOTHING,
  encoding: NOTHING,
  numericLabels: NOTHING,
  ignore: NOTHING,
  defaultMissing: NOTHING,
};

const DRAFT_WORDS: Vocabulary<DraftTerm> = {
  draftConsentOfCsp: () => 'if its operator allows such results',
  draftIgnore: () => 'by what the columns are for',
  draftLabels: () => 'leave it out',
  draftLower: (most) => `this must be a number above 0, and at most ${most}`,
  draftMachine: () => 'a machine of 2 cores',
  draftMissing: () => 'take such rows out of the sample',
  draftRangesFrom: () => '“Ranges from a histogram”',
  draftNameless: () => 'give it one in the file, or take it out',
  draftSeparator: () => 'write the file with commas between cells, and with decimal points',
  draftTrim: () => 'take them out of the file',
  draftUnits: () => 'take it out of the file',
  draftUpper: (least) => `this must be a number from ${least} to below 1`,
  draftWayOut: () => 'if it is a class label, say so of the column; otherwise leave it out',
};

const CHECK_WORDS: Vocabulary<CheckTerm> = { regrain: () => 'a draft from a sample has it' };

export function draftWords(message: Words | string): string {
  return typeof message === 'string' ? message : message.by({ ...ROW_WORDS, ...DRAFT_WORDS, ...CHECK_WORDS });
}
