/** The files that one text names: a file, a folder with all that is in it, or a pattern. */
import { glob, readdir, stat } from 'node:fs/promises';
import { join, matchesGlob } from 'node:path';
import { CodedError } from '@eigenveil/platform';
import { STATISTICS_CODES } from '../codes.ts';
import { STANDARD_INPUT } from './disk.ts';

/** Says whether this may name several files. */
export const isPattern = (file: string) => /[*?[{]/.test(file);

/** Files that programs leave beside rows: `_SUCCESS`, `.part-0.parquet.crc`. */
const isHidden = (name: string) => /^[._]/.test(name) && name !== '.' && name !== '..';

/**
 * The files, sorted, so that rows have one order. A file of that very name comes before a pattern. In folders
 * and patterns, names that begin with `_` or `.` are passed over, unless the pattern says so itself.
 * @returns for what is named as one file, that file, whether it is there or not; for `-` the same
 * @throws ERR_FILE_UNREADABLE for a folder or a pattern without files
 */
export async function filesOf(pattern: string): Promise<string[]> {
  if (pattern === STANDARD_INPUT) return [pattern];
  const kind = await kindOf(pattern);
  if (kind === 'folder') return someOf(pattern, await filesIn(pattern));
  if (kind === 'file' || !isPattern(pattern)) return [pattern];
  const segments = pattern.split('/');
  const matches: string[] = [];
  for await (const path of glob(pattern)) if (isMeant(path, segments)) matches.push(path);
  const kinds = await Promise.all(matches.map(kindOf));
  const files = matches.filter((_, i) => kinds[i] === 'file');
  if (files.length > 0 || pattern.includes('**')) return someOf(pattern, files);
  // Folders alone: each is one table, as Spark writes them.
  return someOf(pattern, (await Promise.all(matches.map(filesIn))).flat());
}

function someOf(pattern: string, files: readonly string[]): string[] {
  if (files.length > 0) return [...new Set(files)].sort();
  throw new CodedError(
    STATISTICS_CODES.ERR_FILE_UNREADABLE,
    `${JSON.stringify(pattern)} expected files, got none (names that begin with _ or . are passed over)`,
  );
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: false, withFileTypes: true });
  const found = await Promise.all(
    entries
      .filter(({ name }) => !isHidden(name))
      .map(async ({ name }) => {
        const path = join(folder, name);
        return (await kindOf(path)) === 'folder' ? filesIn(path) : [path];
      }),
  );
  return found.flat();
}

async function kindOf(path: string): Promise<'file' | 'folder' | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return undefined;
  return found.isDirectory() ? 'folder' : 'file';
}

/**
 * Says whether each hidden name on the way stands in the pattern, or in a part of it that asks for hidden
 * names.
 */
function isMeant(path: string, segments: readonly string[]): boolean {
  return path
    .split('/')
    .filter(isHidden)
    .every((name) => segments.some((part) => part[0] === name[0] && matchesGlob(name, part)));
}

/**
 * Returns what folders on the way to a file say of columns: `month=1/rows.csv` has the value 1 in the column
 * month.
 * @throws ERR_CSV_COLUMNS where no folder names one of them
 */
export function folderValues(file: string, columns: readonly string[]): string[] {
  const folders = file.split(/[/\\]/).slice(0, -1);
  return columns.map((column) => {
    const folder = folders.findLast((name) => name.startsWith(`${column}=`));
    if (folder === undefined)
      throw new CodedError(
        STATISTICS_CODES.ERR_CSV_COLUMNS,
        `"--folder-columns" expected a folder ${JSON.stringify(`${column}=…`)} on the way to ${JSON.stringify(file)}`,
      );
    const value = folder.slice(column.length + 1);
    return value === NO_VALUE ? '' : unescaped(value);
  });
}

/** The name by which Hive writes a value that is missing. */
const NO_VALUE = '__HIVE_DEFAULT_PARTITION__';

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
