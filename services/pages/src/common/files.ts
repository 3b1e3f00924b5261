/** Files of the person at the page: saved, read in small slices, and words about how their rows are written. */
import { CodedError, nextTurn, type Vocabulary } from '@eigenveil/platform';
import { STATISTICS_CODES } from '@eigenveil/statistics/codes';
import type { RowTerm } from '@eigenveil/statistics/owner';

/** Hands a file to the person at the page: nothing leaves the machine. */
export function save(filename: string, mediaType: string, content: BlobPart): void {
  const url = URL.createObjectURL(new Blob([content], { type: mediaType }));
  const link = document.createElement('a');
  link.href = url;
  link.download = filename;
  link.click();
  // The browser reads the blob after this turn, so the address stays valid for a while.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** @throws ERR_FILE_UNREADABLE where the file is not there any more as it was chosen */
export function textOf(file: File): Promise<string> {
  return file.text().catch((cause: unknown) => {
    throw new CodedError(
      STATISTICS_CODES.ERR_FILE_UNREADABLE,
      `“${file.name}” was changed, moved or locked since it was chosen: choose it again`,
      { cause },
    );
  });
}

/** The size of a slice: reading its rows takes some milliseconds. A browser's own pieces have megabytes. */
const SLICE_BYTES = 1 << 15;

/** @throws the signal's reason, once it is aborted; as the source */
export async function* inSlices(
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for await (const bytes of source) {
    for (let from = 0; from < bytes.length; from += SLICE_BYTES) {
      await nextTurn();
      signal.throwIfAborted();
      yield bytes.subarray(from, from + SLICE_BYTES);
    }
  }
}

/** Words of both pages about files that are not as they should be. */
export const WRITTEN_OTHERWISE = {
  blankRows: (rows) => `${rows} of spaces alone left out`,
  blanks: () => 'spaces',
  cellsWanted: (cells) => `the header row has ${cells}`,
  cellsFound: (cells) => `, and this row has ${cells}`,
  classWanted: (classes) => `this must be one of the task’s ${classes} classes, and is`,
  emptyFile: () => 'the file is empty',
  noRows: () => 'the file has no rows',
  noWholeRow: (rows) => `no row is whole: a cell is missing in each of ${rows}`,
  notText: (name) => `this is no CSV, but ${name}`,
  numberWanted: () => 'this must be a number, and is',
  numbersInHeader: () => 'there are numbers in the first row, where the names of the columns belong',
  otherMark: (encoding) => `the page reads the file as ${encoding}, and it begins with`,
  outOfRange: (range) => `this number lies outside of the range of the task, ${range}`,
  ownColumns: () => 'columns that were taken for others of the task are not in the file:',
  sameMarks: (name) => `numbers cannot have a ${name} for two things: choose another one for one of them`,
  noEncoding: () => 'save the file as UTF-8',
  readThousands: () => 'this page does not read: write numbers without it',
  nameMissing: () => 'leave the cell empty',
  otherEncoding: () => 'save the file as UTF-8',
  escape: () => 'write a quote within a quoted cell as two quotes',
  skipLines: (lines) => `take the lines above it (${lines}) out of the file`,
  aboveHeader: () => 'take lines that stand above the header row out of the file',
  skipRows: () => 'take rows that are not numbers out of the file',
  rename: () => 'rename the column in the file',
  renameOne: () => 'rename the column in the file',
  allowClipping: () => 'write the file in the unit of the task',
  countUnreadable: () => 'write numbers in them',
  rowsFound: (rows) => `your file has ${rows} rows`,
} as const satisfies Partial<Vocabulary<RowTerm>>;

/** Returns what people call a column of a file: by its name, or by its number where it has none. */
export const columnTitle = (name: string, place: number): string =>
  name.trim() === '' ? `Column ${place + 1} (no name)` : name;
