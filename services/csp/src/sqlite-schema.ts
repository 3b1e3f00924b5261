/** The tables of the CSP in SQLite, by schema version. */
import { ANSWER_TABLES } from '@eigenveil/server';
import { AUDIT_OF_NO_TASK, AUDIT_TABLE } from './audit.ts';

export const MIGRATIONS = [
  `
  CREATE TABLE enrolment_tokens (
    token_hash TEXT PRIMARY KEY,
    expires_at INTEGER NOT NULL,
    used_by    TEXT
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE owners (
    owner_id   TEXT PRIMARY KEY,
    thumbprint TEXT NOT NULL UNIQUE
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE tasks (
    task_id           TEXT PRIMARY KEY,
    task              TEXT NOT NULL,
    digest            TEXT NOT NULL,
    agreement         TEXT NOT NULL,
    state             TEXT NOT NULL CHECK (state IN ('agreed', 'unblinded', 'ended')),
    sealed_secret_key BLOB,
    unblinding_digest TEXT,
    sealed_shares     BLOB
  ) STRICT;

  -- One row per owner and task: the primary key is what makes a double count impossible.
  CREATE TABLE records (
    task_id             TEXT NOT NULL REFERENCES tasks,
    owner_id            TEXT NOT NULL REFERENCES owners,
    contribution_digest TEXT NOT NULL,
    PRIMARY KEY (task_id, owner_id)
  ) STRICT, WITHOUT ROWID;
  `,
  AUDIT_TABLE,
  AUDIT_OF_NO_TASK,
  `
  CREATE TABLE computations (
    task_id TEXT PRIMARY KEY REFERENCES tasks,
    starts  INTEGER NOT NULL,
    answers INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- Owners whose records do not count, whenever they come.
  CREATE TABLE withdrawals (
    task_id  TEXT NOT NULL REFERENCES tasks,
    owner_id TEXT NOT NULL,
    PRIMARY KEY (task_id, owner_id)
  ) STRICT, WITHOUT ROWID;

  -- The one that is countersigned. Kept when the task has ended: no other may ever be.
  CREATE TABLE projections (
    task_id TEXT PRIMARY KEY REFERENCES tasks,
    digest  TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  ANSWER_TABLES,
];
