/** What the HTTP services stand on: TLS server, routes, authentication, limits, logs, metrics, sealed SQLite. */

export { Attempts } from './auth/attempts.ts';
export { hashOneTimeToken, newOneTimeToken } from './auth/one-time-token.ts';
export { AdminToken, adminAuthenticator, bearerOf } from './auth/operator-token.ts';
export { type Owner, ownerAuthenticator } from './auth/owner.ts';
export { ProofChecker, proofTokenOf, type UsedProofs } from './auth/proof.ts';
export { adminTokenFile, databaseFile, keyFile, type LogLevel, SERVICE_SETTINGS } from './cli/settings.ts';
export { SERVER_CODES } from './codes.ts';
export {
  ANSWER_TABLES,
  type AnswerStore,
  countRun,
  forgetAnswer,
  keepSeed,
  keepTag,
  keptAnswer,
} from './database/answers.ts';
export { type BackupRules, restoreBackup } from './database/backup.ts';
export { auditBroken, ChainedLog, LINK, type VerifiedLog } from './database/chained-log.ts';
export type { DatabaseRules } from './database/inspect.ts';
export {
  inspectPostgres,
  openPostgres,
  type PostgresDatabase,
  type PostgresOptions,
  type PostgresQueries,
  reasonOf,
} from './database/postgres.ts';
export { PostgresDriver } from './database/postgres-driver.ts';
export { type HeldLock, tryLock } from './database/postgres-lock.ts';
export { PostgresSockets, withinTime } from './database/postgres-sockets.ts';
export { parsePostgresUrl } from './database/postgres-url.ts';
export { type PostgresWaits, STANDARD_WAITS, timesOfWaits } from './database/postgres-waits.ts';
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
  rowOf,
  rows,
  rowsOf,
  SHARED,
  type SqlDriver,
  sql,
  type Work,
} from './database/sql.ts';
export {
  type Database,
  openDatabase,
  scrub,
  transaction,
  tryScrub,
} from './database/sqlite.ts';
export { SqliteDriver } from './database/sqlite-driver.ts';
export { measureStorage, sqliteBytes } from './database/storage.ts';
export { readBinary, readJson } from './http/body.ts';
export { type AppOptions, createApp } from './http/http.ts';
export { openApiDocument, type ServiceInfo } from './http/openapi.ts';
export { type PageOptions, pageRoutes } from './http/page.ts';
export { PeerNames } from './http/peer-names.ts';
export { RateLimit } from './http/rate-limit.ts';
export { refuse } from './http/raw-answers.ts';
export {
  type Authenticator,
  type Authenticators,
  type Handlers,
  type Route,
  type RouteContext,
  routesWith,
  serve,
} from './http/routes.ts';
export {
  createLocalCertificate,
  type RunningServer,
  readTlsFiles,
  type ServerOptions,
  startServer,
  type TlsIdentity,
} from './http/tls.ts';
export { createLogger, type Logger } from './observe/log.ts';
export { Metrics } from './observe/metrics.ts';
export { type KeyRing, loadOrCreateKeyRing } from './secrets/key-ring.ts';
export { type KeyPlace, requireKeys, type SealedStore } from './secrets/rotation.ts';
export { resealColumns, type SealedColumn } from './secrets/sealed-columns.ts';
export { Sealer } from './secrets/sealing.ts';
export { loadOrCreateSecretFile } from './secrets/secret-file.ts';
export { timesOf, ValidityTeller, validityOf } from './start/certificate.ts';
export { checkService, compareClocks, Doubt, type Finding, Findings } from './start/check.ts';
export {
  type Foundation,
  openFoundation,
  openSigningKey,
} from './start/foundation.ts';
export { lookAtPeer } from './start/peer.ts';
export { Reloader, type Renewable } from './start/reload.ts';
export { openService, type Service, type ServiceConfiguration } from './start/service.ts';
