/**
 * A planted fault: a small change for the worse that one test file must notice.
 *
 * It is written like a patch, but names no file and no line: what it takes out must stand at exactly one place of all sources, white space
 * apart. So it survives that code moves from file to file or is indented otherwise, and goes stale when the code itself changes.
 */

export interface Fault {
  /** Of its file, without the ending. */
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

/** Why a fault cannot be planted; it is to be renewed then. */
export class FaultError extends Error {
  override readonly name = 'FaultError';
  readonly code = 'ERR_FAULT';
}

/**
 * Reads a fault: lines `# …` that say what it is, a line `test: PATH`, and then the lines of the code, `-` before those that are taken
 * out, `+` before those that come in their place, a blank before what only shows where.
 * @throws ERR_FAULT
 */
export function parseFault(name: string, text: string): Fault {
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
 * The one file that a fault changes, changed.
 * @throws ERR_FAULT when what it takes out stands nowhere, or at several places
 */
export function plant({ before, after }: Fault, sources: readonly Source[]): Source {
  const words = before.split(/\s+/).map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  const pattern = new RegExp(words.join('\\s+'), 'g');
  const found = sources.flatMap(({ path, text }) =>
    [...text.matchAll(pattern)].map(({ index, 0: { length } }) => ({
      path,
      text: `${text.slice(0, index)}${after}${text.slice(index + length)}`,
    })),
  );
  if (found.length === 1) return found[0]!;
  const where = found.length === 0 ? 'nowhere' : `in ${found.map(({ path }) => path).join(', ')}`;
  throw new FaultError(
    `the code that it takes out expected once, found ${where}: renew its "-" lines from the code as it is now`,
  );
}
