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

/** A command begins like this, after a prompt, a time of cron or variables; other lines of a block are its output. */
const PROGRAM =
  'npx|npm|node|eigenveil-\\w+|openssl|export|systemctl|mkdir|cp|docker|certbot|psql|curl|for|sha256sum|\\(umask';
const COMMAND = new RegExp(`^(?:\\$ |0 \\* \\* \\* \\* )?(?:[A-Z_]+=\\S* )*(?:${PROGRAM}) `);

const joined = (text: string): string[] => text.replaceAll(/\\\n\s*/g, '').split('\n');

/** Each on one line, with the lines that the document shows as its output. */
export function commandsOf({ text }: Block): { command: string; output: string[] }[] {
  const commands: { command: string; output: string[] }[] = [];
  for (const line of joined(text)) {
    if (line === '' || line.startsWith('#')) continue;
    if (COMMAND.test(line)) commands.push({ command: line, output: [] });
    else commands.at(-1)?.output.push(line);
  }
  return commands;
}

/** A command in the middle of a sentence; the name of a program alone is none. */
const INLINE =
  /(?<!`)`((?:[A-Z_]+=\S* )*(?:npm|npx|node|eigenveil-(?:csp|user|owner|authenticator))\s[^`]*)`(?!`)/g;

/** All commands of a document, in blocks and in sentences, each on one line. */
export function commandsIn(markdown: string): string[] {
  const inBlocks = shellBlocksOf(markdown).flatMap(commandsOf);
  const sentences = markdown.replaceAll(/^```[\s\S]*?^```$/gm, '');
  const inline = [...sentences.matchAll(INLINE)].map(([, command]) => command!.replaceAll(/\s+/g, ' '));
  return [...inBlocks.map(({ command }) => command), ...inline];
}

/** Blocks that are to be given to a shell but do not begin with a command that is known here. */
export const blocksWithoutCommand = (markdown: string): Block[] =>
  shellBlocksOf(markdown).filter((block) => !startsWithCommand(block));

function startsWithCommand({ text }: Block): boolean {
  const first = joined(text).find((line) => line !== '' && !line.startsWith('#'));
  return first !== undefined && COMMAND.test(first);
}
