/** Looks for the turns of `turns.ts` with textlint: in documents, and in comments and texts of programs. */
import { TextlintKernel, type TextlintKernelRule } from '@textlint/kernel';
import markdown from '@textlint/textlint-plugin-markdown';
import { OPENINGS, TURNS, type Turn } from './turns.ts';
import { typescript } from './typescript.ts';

/** A turn that was found. Line and column are counted from 1. */
export interface Finding {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** Makes each space of a pattern match the end of a line, too. */
const spaced = ({ source }: RegExp) => new RegExp(source.replaceAll(' ', '\\s+'), 'g');
const compiled = (turns: readonly Turn[]) =>
  turns.map((turn) => ({ ...turn, pattern: spaced(turn.pattern) }));
const ANYWHERE = compiled(TURNS);
const IN_COMMENTS = compiled([...OPENINGS, ...TURNS]);

const turns: TextlintKernelRule = {
  ruleId: 'turns',
  rule: ({ RuleError, getSource, locator, report }) => {
    const look = (list: typeof ANYWHERE) => (node: NonNullable<Parameters<typeof getSource>[0]>) => {
      // Code is no prose: here it is a word of x.
      const source = getSource(node).replaceAll(/`[^`]*`/g, (code) => 'x'.repeat(code.length));
      const start = Math.max(source.search(/\S/), 0);
      for (const { name, pattern, instead } of list)
        for (const { index, 0: found } of source.slice(start).trimEnd().matchAll(pattern))
          report(
            node,
            new RuleError(`${name}: "${found.replaceAll(/\s+/g, ' ')}" (write ${instead})`, {
              padding: locator.range([start + index, start + index + found.length]),
            }),
          );
    };
    const anywhere = look(ANYWHERE);
    return { Comment: look(IN_COMMENTS), Header: anywhere, Paragraph: anywhere, TableCell: anywhere };
  },
};

const kernel = new TextlintKernel();

/** Returns the turns in a file of TypeScript or Markdown. */
export async function findTurns(path: string, text: string): Promise<Finding[]> {
  const { messages } = await kernel.lintText(text, {
    ext: path.slice(path.lastIndexOf('.')),
    filePath: path,
    plugins: [{ pluginId: 'markdown', plugin: markdown.default }, typescript],
    rules: [turns],
  });
  return messages.map(({ loc, message }) => ({ ...loc.start, message }));
}
