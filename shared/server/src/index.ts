/**
 * The ground on which the HTTP services stand: TLS server, routes, authentication, limits, logs, metrics,
 * sealed SQLite.
 */

export { Attempts } from './auth/attempts.ts';
export { type Owner, ownerAuthenticator, ProofChecker, proofTokenOf, type UsedProofs } from './auth/proof.ts';
export {
  AdminToken,
  adminAuthenticator,
  bearerOf,
  hashOneTimeToken,
  newOneTimeToken,
} from './auth/tokens.ts';
export { adminTokenFile, databaseFile, keyFile, SERVICE_SETTINGS } from './cli/settings.ts';
export { SERVER_CODES } from './codes.ts';
export { type BackupRules, restoreBackup } from './database/backup.ts';
export { auditBroken, ChainedLog, LINK, type VerifiedLog } from './database/chained-log.ts';
export {
  ANSWER_TABLES,
  type AnswerStore,
  countRun,
  forgetAnswer,
  keepSeed,
  keepTag,
  keptAnswer,
} from './database/kept-answer.ts';
export {
  inspectPostgres,
  openPostgres,
  type PostgresDatabase,
  type PostgresOptions,
  reasonOf,
} from './database/postgres.ts';
export { type HeldLock, tryLock } from './database/postgres-lock.ts';
export {
  type PostgresWaits,
  parsePostgresUrl,
  STANDARD_WAITS,
  timesOfWaits,
} from './database/postgres-settings.ts';
export { PostgresSockets, withinTime } from './database/postgres-sockets.ts';
export {
  among,
  countOf,
  erasing,
  fragment,
  GREATEST,
  json,
  LOCKED,
  LOCKED_WITH_KEY,
  listed,
  lockTable,
  named,
  type Result,
  rowOf,
  rows,
  rowsOf,
  SHARED,
  type SqlDriver,
  type Statement,
  sql,
  type Work,
} from './database/sql.ts';
export { PostgresDriver, SqliteDriver } from './database/sql-drivers.ts';
export {
  type Database,
  openDatabase,
  scrub,
  transaction,
  tryScrub,
} from './database/sqlite.ts';
export { pageRoutes } from './http/page.ts';
export { PeerNames } from './http/peer-names.ts';
export { RateLimit } from './http/rate-limit.ts';
export { refuse } from './http/raw-answers.ts';
export { type Authenticator, type Route, serve } from './http/routes.ts';
export { createLocalCertificate, type RunningServer, readTlsFiles, startServer } from './http/tls.ts';
export { createLogger, type Logger } from './observe/log.ts';
export { Metrics, measureStorage, sqliteBytes } from './observe/metrics.ts';
export { loadOrCreateKeyRing } from './secrets/key-ring.ts';
export {
  type KeyPlace,
  requireKeys,
  resealColumns,
  type SealedColumn,
  type SealedStore,
} from './secrets/rotation.ts';
export { Sealer } from './secrets/sealing.ts';
export { timesOf, ValidityTeller, validityOf } from './start/certificate.ts';
export { checkService, compareClocks, Doubt, type Finding, Findings } from './start/check.ts';
export { openFoundation, openSigningKey } from './start/foundation.ts';
export { lookAtPeer } from './start/peer.ts';
export { Reloader } from './start/reload.ts';
export { openService, type Service } from './start/service.ts';
