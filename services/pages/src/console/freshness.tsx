/** Says whether the view is up to date. */
import { errorCodeOf } from '@eigenveil/wire/errors';
import type { Followed } from './use-follow.ts';

/** @param what what is followed, such as `The list` */
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
