/** A look into a service's database from outside, read-only, while the service runs. */
import { existsSync, readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { databaseFile } from '@eigenveil/server';

/** The rows of a query over the database in a service's data directory. */
export function query(
  dataDirectory: string,
  sql: string,
  ...parameters: (string | number)[]
): Record<string, unknown>[] {
  const db = new DatabaseSync(databaseFile(dataDirectory), { readOnly: true });
  try {
    return db.prepare(sql).all(...parameters);
  } finally {
    db.close();
  }
}

const CHUNK_BYTES = 48;

/** Whether any stretch of 48 bytes of `secret` is still in the database file or its log. */
export function isStillInFiles(dataDirectory: string, secret: Uint8Array): boolean {
  const file = databaseFile(dataDirectory);
  const paths = [file, `${file}-wal`].filter((path) => existsSync(path));
  const chunks: Uint8Array[] = [];
  for (let start = 0; start + CHUNK_BYTES <= secret.length; start += CHUNK_BYTES) {
    chunks.push(secret.subarray(start, start + CHUNK_BYTES));
  }
  return paths
    .map((path) => readFileSync(path))
    .some((bytes) => chunks.some((chunk) => bytes.includes(chunk)));
}
