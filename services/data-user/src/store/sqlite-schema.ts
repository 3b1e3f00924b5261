/** The tables of the data user in SQLite, by schema version. */
import { ANSWER_TABLES } from '@eigenveil/server';

export const MIGRATIONS = [
  `
  CREATE TABLE tasks (
    task_id         TEXT PRIMARY KEY,
    -- By which the list of tasks is searched, see soughtOf. Before the task, which may be long.
    sought          TEXT NOT NULL,
    task            TEXT NOT NULL,
    state           TEXT NOT NULL,
    agreement       TEXT,
    last_sequence   INTEGER NOT NULL DEFAULT 0,
    -- Those that count: a count(*) for each new one would make a contribution cost more the more there are.
    contributions   INTEGER NOT NULL DEFAULT 0,
    records_sent    INTEGER NOT NULL DEFAULT 0,
    -- The set of records that the CSP was asked to fix, as JSON.
    fixation        TEXT,
    projection      TEXT,
    provenance      TEXT NOT NULL DEFAULT '{}',
    failure         TEXT,
    -- When it came to which state, as JSON.
    entered         TEXT NOT NULL DEFAULT '{}',
    timings         TEXT NOT NULL DEFAULT '{}',
    faults          INTEGER NOT NULL DEFAULT 0,
    ended_at_csp    INTEGER NOT NULL DEFAULT 0,
    -- Last: SQLite reads through what stands before a column.
    sealed_blinding BLOB,
    blinded         BLOB
  ) STRICT;
  CREATE INDEX open_tasks ON tasks (task_id) WHERE state = 'open';

  -- One row per owner and task, kept when its body is gone: the primary key is the protection against replay.
  CREATE TABLE contributions (
    task_id   TEXT NOT NULL REFERENCES tasks,
    owner_id  TEXT NOT NULL,
    sequence  INTEGER NOT NULL,
    digest    TEXT NOT NULL,
    receipt   TEXT NOT NULL,
    withdrawn INTEGER NOT NULL DEFAULT 0,
    -- The batch whose partial product it is in.
    batch     INTEGER,
    PRIMARY KEY (task_id, owner_id),
    UNIQUE (task_id, sequence)
  ) STRICT;
  CREATE INDEX withdrawn_contributions ON contributions (task_id, sequence) WHERE withdrawn;

  -- Apart from the contributions, whose rows are read for every request: ciphertexts fill pages of their own.
  CREATE TABLE contribution_bodies (
    task_id   TEXT NOT NULL REFERENCES tasks,
    owner_id  TEXT NOT NULL,
    record    TEXT NOT NULL,
    bytes     BLOB NOT NULL,
    PRIMARY KEY (task_id, owner_id)
  ) STRICT;

  -- Contributions that come in pieces, one for each owner and task, from the first piece on. An id never comes again.
  CREATE TABLE uploads (
    upload_id INTEGER PRIMARY KEY AUTOINCREMENT,
    task_id   TEXT NOT NULL REFERENCES tasks,
    owner_id  TEXT NOT NULL,
    -- As the owner's record says it.
    digest    TEXT NOT NULL,
    pieces    INTEGER NOT NULL,
    UNIQUE (task_id, owner_id)
  ) STRICT;

  CREATE TABLE upload_pieces (
    upload_id INTEGER NOT NULL REFERENCES uploads ON DELETE CASCADE,
    number    INTEGER NOT NULL,
    bytes     BLOB NOT NULL,
    PRIMARY KEY (upload_id, number)
  ) STRICT;

  -- Uploads that were refused: how many, and when the last. Of whom and of what is not kept.
  CREATE TABLE refusals (
    task_id TEXT NOT NULL REFERENCES tasks,
    code    TEXT NOT NULL,
    count   INTEGER NOT NULL,
    last_at TEXT NOT NULL,
    PRIMARY KEY (task_id, code)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE partial_products (
    task_id        TEXT NOT NULL REFERENCES tasks,
    batch          INTEGER NOT NULL,
    first_sequence INTEGER NOT NULL,
    last_sequence  INTEGER NOT NULL,
    contributions  INTEGER NOT NULL,
    bytes          BLOB,
    PRIMARY KEY (task_id, batch)
  ) STRICT;

  -- Of a batch of contributions that came in pieces; the partial product itself has no bytes then.
  CREATE TABLE product_pieces (
    task_id TEXT NOT NULL,
    batch   INTEGER NOT NULL,
    number  INTEGER NOT NULL,
    bytes   BLOB NOT NULL,
    PRIMARY KEY (task_id, batch, number),
    FOREIGN KEY (task_id, batch) REFERENCES partial_products ON DELETE CASCADE
  ) STRICT;

  -- Whom the CSP has revoked in any list that was ever seen.
  CREATE TABLE revoked_owners (owner_id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

  -- The newest list.
  CREATE TABLE revocations (
    only_row  INTEGER PRIMARY KEY CHECK (only_row = 1),
    number    INTEGER NOT NULL,
    issued_at TEXT NOT NULL
  ) STRICT;

  -- Tokens as hashes. A row stays when the operator is revoked or its token has expired, until one of the same name is added.
  CREATE TABLE operators (
    name       TEXT PRIMARY KEY,
    token_hash TEXT NOT NULL UNIQUE,
    added_at   TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    revoked_at TEXT
  ) STRICT, WITHOUT ROWID;

  -- See ChainedLog: what operators did.
  CREATE TABLE audit (
    sequence      INTEGER PRIMARY KEY,
    time          TEXT NOT NULL,
    operator      TEXT,
    operation     TEXT NOT NULL,
    task_id       TEXT,
    subject       TEXT,
    previous_hash TEXT NOT NULL,
    hash          TEXT NOT NULL
  ) STRICT;
  ${ANSWER_TABLES}
  `,
];
