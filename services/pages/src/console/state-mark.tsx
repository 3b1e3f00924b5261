/** The state of a task as a word in a frame. */
import type { TaskState } from '@eigenveil/wire/console';
import { STATES } from './words.ts';

export function StateMark({ state }: { readonly state: TaskState }) {
  return <span class={`state ${state}`}>{STATES[state].name}</span>;
}
