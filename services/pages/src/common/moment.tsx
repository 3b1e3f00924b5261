/** A moment, in words and exactly. */
import { exactTime, fromNow } from './format.ts';

/**
 * @param at ISO 8601
 * @param now by the clock that `at` is of; without it there are no words
 */
export function Moment({ at, now }: { readonly at: string; readonly now?: Date }) {
  const moment = new Date(at);
  return (
    <time dateTime={at}>
      {now !== undefined && (
        <>
          {fromNow(moment, now)}
          <br />
        </>
      )}
      <span class="exact">{exactTime(moment)}</span>
    </time>
  );
}
