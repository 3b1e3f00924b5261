/** Figures in documents, between marks that say which fact or table stands there: `<!--{faces/hidden.tells}-->91.3<!--{}-->`. */

/** Groups are in lower case: `GROUP/STUDY.FACT`, in a document about marks, is none. */
const MARK = /<!--\{((?:table )?[a-z-]+\/[^{}]+)\}-->((?:(?!<!--\{)[\s\S])*)<!--\{\}-->/g;
const OPENED = /<!--\{((?:table )?[a-z-]+\/[^{}]+)\}-->/;
const TABLE = 'table ';

/** What stands behind a name. */
export interface Marked {
  /** The text of a fact such as `faces/hidden.tells`. */
  fact(name: string): string;
  /** The Markdown of a table such as `faces/hidden.told`. */
  table(name: string): string;
}

/** The names of the marks of a document, in their order. */
export function marksOf(markdown: string): string[] {
  return [...markdown.matchAll(MARK)].map(([, name]) => name!);
}

/**
 * The document with what its marks name. A figure that differs in white space alone, which may be a line's end, stays.
 * @throws RangeError for a mark that has no end, and what `marked` throws
 */
export function withMarks(markdown: string, marked: Marked): string {
  const lost = OPENED.exec(markdown.replaceAll(MARK, ''));
  if (lost !== null) throw new RangeError(`the mark of "${lost[1]}" expected an end <!--{}-->`);
  return markdown.replaceAll(MARK, (whole, name: string, before: string) => {
    const isTable = name.startsWith(TABLE);
    const now = isTable ? `\n\n${marked.table(name.slice(TABLE.length))}\n\n` : marked.fact(name);
    return words(now) === words(before) ? whole : `<!--{${name}}-->${now}<!--{}-->`;
  });
}

/** Cells of a table may be padded. */
const words = (text: string): string => text.replaceAll(/[\s-]+/g, ' ').trim();
