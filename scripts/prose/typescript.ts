/** A plugin for textlint that reads TypeScript: it sees comments as comments, and texts of several words as paragraphs. */
import type { TxtDocumentNode } from '@textlint/ast-node-types';
import type { TextlintKernelPlugin, TextlintMessage } from '@textlint/kernel';
import { type Node, parseSync, Visitor } from 'oxc-parser';

type Span = Pick<Node, 'start' | 'end'>;
type Place = { readonly line: number; readonly column: number };

/** A text of a program is prose if it has four words in a row. */
const PROSE = /[A-Za-z]+,?( [a-z]+,?){3}/;

/** Returns the same number of characters without a letter; lines stay lines. */
const blank = (text: string) => text.replaceAll(/[^\n]/g, ' ');

/** Blanks the marks of comments, which are at the start and at the end, and at the start of each line. */
const withoutMarks = (comment: string) => comment.replaceAll(/^\/\*+|\*\/$|^[ \t]*(\/\/|\*(?!\/))/gm, blank);

/** Joins comments of one line each that follow one another without a blank line, since they are one text. */
function joined(text: string, comments: readonly (Span & { type: string })[]): Span[] {
  const spans: { type: string; start: number; end: number }[] = [];
  for (const { type, start, end } of comments) {
    const last = spans.at(-1);
    if (type === 'Line' && last?.type === 'Line' && /^[ \t]*\n[ \t]*$/.test(text.slice(last.end, start)))
      last.end = end;
    else spans.push({ type, start, end });
  }
  return spans;
}

function placesIn(text: string): (index: number) => Place {
  const starts = [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
  return (index) => {
    const line = starts.findLastIndex((start) => start <= index);
    return { line: line + 1, column: index - starts[line]! };
  };
}

function read(path: string, text: string): { text: string; ast: TxtDocumentNode } {
  const { comments, errors, program } = parseSync(path, text);
  if (errors.length > 0) throw new SyntaxError(`${path}: ${errors[0]!.message}`);
  let prose = text;
  const replace = ({ start, end }: Span, by: (text: string) => string) => {
    prose = prose.slice(0, start) + by(prose.slice(start, end)) + prose.slice(end);
  };
  const place = placesIn(text);
  const located = ({ start, end }: Span) => ({
    raw: prose.slice(start, end),
    range: [start, end] as const,
    loc: { start: place(start), end: place(end) },
  });

  const groups = joined(text, comments);
  for (const comment of groups) replace(comment, withoutMarks);
  const texts: Span[] = [];
  new Visitor({
    Literal: (node) => {
      if (typeof node.value === 'string') texts.push(node);
    },
    TemplateLiteral: (node) => {
      for (const filledIn of node.expressions) replace(filledIn, (it) => it.replaceAll(/[^\n]/g, 'x'));
      texts.push(node);
    },
  }).visit(program);
  const paragraphs = texts.filter(({ start, end }) => PROSE.test(prose.slice(start, end)));
  for (const paragraph of paragraphs) replace(paragraph, (quoted) => ` ${quoted.slice(1, -1)} `);
  const ast: TxtDocumentNode = {
    ...{ type: 'Document', ...located({ start: 0, end: text.length }) },
    children: [
      ...groups.map(
        (it) => ({ type: 'Comment', value: prose.slice(it.start, it.end), ...located(it) }) as const,
      ),
      ...paragraphs.map((it) => ({ type: 'Paragraph', children: [], ...located(it) }) as const),
    ],
  };
  return { text: prose, ast };
}

/** The plugin. */
export const typescript: TextlintKernelPlugin = {
  pluginId: 'typescript',
  plugin: {
    Processor: class {
      availableExtensions() {
        return ['.ts', '.tsx'];
      }
      processor() {
        return {
          preProcess: (text: string, path = 'text.ts') => read(path, text),
          postProcess: (messages: TextlintMessage[], filePath = 'text.ts') => ({ messages, filePath }),
        };
      }
    },
  },
};
