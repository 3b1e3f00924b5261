/** What views of the owner's page take. */
import type { Owner } from './owner.ts';
import type { DeviceStatus, TaskEntry } from './state.ts';

export interface OwnerViewProps {
  readonly owner: Owner;
  readonly status: DeviceStatus;
  /** Looks again what there is on this device, after a change. */
  readonly look: () => void;
}

/** Of the parts of a task's view. */
export interface TaskPartProps extends OwnerViewProps {
  readonly entry: TaskEntry;
  /** Looks again how far the owner is with the task. */
  readonly lookAtEntry: () => void;
}
