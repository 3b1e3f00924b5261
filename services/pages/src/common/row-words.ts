/**
 * Words about files of rows that both pages share. The pages have no field for these options, so the words
 * say how to write the file differently.
 */
import type { Vocabulary } from '@eigenveil/platform';
import type { RowTerm } from '@eigenveil/statistics/owner';

export const WRITTEN_OTHERWISE = {
  readThousands: () => 'this page does not read: write numbers without it',
  nameMissing: () => 'leave the cell empty',
  encoding: () => 'save the file as UTF-8',
  escape: () => 'write a quote within a quoted cell as two quotes',
  skipLines: (lines) => `take the lines above it (${lines}) out of the file`,
  aboveHeader: () => 'take lines that stand above the header row out of the file',
  skipRows: () => 'take rows that are not numbers out of the file',
  rename: () => 'rename the column in the file',
  renameOne: () => 'rename the column in the file',
  ownColumns: () => 'names of columns',
  allowClipping: () => 'write the file in the unit of the task',
  countUnreadable: () => 'write numbers in them',
} as const satisfies Partial<Vocabulary<RowTerm>>;
