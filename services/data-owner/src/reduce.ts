/** Reduces an owner's rows by a projection: CSV in, CSV with one column per component out, streamed. */
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Projector } from '@eigenveil/projection';
import { readFileBytes, readRows } from '@eigenveil/statistics';
import type { Task } from '@eigenveil/task';
import type { Projection } from '@eigenveil/wire';

/**
 * Writes the reduced rows of `data` to `out` and returns their number: see Projector. Other columns of the file are left out.
 * @throws ERR_PROJECTION_INVALID, before a row is read, and as `readRows`
 */
export async function reduceFile(
  task: Task,
  projection: Projection,
  data: string,
  out: string,
): Promise<number> {
  const projector = new Projector(task, projection);
  const { features } = task;
  let rows = 0;
  async function* lines() {
    yield `${projection.vectors.map((_, i) => `component_${i + 1}`).join(',')}\n`;
    for await (const { values } of readRows(
      readFileBytes(data),
      { features, labellings: [] },
      { ignoredColumns: 'others' },
    )) {
      rows += 1;
      yield `${projector.reduce(values).join(',')}\n`;
    }
  }
  // Whole or not at all: rows that cannot be read must not cost an earlier result.
  const draft = `${out}.${process.pid}.tmp`;
  try {
    await pipeline(Readable.from(lines()), createWriteStream(draft));
    await rename(draft, out);
  } finally {
    await rm(draft, { force: true });
  }
  return rows;
}
