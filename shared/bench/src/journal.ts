/** The journal of a run: a line for the run itself, then one per unit that was measured, so that an interrupted run can go on. */
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { Environment } from './environment.ts';
import type { Measurement, Unit } from './unit.ts';

const Value = z.union([z.number(), z.string()]);

export const RecordedMeasurement: z.ZodType<Measurement> = z.strictObject({
  id: z.string(),
  parameters: z.record(z.string(), Value),
  startedAt: z.iso.datetime(),
  seconds: z.number(),
  series: z.record(
    z.string(),
    z.strictObject({
      unit: z.enum(['ms', 'bytes', 'points', 'count']),
      samples: z.array(z.number()),
    }),
  ),
  facts: z.record(z.string(), Value),
});

/** Measurements of different runs of this description may stand in one report. */
export const RunDescription = z.strictObject({
  scale: z.enum(['quick', 'full']),
  suites: z.array(z.string()),
  environment: Environment,
});
export type RunDescription = z.infer<typeof RunDescription>;

const END = 'complete';

export class Journal {
  readonly #file: string;
  readonly #kept: Map<string, Measurement>;
  /** Units that an earlier, interrupted run measured. */
  readonly resumed: number;

  private constructor(file: string, kept: readonly Measurement[]) {
    this.#file = file;
    this.#kept = new Map(kept.map((measurement) => [measurement.id, measurement]));
    this.resumed = kept.length;
  }

  /** Goes on with the journal in `file` if its run is of the same description and did not come to its end; else starts anew. */
  static async open(file: string, description: RunDescription): Promise<Journal> {
    const kept = await readUnfinished(file, description);
    if (kept === undefined) {
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, `${JSON.stringify(description)}\n`);
    } else {
      // A line that was cut off by a crash is dropped.
      const lines = [description, ...kept].map((line) => `${JSON.stringify(line)}\n`);
      await writeFile(file, lines.join(''));
    }
    return new Journal(file, kept ?? []);
  }

  /** The measurement of a unit, if it was taken with the same parameters. */
  find({ id, parameters }: Pick<Unit, 'id' | 'parameters'>): Measurement | undefined {
    const kept = this.#kept.get(id);
    return kept !== undefined && isDeepStrictEqual(kept.parameters, parameters) ? kept : undefined;
  }

  async add(measurement: Measurement): Promise<void> {
    await appendFile(this.#file, `${JSON.stringify(measurement)}\n`);
    this.#kept.set(measurement.id, measurement);
  }

  /** The next run starts anew. */
  async end(): Promise<void> {
    await appendFile(this.#file, `${JSON.stringify(END)}\n`);
  }
}

/** What an unfinished run of this description has measured; undefined where there is none. */
async function readUnfinished(file: string, description: RunDescription): Promise<Measurement[] | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const [first, ...rest] = text.split('\n').map(parseLine);
  const known = RunDescription.safeParse(first);
  if (!known.success || !isDeepStrictEqual(known.data, description) || rest.includes(END)) return undefined;
  return rest
    .map((line) => RecordedMeasurement.safeParse(line))
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
