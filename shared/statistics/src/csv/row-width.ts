/** Why a row may have another number of cells than the header row. */
import { type Words, words } from '@eigenveil/platform';
import { SEPARATORS, type Separator } from './reading-options.ts';
import { rowOption, rowTerm } from './reading-terms.ts';

/**
 * Says in words that a row has another width than the header row, and what may have made it so.
 * @param header how many names the header row has
 */
export function widthProblem(
  header: number,
  cells: readonly (string | undefined)[],
  separator: Separator | undefined,
): Words | string {
  const problem = `expected ${header === 1 ? '1 cell' : `${header} cells`}, got ${cells.length}`;
  const cause = likelyCause(header, cells, separator);
  return cause === undefined ? problem : words`${problem}; ${cause}`;
}

function likelyCause(
  header: number,
  cells: readonly (string | undefined)[],
  separator: Separator = 'comma',
): Words | string | undefined {
  if (cells.some((cell) => cell?.endsWith('\\') === true))
    return words`a cell ends in a backslash: ${rowTerm('escape', 'see --escape backslash')}`;
  if (cells.length === 1) {
    const text = cells[0] ?? '';
    const other = Object.entries(SEPARATORS).find(
      ([name, sign]) => name !== separator && text.split(sign).length === header,
    );
    return (
      other &&
      words`its cells are separated otherwise than those of the header row, as ${rowOption('separator', other[0])} reads`
    );
  }
  if (cells.length === header + 1)
    return cells.at(-1) === ''
      ? 'its last cell is empty: there is a separator at its end'
      : 'where names of rows stand before the cells, as R writes them, the header row needs a name for them, too';
  return cells.length > header
    ? rowTerm('aboveHeader', 'lines that stand above the header row are passed over by --skip-lines')
    : undefined;
}
