/** The data user: tasks, collection, aggregation, blinding, the computation. */

export { Aggregation } from './aggregation.ts';
export { dataUserProgram } from './command.ts';
export type { Draft, DraftOptions } from './draft.ts';
export { basisFrom, type DraftBasis, draftOn, ridgeOn } from './draft-basis.ts';
export { draftTask } from './draft-file.ts';
export { histogramOf } from './draft-histogram.ts';
export { draftAround, draftPrivacy, EarlierResult } from './draft-privacy.ts';
export { type AskedLevels, draftRanged } from './draft-ranges.ts';
export { LocalWorkQueue } from './local-work-queue.ts';
export { POSTGRES_QUEUE_TIMES, PostgresWorkQueue } from './postgres-work-queue.ts';
export { describeProgress } from './progress.ts';
export { type DataUserOverrides, type RunningDataUser, startDataUser } from './server.ts';
export { DATA_USER_SETTINGS, type DataUserConfiguration } from './settings.ts';
export { openDataUserDatabase, openSqliteStore, postgresStore } from './store/open.ts';
export { SqlDataUserStore } from './store/sql-store.ts';
export type { DataUserStore } from './store/store.ts';
export { TaskClient } from './task-client.ts';
export type { OpenTask } from './tasks.ts';
export type { Turn, Workers, WorkQueue } from './work-queue.ts';
