/** The faults of a task, each with the way to its place. */
import { Button } from '../../common/controls.tsx';
import { Notice } from '../../common/feedback.tsx';
import { count } from '../../common/format.ts';
import { Untrusted } from '../../common/text.tsx';
import type { Fault, Place } from './check-proposal.ts';

/** The most faults that are shown: a file that is something else altogether may have hundreds. */
const MOST = 20;

export function Faults(props: { readonly faults: readonly Fault[]; readonly show: (place: Place) => void }) {
  const { faults, show } = props;
  const more = faults.length - MOST;
  return (
    <Notice kind="bad" title="What to correct">
      <ul>
        {faults.slice(0, MOST).map(({ words, place }) => (
          <li key={`${place?.start} ${words}`}>
            <Untrusted text={words} longest={300} />{' '}
            {place !== null && <Button onClick={() => show(place)}>Show line {place.line}</Button>}
          </li>
        ))}
      </ul>
      {more > 0 && <p>And {count(more, 'more', 'more')}.</p>}
    </Notice>
  );
}
