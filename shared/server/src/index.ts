/** What the HTTP services stand on: TLS server, routes, authentication, limits, logs, metrics, sealed SQLite. */
export { AdminToken, adminAuthenticator, bearerOf } from './admin.ts';
export { ANSWER_TABLES, type AnswerStore, keptAnswer, SqliteAnswers } from './answers.ts';
export { Attempts } from './attempts.ts';
export { type BackupRules, restoreBackup } from './backup.ts';
export { readBinary, readJson } from './body.ts';
export { ServerError, type ServerErrorCode } from './errors.ts';
export {
  type Foundation,
  openFoundation,
  openSigningKey,
} from './foundation.ts';
export { type AppOptions, createApp } from './http.ts';
export { type KeyRing, loadOrCreateKeyRing } from './key-ring.ts';
export { refuse } from './line.ts';
export { createLogger, type Logger } from './log.ts';
export { Metrics } from './metrics.ts';
export { hashOneTimeToken, newOneTimeToken } from './one-time-token.ts';
export { openApiDocument, type ServiceInfo } from './openapi.ts';
export { type Owner, ownerAuthenticator } from './owner.ts';
export { type PageOptions, pageRoutes } from './page.ts';
export {
  ANSWER_MILLISECONDS,
  openPostgres,
  type PostgresDatabase,
  type PostgresOptions,
  type PostgresQueries,
  reasonOf,
} from './postgres.ts';
export { type HeldLock, tryLock } from './postgres-lock.ts';
export { PostgresSockets, withinTime } from './postgres-sockets.ts';
export { parsePostgresUrl } from './postgres-url.ts';
export { ProofChecker, proofTokenOf, type UsedProofs } from './proof.ts';
export { RateLimit } from './rate-limit.ts';
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
export { Sealer } from './sealing.ts';
export { loadOrCreateSecretFile } from './secret-file.ts';
export { openService, type Service } from './service.ts';
export { adminTokenFile, databaseFile, keyFile, type LogLevel, SERVICE_SETTINGS } from './settings.ts';
export { type Database, openDatabase, resealColumn, scrub, transaction } from './sqlite.ts';
export {
  createLocalCertificate,
  type RunningServer,
  readTlsFiles,
  type ServerOptions,
  startServer,
  type TlsIdentity,
} from './tls.ts';
