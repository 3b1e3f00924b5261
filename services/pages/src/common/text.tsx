/** Text that is shown as it stands: of somebody else, moments, and lines to copy. */
import { printable, printableLines } from '@eigenveil/wire/printable';
import { useState } from 'preact/hooks';
import { Button } from './controls.tsx';
import { save } from './files.ts';
import { exactTime, fromNow } from './format.ts';
import { Scroll } from './table.tsx';

/** The most characters that are shown on request. */
const LONGEST = 20_000;

/**
 * Text that somebody else wrote: shown as text, isolated from its surroundings, and cut where it is long.
 * @param longest how many characters are shown before the rest has to be asked for
 */
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

const GROUP = /.{1,4}/gsu;

/**
 * A thumbprint or a digest that people compare: whole at any width, in groups of four characters. The gaps
 * between groups are no characters, so that it is copied as it is.
 */
export function Grouped({ value }: { readonly value: string }) {
  return (
    <bdi class="thumbprint">
      {(printable(value).match(GROUP) ?? []).map((group, i) => (
        <span key={i}>{group}</span>
      ))}
    </bdi>
  );
}

/**
 * A moment, in words and exactly.
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

/**
 * Copies and saves the text unchanged; on the screen, marks stand in place of characters that hide or move
 * text.
 * @param label what it is, such as `The task as JSON`
 * @param filename under which it is saved; without it there is no button for that
 */
export function Code(props: {
  readonly label: string;
  readonly text: string;
  readonly filename?: string;
  readonly mediaType?: string;
}) {
  const { label, text, filename, mediaType = 'text/plain' } = props;
  const [said, setSaid] = useState('');
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setSaid('Copied.'),
      () => setSaid('The browser does not allow it: select the text and copy it.'),
    );
  return (
    <div class="code">
      <div class="row">
        <span class="hint">{label}</span>
        <Button onClick={copy}>Copy</Button>
        {filename !== undefined && <Button onClick={() => save(filename, mediaType, text)}>Download</Button>}
        <span role="status">{said}</span>
      </div>
      <Scroll label={label}>
        <pre>
          <code dir="ltr">{printableLines(text)}</code>
        </pre>
      </Scroll>
    </div>
  );
}

/** Shows a value as JSON on several lines, as Code does. */
export function Json(props: { readonly label: string; readonly value: unknown; readonly filename?: string }) {
  const { value, ...rest } = props;
  return <Code {...rest} text={`${JSON.stringify(value, null, 2)}\n`} mediaType="application/json" />;
}
