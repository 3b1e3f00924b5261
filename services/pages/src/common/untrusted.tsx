/** Text that somebody else wrote: shown as text, isolated from its surroundings, and cut where it is long. */
import { printable } from '@eigenveil/wire/printable';
import { useState } from 'preact/hooks';

/** The most characters that are shown on request. */
const LONGEST = 20_000;

/** @param longest how many characters are shown before the rest has to be asked for */
export function Untrusted({ text, longest = 120 }: { readonly text: string; readonly longest?: number }) {
  const [whole, setWhole] = useState(false);
  if (text.length <= longest) return <bdi>{printable(text, longest)}</bdi>;
  return (
    <>
      <bdi>{printable(text, whole ? LONGEST : longest)}</bdi>{' '}
      <button type="button" class="plain small" aria-expanded={whole} onClick={() => setWhole(!whole)}>
        {whole ? 'Show less' : 'Show all'}
      </button>
    </>
  );
}
