/** Marks for the state of a task, and for whether what one sees is the present state. */
import type { TaskState } from '@eigenveil/wire/console';
import type { Followed } from './follow.ts';
import { freshnessWords, STATES } from './words.ts';

/** The state of a task as a word in a frame. */
export function StateMark({ state }: { readonly state: TaskState }) {
  return <span class={`state ${state}`}>{STATES[state].name}</span>;
}

/**
 * Says whether the view is up to date.
 * @param what what is followed, such as `The list`
 */
export function Freshness({
  what,
  followed,
}: {
  readonly what: string;
  readonly followed: Followed<unknown>;
}) {
  return (
    <p role="status" class={`freshness ${followed.state}`}>
      {freshnessWords(what, followed)}
    </p>
  );
}
