/** What the HTTP services stand on: TLS server, routes, authentication, limits, logs, metrics, sealed SQLite. */
export { AdminToken, adminAuthenticator, bearerOf } from './admin.ts';
export {
  ANSWER_TABLES,
  type AnswerStore,
  countRun,
  forgetAnswer,
  keepSeed,
  keepTag,
  keptAnswer,
} from './answers.ts';
export { Attempts } from './attempts.ts';
export { type BackupRules, restoreBackup } from './backup.ts';
export { readBinary, readJson } from './body.ts';
export { timesOf, ValidityTeller, validityOf } from './certificate.ts';
export { auditBroken, ChainedLog, LINK, type VerifiedLog } from './chained-log.ts';
export { checkService, compareClocks, Doubt, type Finding, Findings } from './check.ts';
export { SERVER_CODES } from './codes.ts';
export {
  type Foundation,
  openFoundation,
  openSigningKey,
} from './foundation.ts';
export { type AppOptions, createApp } from './http.ts';
export type { DatabaseRules } from './inspect.ts';
export { type KeyRing, loadOrCreateKeyRing } from './key-ring.ts';
export { refuse } from './line.ts';
export { createLogger, type Logger } from './log.ts';
export { Metrics } from './metrics.ts';
export { hashOneTimeToken, newOneTimeToken } from './one-time-token.ts';
export { openApiDocument, type ServiceInfo } from './openapi.ts';
export { type Owner, ownerAuthenticator } from './owner.ts';
export { type PageOptions, pageRoutes } from './page.ts';
export { lookAtPeer } from './peer.ts';
export { PeerNames } from './peer-names.ts';
export {
  inspectPostgres,
  openPostgres,
  type PostgresDatabase,
  type PostgresOptions,
  type PostgresQueries,
  reasonOf,
} from './postgres.ts';
export { PostgresDriver } from './postgres-driver.ts';
export { type HeldLock, tryLock } from './postgres-lock.ts';
export { PostgresSockets, withinTime } from './postgres-sockets.ts';
export { parsePostgresUrl } from './postgres-url.ts';
export { type PostgresWaits, STANDARD_WAITS, timesOfWaits } from './postgres-waits.ts';
export { ProofChecker, proofTokenOf, type UsedProofs } from './proof.ts';
export { RateLimit } from './rate-limit.ts';
export { Reloader, type Renewable } from './reload.ts';
export { type KeyPlace, requireKeys, type SealedStore } from './rotation.ts';
export {
  type Authenticator,
  type Authenticators,
  type BodySpec,
  type ResponseSpec,
  type Route,
  type RouteContext,
  routesWith,
} from './routes.ts';
export { resealColumns, type SealedColumn } from './sealed-columns.ts';
export { Sealer } from './sealing.ts';
export { loadOrCreateSecretFile } from './secret-file.ts';
export { openService, type Service, type ServiceConfiguration } from './service.ts';
export { adminTokenFile, databaseFile, keyFile, type LogLevel, SERVICE_SETTINGS } from './settings.ts';
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
} from './sql.ts';
export {
  type Database,
  openDatabase,
  scrub,
  transaction,
  tryScrub,
} from './sqlite.ts';
export { SqliteDriver } from './sqlite-driver.ts';
export { measureStorage, sqliteBytes } from './storage.ts';
export {
  createLocalCertificate,
  type RunningServer,
  readTlsFiles,
  type ServerOptions,
  startServer,
  type TlsIdentity,
} from './tls.ts';
