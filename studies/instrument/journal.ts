/** The journal of a run: a line for the run itself, then one per unit that is done, so that an interrupted run can go on. */
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';

const END = 'complete';

/** The outcome of a unit, and all that it depends on. */
interface Entry {
  readonly id: string;
  readonly parameters: Readonly<Record<string, number | string>>;
}

interface Schemas<D, E> {
  readonly description: z.ZodType<D>;
  readonly entry: z.ZodType<E>;
}

export class Journal<E extends Entry> {
  readonly #file: string;
  readonly #kept: Map<string, E>;
  /** Units that an earlier, interrupted run has done. */
  readonly resumed: number;

  private constructor(file: string, kept: readonly E[]) {
    this.#file = file;
    this.#kept = new Map(kept.map((entry) => [entry.id, entry]));
    this.resumed = kept.length;
  }

  /** Goes on with the journal in `file` if its run is of the same description and did not come to its end; otherwise it starts again. */
  static async of<D, E extends Entry>(
    file: string,
    description: D,
    schemas: Schemas<D, E>,
  ): Promise<Journal<E>> {
    const kept = await readUnfinished(file, description, schemas);
    if (kept === undefined) {
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, `${JSON.stringify(description)}\n`, { mode: 0o600 });
    } else {
      // A line that was cut off by a crash is dropped.
      const lines = [description, ...kept].map((line) => `${JSON.stringify(line)}\n`);
      await writeFile(file, lines.join(''));
    }
    return new Journal(file, kept ?? []);
  }

  /** The outcome of a unit, if it was done with the same parameters. */
  find({ id, parameters }: Entry): E | undefined {
    const kept = this.#kept.get(id);
    return kept !== undefined && isDeepStrictEqual(kept.parameters, parameters) ? kept : undefined;
  }

  async add(entry: E): Promise<void> {
    await appendFile(this.#file, `${JSON.stringify(entry)}\n`);
    this.#kept.set(entry.id, entry);
  }

  /** The next run starts again from nothing. */
  async end(): Promise<void> {
    await appendFile(this.#file, `${JSON.stringify(END)}\n`);
  }
}

/** The units that an unfinished run of this description has done; undefined where there is none. */
async function readUnfinished<D, E>(
  file: string,
  description: D,
  schemas: Schemas<D, E>,
): Promise<E[] | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const [first, ...rest] = text.split('\n').map(parseLine);
  const known = schemas.description.safeParse(first);
  if (!known.success || !isDeepStrictEqual(known.data, description) || rest.includes(END)) return undefined;
  return rest
    .map((line) => schemas.entry.safeParse(line))
    .filter((line) => line.success)
    .map((line) => line.data);
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
