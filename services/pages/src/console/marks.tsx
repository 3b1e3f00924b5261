/** Marks for the state of a task, and for whether what one sees is the present state. */
import type { TaskState } from '@eigenveil/wire/console';
import { exactTime } from '../common/format.ts';
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

function wordsOf(what: string, followed: Followed<unknown>): string {
  switch (followed.state) {
    case 'connecting':
      return 'Asking the data user…';
    case 'live':
      return `${what} is live.`;
    case 'quiet':
      return `${staleWords(followed)}It may be busy, or the connection may be lost.`;
    case 'final':
      return 'This task has ended.';
    case 'broken':
      return `Connection lost. ${staleWords(followed)}Retrying…`;
    case 'failed':
      return `${what} is not followed any more.`;
  }
}

/** Says since when what is shown may be out of date; nothing while there is nothing to see. */
function staleWords({ update, heardAt }: Followed<unknown>): string {
  if (update === null || heardAt === null) return '';
  return `Nothing was heard from the data user since ${exactTime(heardAt)}, so what you see may be out of date. `;
}
