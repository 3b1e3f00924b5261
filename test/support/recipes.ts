/** The commands of a document's blocks, as a reader would give them. */

export interface Block {
  /** Where it begins, for messages. */
  readonly line: number;
  readonly language: string;
  readonly text: string;
}

export function blocksOf(markdown: string): Block[] {
  return [...markdown.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(({ index, 1: language, 2: text }) => ({
    line: markdown.slice(0, index).split('\n').length,
    language: language!,
    text: text!,
  }));
}

export const shellBlocksOf = (markdown: string): Block[] =>
  blocksOf(markdown).filter(({ language }) => language === '');

export const blockWith = (markdown: string, words: string): Block[] =>
  shellBlocksOf(markdown).filter(({ text }) => text.includes(words));

/** A command begins like this; other lines of a block are its output. */
const COMMAND = /^(?:npx|npm|openssl|export|systemctl|mkdir|cp|[A-Z_]+=\S+ npx) /;

/** Each on one line, with the lines that the document shows as its output. */
export function commandsOf({ text }: Block): { command: string; output: string[] }[] {
  const commands: { command: string; output: string[] }[] = [];
  for (const line of text.replaceAll(/\\\n\s*/g, '').split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    if (COMMAND.test(line)) commands.push({ command: line, output: [] });
    else commands.at(-1)?.output.push(line);
  }
  return commands;
}
