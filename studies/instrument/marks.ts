/**
 * Figures in documents, between marks that say which fact or table stands there: `<span of="faces/hidden.tells">91.3</span>` in a
 * sentence, and comments around a table, which has lines of its own. A comment at the begin of a line would end its paragraph.
 */

/** Groups are in lower case: `GROUP/STUDY.FACT`, in a document about marks, is none. */
const FACT = /<span of="([a-z-]+\/[^"]+)">((?:(?!<span |<\/span>)[\s\S])*)<\/span>/g;
const TABLE = /<!--\{table ([a-z-]+\/[^{}]+)\}-->((?:(?!<!--\{)[\s\S])*)<!--\{\}-->/g;
const OPENED = /<(?:span of="|!--\{table )([a-z-]+\/[^"{}]+)/;

/** The text behind a name. */
export interface Marked {
  /** The text of a fact such as `faces/hidden.tells`. */
  fact(name: string): string;
  /** The Markdown of a table such as `faces/hidden.told`. */
  table(name: string): string;
}

/** The names of the marks of a document. */
export function marksOf(markdown: string): { readonly facts: string[]; readonly tables: string[] } {
  const names = (mark: RegExp) => [...markdown.matchAll(mark)].map(([, name]) => name!);
  return { facts: names(FACT), tables: names(TABLE) };
}

/**
 * The document with what its marks name. A figure that differs in white space alone, which may be a line's end, stays.
 * @throws RangeError for a mark that has no end, and what `marked` throws
 */
export function withMarks(markdown: string, marked: Marked): string {
  const lost = OPENED.exec(markdown.replaceAll(FACT, '').replaceAll(TABLE, ''));
  if (lost !== null) throw new RangeError(`the mark of "${lost[1]}" expected an end`);
  return markdown
    .replaceAll(FACT, (whole, name: string, before: string) => {
      const now = marked.fact(name);
      return words(now) === words(before) ? whole : `<span of="${name}">${now}</span>`;
    })
    .replaceAll(TABLE, (whole, name: string, before: string) => {
      const now = marked.table(name);
      return words(now) === words(before) ? whole : `<!--{table ${name}}-->\n\n${now}\n\n<!--{}-->`;
    });
}

/** Cells of a table may be padded. */
const words = (text: string): string => text.replaceAll(/[\s-]+/g, ' ').trim();
