/** Terms in messages about files of rows: options, in whose place a surface without them says what to do. */
import { option, term, type Words } from '@eigenveil/platform';

/**
 * Sentences about what is wrong with a file. The command line says what was expected and what came; a page
 * says what the file has.
 */
type FaultTerm =
  | 'cellsFound'
  | 'cellsWanted'
  | 'classWanted'
  | 'blankRows'
  | 'blanks'
  | 'emptyFile'
  | 'noRows'
  | 'noWholeRow'
  | 'notText'
  | 'numberWanted'
  | 'numbersInHeader'
  | 'otherMark'
  | 'outOfRange'
  | 'ownColumns'
  | 'sameMarks'
  | 'trimmed';

/** The terms of this package; a surface that has words of its own has some for every one of them. */
export type RowTerm =
  | FaultTerm
  | 'separator'
  | 'decimal'
  | 'thousands'
  | 'trim'
  | 'missing'
  | 'missingValues'
  | 'numericLabels'
  | 'ignore'
  | 'defaultMissing'
  | 'nameMissing'
  | 'readThousands'
  | 'encoding'
  | 'otherEncoding'
  | 'noEncoding'
  | 'escape'
  | 'skipLines'
  | 'aboveHeader'
  | 'skipRows'
  | 'rename'
  | 'renameOne'
  | 'allowClipping'
  | 'countUnreadable'
  | 'rowsFound';

/** An option by its name. */
export const rowOption = (name: RowTerm, value?: string): Words => option(name, value);

/** Words with an option in them, which make no sense where there is none. */
export const rowTerm = (name: RowTerm, text: string, value?: string): Words => term(name, text, value);

/** Blanks around something, and behind that the way to read it without them. */
export const BLANKS = rowTerm('blanks', 'blanks');
export const TRIMMED = rowTerm('trimmed', ', which --trim passes over');
