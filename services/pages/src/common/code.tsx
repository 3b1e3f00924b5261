/** Text for programs, such as JSON: to read, to copy, to save. */
import { printableLines } from '@eigenveil/wire/printable';
import { useState } from 'preact/hooks';
import { Button } from './controls.tsx';
import { save } from './save.ts';
import { Scroll } from './scroll.tsx';

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
