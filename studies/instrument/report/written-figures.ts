/** Figures in documents, which are written from a report and never by hand: sentences that stand there, with the places of their figures. */

export interface Sentence {
  /** As the document has it, whatever its lines are, with `{}` in the place of each figure. */
  readonly says: string;
  readonly figures: readonly string[];
}

/** A day, a commit, or a number, perhaps with an exponent or a unit. */
const FIGURE =
  '(\\d{4}-\\d\\d-\\d\\d|[0-9a-f]{8}|[+−-]?\\d(?:[\\d.,]*\\d)?(?:e[+-]?\\d+)?(?:\\s+(?:min|s|ms|µs|bytes|kB|MB|GB)\\b)?)';
const WHOLE = new RegExp(`^${FIGURE}$`);
const EACH = new RegExp(FIGURE, 'g');

/** A text that stands in a document, with places for all of its figures: `35 / 71 ms` has two. */
export function withPlaces(text: string): Sentence {
  const figures: string[] = [];
  const says = text.replaceAll(EACH, (figure) => {
    figures.push(figure);
    return '{}';
  });
  return { says, figures };
}

/**
 * The document with these figures.
 * @throws RangeError for a sentence that does not stand there exactly once, or has more or fewer places than figures, and for a figure that is none
 */
export function withFigures(markdown: string, sentences: readonly Sentence[]): string {
  return sentences.reduce(written, markdown);
}

function written(markdown: string, { says, figures }: Sentence): string {
  const parts = says.split('{}');
  if (parts.length !== figures.length + 1)
    throw new RangeError(`"${says}" expected ${parts.length - 1} figures, got ${figures.length}`);
  const none = figures.find((figure) => !WHOLE.test(figure));
  if (none !== undefined) throw new RangeError(`"${says}" expected numbers, got "${none}"`);
  const pattern = new RegExp(parts.map(literal).join(FIGURE), 'gd');
  const [found, second] = markdown.matchAll(pattern);
  if (found === undefined || second !== undefined)
    throw new RangeError(`"${says}" expected once, got ${found === undefined ? 'none' : 'more'}`);
  // From the last to the first, so that places stay where they are.
  return figures.reduceRight((text, figure, i) => {
    const [start, end] = found.indices![i + 1]!;
    return text.slice(0, start) + figure + text.slice(end);
  }, markdown);
}

/** A figure's whitespace may be a line's end. */
const literal = (text: string): string =>
  text
    .split(/\s+/)
    .map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
    .join(String.raw`\s+`);
