/** All that is wrong, each with the way to its place. */
import { Button } from '../../common/controls.tsx';
import { Notice } from '../../common/feedback.tsx';
import { count } from '../../common/format.ts';
import { Untrusted } from '../../common/text.tsx';

/** The most faults that are shown: a file that is something else altogether may have hundreds. */
const MOST = 20;

export interface ToldFault {
  readonly words: string;
  /** The way to the place; null where there is none. */
  readonly way: { readonly text: string; readonly go: () => void } | null;
}

export function Faults({ faults }: { readonly faults: readonly ToldFault[] }) {
  const more = faults.length - MOST;
  return (
    <Notice kind="bad" title="Problems to fix">
      <ul>
        {faults.slice(0, MOST).map(({ words, way }) => (
          <li key={`${way?.text} ${words}`}>
            <Untrusted text={words} longest={300} />{' '}
            {way !== null && <Button onClick={way.go}>{way.text}</Button>}
          </li>
        ))}
      </ul>
      {more > 0 && <p>And {count(more, 'more', 'more')}.</p>}
    </Notice>
  );
}
