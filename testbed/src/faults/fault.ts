/**
 * A planted fault: a small change for the worse that one test file must notice.
 *
 * It is written like a patch, but names no file and no line: what it takes out must stand at exactly one place of all sources, white space
 * apart. So it survives that code moves from file to file or is indented otherwise, and goes stale when the code itself changes.
 * The faults of a package stand in one file, each under a line with its name.
 */

export interface Fault {
  readonly name: string;
  readonly description: string;
  /** The test file that must go red, from the root of the repository. */
  readonly test: string;
  readonly before: string;
  readonly after: string;
}

/** A source file. */
export interface Source {
  readonly path: string;
  readonly text: string;
}

/** A source file with a fault in it, and the lines of the original that the fault takes out, counted from 1. */
export interface Planted extends Source {
  readonly firstLine: number;
  readonly lastLine: number;
}

/** Why a fault cannot be planted; it is to be renewed then. */
export class FaultError extends Error {
  override readonly name = 'FaultError';
  readonly code = 'ERR_FAULT';
}

/**
 * Reads the faults of a file: for each a line `## NAME`, lines `# …` that say what it is, a line `test: PATH`, and then the lines of the
 * code, `-` before those that are taken out, `+` before those that come in their place, a blank before what only shows where.
 * @throws ERR_FAULT
 */
export function parseFaults(text: string): Fault[] {
  const [before, ...blocks] = `\n${text}`.split('\n## ');
  if (before!.trim() !== '') throw new FaultError(`expected a line "## NAME" first, got "${before!.trim()}"`);
  return blocks.map((block) => {
    const end = block.indexOf('\n');
    return parseFault(block.slice(0, end), block.slice(end + 1));
  });
}

function parseFault(name: string, text: string): Fault {
  const lines = text.split('\n').filter((line) => line !== '');
  const marked = (marks: string) =>
    lines.filter((line) => marks.includes(line[0]!)).map((line) => line.slice(1).trim());
  const description = marked('#').join(' ');
  const test = lines.find((line) => line.startsWith('test: '))?.slice('test: '.length);
  const before = marked(' -').join('\n');
  const after = marked(' +').join('\n');
  const unread = lines.find((line) => !'# -+'.includes(line[0]!) && !line.startsWith('test: '));
  if (description === '' || test === undefined || before === '' || before === after || unread !== undefined) {
    throw new FaultError(
      `${name} expected lines "# what it is", "test: PATH" and code behind "-", "+" or a blank${unread === undefined ? '' : `, got "${unread}"`}`,
    );
  }
  return { name, description, test, before, after };
}

/**
 * Returns the one file that a fault changes, changed.
 * @throws ERR_FAULT when what it takes out stands nowhere, or at several places
 */
export function plant({ before, after }: Fault, sources: readonly Source[]): Planted {
  const words = before.split(/\s+/);
  const longest = words.reduce((a, b) => (b.length > a.length ? b : a)); // few files have it
  const escaped = words.map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  const pattern = new RegExp(escaped.join('\\s+'), 'g');
  const found = sources.flatMap(({ path, text }) =>
    (text.includes(longest) ? [...text.matchAll(pattern)] : []).map(({ index, 0: { length } }) => ({
      path,
      text: `${text.slice(0, index)}${after}${text.slice(index + length)}`,
      firstLine: lineOf(text, index),
      lastLine: lineOf(text, index + length),
    })),
  );
  if (found.length === 1) return found[0]!;
  const where = found.length === 0 ? 'nowhere' : `in ${found.map(({ path }) => path).join(', ')}`;
  throw new FaultError(
    `the code that it takes out expected once, found ${where}: renew its "-" lines from the code as it is now`,
  );
}

function lineOf(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}
