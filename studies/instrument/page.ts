/** The page of a study: Markdown whose heading has its id and its title, with a remark behind it where it takes no rows of its user. */
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';

export interface Page {
  readonly id: string;
  /** One line, for `--list`. */
  readonly title: string;
  /** The subject of a study that takes no rows; undefined where it takes those of its user. */
  readonly measures: string | undefined;
  /** All that stands below. */
  readonly words: string;
}

const HEAD =
  /^# (?<id>[\w-]+\/[\w-]+): (?<title>.+)\n\n(?:<!-- takes no rows: it measures (?<measures>.+) -->\n\n)?/;

function pageOf(text: string): Page | undefined {
  const { 0: head = '', groups } = HEAD.exec(text) ?? {};
  if (groups === undefined) return undefined;
  const { id, title, measures } = groups;
  return { id: id!, title: title!, measures, words: text.slice(head.length) };
}

/** @throws RangeError for a page without such a heading */
export async function readPage(file: URL): Promise<Page> {
  const page = pageOf(await readFile(file, 'utf8'));
  if (page === undefined) throw new RangeError(`${file.pathname} expected "# GROUP/STUDY: TITLE" at its top`);
  return page;
}

/** The pages of studies within a folder, group by group. */
export async function pagesIn(folder: string, groups: readonly string[]): Promise<Page[]> {
  const root = pathToFileURL(`${folder}/`);
  const texts = globSync('**/*.md', { cwd: folder })
    .sort()
    .map((path) => readFile(new URL(path, root), 'utf8'));
  const pages = (await Promise.all(texts)).flatMap((text) => pageOf(text) ?? []);
  return groups.flatMap((group) => pages.filter(({ id }) => id.startsWith(`${group}/`)));
}

/** A line of a list of studies. */
export const listed = (name: string, { title, measures }: Page, width: number): string =>
  `${name.padEnd(width)} ${title}${measures === undefined ? '' : ' (takes no rows)'}`;
