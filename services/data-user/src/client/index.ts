/**
 * The part of the data user that a program needs to run tasks at its service, without the service itself.
 * @module data-user/client
 */

// These are exported here since the packages that have them are not installed on their own.
export { CodedError } from '@eigenveil/platform';
export { Predictor, Projector, SignedProjection, saveProjection } from '@eigenveil/projection';
export { newTaskId, type Task, TaskId, TaskProposal } from '@eigenveil/task';
export { type Projection, type SignedTask, type TaskStatus, Thumbprint } from '@eigenveil/wire';
export { basisFrom, type DraftBasis, draftOn, ridgeOn } from '../advice/draft/basis.ts';
export type { Draft, DraftOptions } from '../advice/draft/draft.ts';
export { draftTask } from '../advice/draft/file.ts';
export { TaskClient, type ToldProvenance } from './tasks.ts';
