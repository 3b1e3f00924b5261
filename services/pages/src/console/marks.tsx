/** Marks for the state of a task, and for whether what one sees is the present state. */
import type { TaskState } from '@eigenveil/wire/console';
import { errorCodeOf } from '@eigenveil/wire/errors';
import type { Followed } from './follow.ts';
import { STATES } from './words.ts';

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
      {wordsOf(what, followed)}
    </p>
  );
}

function wordsOf(what: string, { state, update, error }: Followed<unknown>): string {
  switch (state) {
    case 'connecting':
      return 'Asking the data user…';
    case 'live':
      return `${what} is live.`;
    case 'final':
      return 'Nothing changes any more.';
    case 'broken': {
      const why = errorCodeOf(error);
      const shown = update === null ? 'There is nothing to see yet' : 'What you see may be out of date';
      return `${shown}: the line to the data user is broken${why === undefined ? '' : ` (${why})`}. It is tried again by itself.`;
    }
    case 'failed':
      return `${what} is not followed any more.`;
  }
}
