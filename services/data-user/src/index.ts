/** The data user: tasks, collection, aggregation, blinding, the computation. */

export { dataUserProgram } from './command.ts';
export { type Draft, type DraftOptions, draftTask } from './draft.ts';
export { openDataUserDatabase, PostgresDataUserStore } from './postgres-store.ts';
export { describeProgress } from './progress.ts';
export {
  DATA_USER_SETTINGS,
  type DataUserConfiguration,
  type DataUserOverrides,
  type RunningDataUser,
  startDataUser,
} from './server.ts';
export { TaskClient } from './task-client.ts';
