/** Messages about samples and drafts in the words of the console, which has neither options nor a way to read files that are written otherwise. */
import type { DraftTerm } from '@eigenveil/data-user/draft';
import type { Vocabulary, Words } from '@eigenveil/platform';
import type { RowTerm } from '@eigenveil/statistics/owner';

const NOTHING = () => 'nothing on this page';

const ROW_WORDS: Vocabulary<RowTerm> = {
  separator: () => 'a file with commas between its cells',
  decimal: NOTHING,
  thousands: NOTHING,
  readThousands: () => 'this page does not read: write numbers without it',
  trim: NOTHING,
  missing: NOTHING,
  numericLabels: NOTHING,
  ignore: NOTHING,
  defaultMissing: NOTHING,
  nameMissing: () => 'leave the cell empty',
  encoding: () => 'save the file as UTF-8',
  escape: () => 'write a quote within a quoted cell as two quotes',
  skipLines: (lines) => `take the lines above it (${lines}) out of the file`,
  aboveHeader: () => 'take lines that stand above the header row out of the file',
  skipRows: () => 'take what is no row of numbers out of the file',
  rename: () => 'rename the column in the file',
  renameOne: () => 'rename the column in the file',
  ownColumns: () => 'names of columns',
  allowClipping: () => 'write the file in the unit of the task',
  countUnreadable: () => 'write numbers in them',
};

const DRAFT_WORDS: Vocabulary<DraftTerm> = {
  draftIgnore: () => 'by what the columns are for',
  draftLabels: () => 'leave it out',
  draftMissing: () => 'take such rows out of the sample',
  draftNameless: () => 'give it one in the file, or take it out',
  draftSeparator: () => 'write the file with commas between cells, and with decimal points',
  draftTrim: () => 'take them out of the file',
  draftUnits: () => 'take it out of the file',
  draftWayOut: () => 'if it is a class label, say so of the column; otherwise leave it out',
};

export function draftWords(message: Words): string {
  return message.by({ ...ROW_WORDS, ...DRAFT_WORDS });
}
