/** Enrols many owners at once. */
import { DatabaseSync } from 'node:sqlite';
import { databaseFile } from '@eigenveil/server';
import type { OwnerId, Thumbprint } from '@eigenveil/wire';

const PATIENCE_MILLISECONDS = 60_000;

export interface NewOwner {
  readonly ownerId: OwnerId;
  readonly thumbprint: Thumbprint;
}

/**
 * Writes owners into the database of a CSP, as enrolling them over HTTPS would, but in one transaction: a hundred thousand
 * enrolments, each synced to the disk, would take longer than the load itself. Neither server can tell the difference.
 */
export function enrolAll(dataDirectory: string, owners: readonly NewOwner[]): void {
  const db = new DatabaseSync(databaseFile(dataDirectory), { timeout: PATIENCE_MILLISECONDS });
  try {
    const insert = db.prepare(
      'INSERT INTO owners (owner_id, thumbprint, enrolled_at, token_at) VALUES (?1, ?2, ?3, ?3)',
    );
    const now = Date.now();
    db.exec('BEGIN IMMEDIATE');
    for (const { ownerId, thumbprint } of owners) insert.run(ownerId, thumbprint, now);
    db.exec('COMMIT');
  } finally {
    db.close();
  }
}
