/** The tables of the data user in PostgreSQL, by schema version. */

/** The schema, within the database, in which the data user's tables live. */
export const SCHEMA = 'eigenveil_data_user';

/**
 * Ids are compared byte by byte (COLLATE "C"): the order of a language can change with the operating system,
 * and then an index, such as the one that keeps an owner from contributing twice, no longer finds what is in
 * it.
 *
 * Deleted rows stay in dead tuples until autovacuum has come by and their pages are used again, and in the
 * write-ahead log and its archives for as long as the server keeps those; PostgreSQL has no switch that
 * would overwrite it. Everything secret in these tables is sealed, and contributions are ciphertexts of a key
 * that the CSP destroys.
 */
export const MIGRATIONS = [
  `
  CREATE TABLE tasks (
    task_id         text COLLATE "C" PRIMARY KEY,
    -- In the order in which they were proposed.
    number          integer GENERATED ALWAYS AS IDENTITY UNIQUE,
    sought          text NOT NULL,
    task            text NOT NULL,
    state           text NOT NULL,
    agreement       text,
    last_sequence   integer NOT NULL DEFAULT 0,
    contributions   integer NOT NULL DEFAULT 0,
    records_sent    integer NOT NULL DEFAULT 0,
    fixation        text,
    projection      text,
    provenance      text NOT NULL DEFAULT '{}',
    failure         text,
    entered         text NOT NULL DEFAULT '{}',
    timings         text NOT NULL DEFAULT '{}',
    activity        text NOT NULL DEFAULT '{}',
    faults          integer NOT NULL DEFAULT 0,
    ended_at_csp    boolean NOT NULL DEFAULT false,
    sealed_blinding bytea,
    blinded         bytea
  );
  CREATE INDEX open_tasks ON tasks (task_id) WHERE state = 'open';

  -- One row per owner and task, kept when its body is gone: the primary key is the protection against replay.
  CREATE TABLE contributions (
    task_id   text COLLATE "C" NOT NULL REFERENCES tasks,
    owner_id  text COLLATE "C" NOT NULL,
    sequence  integer NOT NULL,
    digest    text NOT NULL,
    receipt   text NOT NULL,
    withdrawn boolean NOT NULL DEFAULT false,
    -- The batch whose partial product it is in.
    batch     integer,
    PRIMARY KEY (task_id, owner_id),
    UNIQUE (task_id, sequence)
  );
  CREATE INDEX withdrawn_contributions ON contributions (task_id, sequence) WHERE withdrawn;

  -- By owner, not by sequence number: it is written before the task is locked and the number is known. No reference to tasks, whose
  -- check would lock the row of the task for all who write at the same time.
  CREATE TABLE contribution_bodies (
    task_id  text COLLATE "C" NOT NULL,
    owner_id text COLLATE "C" NOT NULL,
    record   text NOT NULL,
    bytes    bytea NOT NULL,
    PRIMARY KEY (task_id, owner_id)
  );
  -- Ciphertexts do not get smaller by compression.
  ALTER TABLE contribution_bodies ALTER bytes SET STORAGE EXTERNAL;

  CREATE TABLE uploads (
    upload_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    task_id   text COLLATE "C" NOT NULL REFERENCES tasks,
    owner_id  text COLLATE "C" NOT NULL,
    digest    text NOT NULL,
    pieces    integer NOT NULL,
    UNIQUE (task_id, owner_id)
  );

  CREATE TABLE upload_pieces (
    upload_id integer NOT NULL REFERENCES uploads ON DELETE CASCADE,
    number    integer NOT NULL,
    bytes     bytea NOT NULL,
    PRIMARY KEY (upload_id, number)
  );
  ALTER TABLE upload_pieces ALTER bytes SET STORAGE EXTERNAL;

  CREATE TABLE refusals (
    task_id text COLLATE "C" NOT NULL REFERENCES tasks,
    code    text COLLATE "C" NOT NULL,
    count   bigint NOT NULL,
    last_at text NOT NULL,
    PRIMARY KEY (task_id, code)
  );

  CREATE TABLE partial_products (
    task_id        text COLLATE "C" NOT NULL REFERENCES tasks,
    batch          integer NOT NULL,
    first_sequence integer NOT NULL,
    last_sequence  integer NOT NULL,
    contributions  integer NOT NULL,
    bytes          bytea,
    PRIMARY KEY (task_id, batch)
  );
  ALTER TABLE partial_products ALTER bytes SET STORAGE EXTERNAL;

  CREATE TABLE product_pieces (
    task_id text COLLATE "C" NOT NULL,
    batch   integer NOT NULL,
    number  integer NOT NULL,
    bytes   bytea NOT NULL,
    PRIMARY KEY (task_id, batch, number),
    FOREIGN KEY (task_id, batch) REFERENCES partial_products ON DELETE CASCADE
  );
  ALTER TABLE product_pieces ALTER bytes SET STORAGE EXTERNAL;

  CREATE TABLE answers (
    task_id     text COLLATE "C" PRIMARY KEY REFERENCES tasks,
    sealed_seed bytea NOT NULL,
    runs        integer NOT NULL DEFAULT 0
  );

  CREATE TABLE answer_tags (
    task_id  text COLLATE "C" NOT NULL REFERENCES answers ON DELETE CASCADE,
    position integer NOT NULL,
    tag      bytea NOT NULL,
    PRIMARY KEY (task_id, position)
  );

  CREATE TABLE revoked_owners (owner_id text COLLATE "C" PRIMARY KEY);

  CREATE TABLE revocations (
    only_row  boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    -- At most 2^53 - 1: no number that JavaScript would round.
    number    bigint NOT NULL,
    issued_at text COLLATE "C" NOT NULL
  );

  -- Tokens as hashes. A row stays when the operator is revoked or its token has expired, until one of the same name is added.
  CREATE TABLE operators (
    name       text COLLATE "C" PRIMARY KEY,
    token_hash text COLLATE "C" NOT NULL UNIQUE,
    added_at   text COLLATE "C" NOT NULL,
    expires_at text COLLATE "C" NOT NULL,
    revoked_at text
  );

  -- See ChainedLog: what operators did.
  CREATE TABLE audit (
    sequence      integer PRIMARY KEY,
    time          text NOT NULL,
    operator      text,
    operation     text NOT NULL,
    task_id       text,
    subject       text,
    previous_hash text NOT NULL,
    hash          text NOT NULL
  );

  -- Whose database this is.
  CREATE TABLE belongs_to (
    only_row   boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    thumbprint text NOT NULL,
    key_id     text NOT NULL
  );

  -- Unlogged: see PostgresReplayGuard.
  CREATE UNLOGGED TABLE used_proofs (
    proof_id   text COLLATE "C" PRIMARY KEY,
    expires_at timestamptz NOT NULL
  );
  CREATE INDEX used_proofs_expire ON used_proofs (expires_at);
  `,
];
