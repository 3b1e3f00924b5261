/** The tables of the CSP in SQLite, by schema version. */
import { ANSWER_TABLES } from '@eigenveil/server';
import { AUDIT_TABLE } from '../operate/audit.ts';

export const MIGRATIONS = [
  `
  CREATE TABLE enrolment_tokens (
    token_hash TEXT PRIMARY KEY,
    expires_at INTEGER NOT NULL,
    used_by    TEXT
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE owners (
    owner_id    TEXT PRIMARY KEY,
    thumbprint  TEXT NOT NULL UNIQUE,
    enrolled_at INTEGER NOT NULL,
    token_at    INTEGER NOT NULL,
    revoked_at  INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX revoked_owners ON owners (owner_id) WHERE revoked_at IS NOT NULL;

  -- Of owners' ledgers: how many entries, and the digest of the last.
  CREATE TABLE owner_counters (
    owner_id TEXT PRIMARY KEY REFERENCES owners,
    counter  INTEGER NOT NULL,
    digest   TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE revocation_list (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    number   INTEGER NOT NULL
  ) STRICT;
  INSERT INTO revocation_list VALUES (1, 0);

  CREATE TABLE revoked_data_users (
    thumbprint TEXT PRIMARY KEY,
    revoked_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE tasks (
    task_id           TEXT PRIMARY KEY,
    task              TEXT NOT NULL,
    data_user         TEXT AS (json_extract(task, '$.dataUser')) VIRTUAL,
    proposed_at       INTEGER NOT NULL,
    digest            TEXT NOT NULL,
    agreement         TEXT NOT NULL,
    state             TEXT NOT NULL CHECK (state IN ('agreed', 'unblinded', 'ended')),
    -- As many records are there as were added and not removed; as long as neither changes, they are the same ones.
    records_added     INTEGER NOT NULL DEFAULT 0,
    records_removed   INTEGER NOT NULL DEFAULT 0,
    -- The set of records that the task is fixed to.
    fixed_owners      INTEGER,
    fixed_root        TEXT,
    unblinding_digest TEXT,
    sealed_secret_key BLOB,
    sealed_shares     BLOB
  ) STRICT;
  CREATE INDEX proposed_tasks ON tasks (data_user, proposed_at);
  CREATE INDEX open_tasks ON tasks (data_user) WHERE state <> 'ended';

  -- One row per owner and task: the primary key is what makes a double count impossible.
  CREATE TABLE records (
    task_id             TEXT NOT NULL REFERENCES tasks,
    owner_id            TEXT NOT NULL REFERENCES owners,
    contribution_digest TEXT NOT NULL,
    PRIMARY KEY (task_id, owner_id)
  ) STRICT, WITHOUT ROWID;

  -- Owners whose records do not count, whenever they come.
  CREATE TABLE withdrawals (
    task_id  TEXT NOT NULL REFERENCES tasks,
    owner_id TEXT NOT NULL,
    PRIMARY KEY (task_id, owner_id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE computations (
    task_id TEXT PRIMARY KEY REFERENCES tasks,
    starts  INTEGER NOT NULL,
    answers INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- The one that is countersigned. Kept when the task has ended: no other may ever be.
  CREATE TABLE projections (
    task_id TEXT PRIMARY KEY REFERENCES tasks,
    digest  TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  -- A task that stands on a projection names its digest.
  CREATE INDEX projection_digests ON projections (digest);

  -- Of a task that refines an earlier result: the vectors of that, of which its two-party computation makes Ω.
  CREATE TABLE refinements (
    task_id        TEXT PRIMARY KEY REFERENCES tasks,
    sealed_vectors BLOB NOT NULL
  ) STRICT;
  ${AUDIT_TABLE}
  ${ANSWER_TABLES}
  `,
];
