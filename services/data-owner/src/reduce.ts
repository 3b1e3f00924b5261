/** Reduces an owner's rows by a projection: CSV in, CSV with one column per component out, streamed. */
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { project } from '@eigenveil/projection';
import { Discretiser, readFileBytes, readRows } from '@eigenveil/statistics';
import type { Projection } from '@eigenveil/wire';

/**
 * Writes the reduced rows of `data` to `out` and returns their number. Rows are clipped, scaled and rounded as they were
 * for the contribution, and centred if the projection carries the mean; other columns of the file are left out. Throws the
 * errors of readRows.
 */
export async function reduceFile(projection: Projection, data: string, out: string): Promise<number> {
  const { features, fractionBits, vectors, mean } = projection;
  const discretiser = new Discretiser({ features, fractionBits });
  const unit = 2 ** fractionBits;
  let rows = 0;
  async function* lines() {
    yield `${vectors.map((_, i) => `component_${i + 1}`).join(',')}\n`;
    for await (const { values } of readRows(
      readFileBytes(data),
      { features, labellings: [] },
      { ignoredColumns: 'others' },
    )) {
      const scaled = Array.from(discretiser.discretise(values), (value) => value / unit);
      const [reduced] = project({ vectors, ...(mean === undefined ? {} : { mean }) }, [scaled]);
      rows += 1;
      yield `${reduced!.join(',')}\n`;
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
