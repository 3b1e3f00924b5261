/** How large a service's database is, and how much room its disk has. */
import { stat, statfs } from 'node:fs/promises';
import type { Metrics } from '../observe/metrics.ts';

/** `databaseBytes` reads the size of the database, wherever it lies. */
export function measureStorage(
  metrics: Metrics,
  dataDirectory: string,
  databaseBytes: () => Promise<number>,
): void {
  metrics.gauge('database_bytes', 'Size of the database, with its log where it is SQLite.', databaseBytes);
  metrics.gauge('disk_free_bytes', 'Room on the disk of the data directory.', async () => {
    const { bavail, bsize } = await statfs(dataDirectory);
    return bavail * bsize;
  });
}

/** Of a SQLite database and its log. */
export async function sqliteBytes(path: string): Promise<number> {
  const log = stat(`${path}-wal`).catch(() => ({ size: 0 }));
  return (await stat(path)).size + (await log).size;
}
