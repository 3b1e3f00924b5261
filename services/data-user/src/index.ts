/** The data user: tasks, collection, aggregation, blinding, the computation. */

export { describeProgress } from './advice/describe/progress.ts';
export { basisFrom, type DraftBasis, draftOn, ridgeOn } from './advice/draft/basis.ts';
export type { Draft } from './advice/draft/draft.ts';
export { draftTask } from './advice/draft/file.ts';
export { draftAround, draftPrivacy, EarlierResult } from './advice/draft/privacy.ts';
export { type AskedLevels, draftRanged } from './advice/draft/ranges.ts';
export { dataUserProgram } from './cli/command.ts';
export { DATA_USER_SETTINGS, type DataUserConfiguration } from './cli/settings.ts';
export { TaskClient } from './client/tasks.ts';
export { Aggregation } from './compute/aggregation.ts';
export { POSTGRES_QUEUE_TIMES, PostgresWorkQueue } from './compute/postgres-work-queue.ts';
export { LocalWorkQueue, type Turn, type Workers, type WorkQueue } from './compute/work-queue.ts';
export { type DataUserOverrides, type RunningDataUser, startDataUser } from './server.ts';
export { openDataUserDatabase, openSqliteStore, postgresStore } from './store/open.ts';
export { SqlDataUserStore } from './store/sql-store.ts';
export type { DataUserStore } from './store/store.ts';
export type { OpenTask } from './tasks/tasks.ts';
