/** Why a row may have another number of cells than the header row. */
import { SEPARATORS, type Separator } from './reading-options.ts';

/**
 * Says in words that a row has another width than the header row, and what may have made it so.
 * @param header how many names the header row has
 */
export function widthProblem(
  header: number,
  cells: readonly (string | undefined)[],
  separator: Separator | undefined,
): string {
  const problem = `expected ${header === 1 ? '1 cell' : `${header} cells`}, got ${cells.length}`;
  const cause = likelyCause(header, cells, separator);
  return cause === undefined ? problem : `${problem}; ${cause}`;
}

function likelyCause(
  header: number,
  cells: readonly (string | undefined)[],
  separator: Separator = 'comma',
): string | undefined {
  if (cells.some((cell) => cell?.endsWith('\\') === true))
    return 'a cell ends in a backslash: see --escape backslash';
  if (cells.length === 1) {
    const text = cells[0] ?? '';
    const other = Object.entries(SEPARATORS).find(
      ([name, sign]) => name !== separator && text.split(sign).length === header,
    );
    return (
      other &&
      `its cells are separated otherwise than those of the header row, as --separator ${other[0]} reads`
    );
  }
  if (cells.length === header + 1)
    return cells.at(-1) === ''
      ? 'its last cell is empty: there is a separator at its end'
      : 'where names of rows stand before the cells, as R writes them, the header row needs a name for them, too';
  return cells.length > header
    ? 'lines that stand above the header row are passed over by --skip-lines'
    : undefined;
}
