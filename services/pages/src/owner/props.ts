/** The properties of views of the owner's page. */
import type { Owner } from './owner.ts';
import type { DeviceStatus, TaskEntry } from './state.ts';

export interface OwnerViewProps {
  readonly owner: Owner;
  readonly status: DeviceStatus;
  /** Reads the state of this device again, after a change. */
  readonly look: () => void;
}

/** Properties of the parts of a task's view. */
export interface TaskPartProps extends OwnerViewProps {
  readonly entry: TaskEntry;
  /** Reads the owner's progress with the task again. */
  readonly lookAtEntry: () => void;
}
