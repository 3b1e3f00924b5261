/** The tables of the authenticator in SQLite, by schema version. */

export const MIGRATIONS = [
  `
  CREATE TABLE users (
    user_id         TEXT PRIMARY KEY,
    state           TEXT NOT NULL CHECK (state IN ('active', 'locked', 'revoked')),
    decision        TEXT NOT NULL CHECK (decision IN ('allow', 'step-up', 'lock')),
    -- Sequence of the last event, which an answer has to name, and of the lock that was answered last.
    event           INTEGER NOT NULL,
    unlocked_event  INTEGER NOT NULL DEFAULT 0,
    device          TEXT NOT NULL,
    enrolled_at     INTEGER NOT NULL,
    projection      TEXT NOT NULL,
    sealed_template BLOB,
    -- Since the enrolment: how often windows were compared with the template, and whether they ever were too far from it.
    looks           INTEGER NOT NULL DEFAULT 0,
    drifting        INTEGER NOT NULL DEFAULT 0,
    -- Step-ups because of windows on the day (since 1970) of the last one.
    attempt_day     INTEGER NOT NULL DEFAULT 0,
    attempts        INTEGER NOT NULL DEFAULT 0
  ) STRICT;

  -- What is counted for metrics, apart from the templates.
  CREATE INDEX users_by_state ON users (state, projection, drifting);
  CREATE INDEX users_by_decision ON users (decision) WHERE decision = 'allow';

  -- Every key that a user ever had: none can come back as another user's, or after it was revoked.
  CREATE TABLE devices (
    thumbprint TEXT PRIMARY KEY,
    user_id    TEXT NOT NULL REFERENCES users
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE invitations (
    token_hash TEXT PRIMARY KEY,
    user_id    TEXT NOT NULL,
    purpose    TEXT NOT NULL CHECK (purpose IN ('enrol', 'renew')),
    expires_at INTEGER NOT NULL,
    -- Thumbprint of the device that was enrolled.
    used_by    TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX invitations_by_user ON invitations (user_id);

  -- AUTOINCREMENT: no sequence is given twice, also when the last events were deleted.
  CREATE TABLE events (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id  TEXT NOT NULL,
    decision TEXT NOT NULL,
    reason   TEXT NOT NULL,
    time     INTEGER NOT NULL
  ) STRICT;

  -- Up to which sequence events were taken by the webhook, and are kept no longer.
  CREATE TABLE marks (
    name     TEXT PRIMARY KEY CHECK (name IN ('delivered', 'forgotten')),
    sequence INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  INSERT INTO marks VALUES ('delivered', 0), ('forgotten', 0);
  `,
];
