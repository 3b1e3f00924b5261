/** A place for a file, which is chosen by a button or dropped. None of it leaves the page by itself. */
import { useState } from 'preact/hooks';
import { Field } from './controls.tsx';
import './file-drop.css';

export function FileDrop(props: {
  readonly label: string;
  readonly hint: string;
  /** The types of files, as in an input's attribute `accept`. */
  readonly accept: string;
  readonly busy: boolean;
  readonly onFile: (file: File) => void;
}) {
  const { label, hint, accept, busy, onFile } = props;
  const [isOver, setOver] = useState(false);
  const take = (files: FileList | null | undefined) => {
    const file = files?.[0];
    if (file !== undefined && !busy) onFile(file);
  };
  return (
    <fieldset
      aria-label={label}
      class={isOver ? 'drop over' : 'drop'}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        take(event.dataTransfer?.files);
      }}
    >
      <Field label={label} hint={hint}>
        {(attributes) => (
          <input
            {...attributes}
            type="file"
            accept={accept}
            aria-busy={busy}
            onChange={({ currentTarget }) => {
              take(currentTarget.files);
              // Emptied, so that the same file can be chosen again.
              currentTarget.value = '';
            }}
          />
        )}
      </Field>
      <p class="hint">{busy ? 'It is being read.' : 'Or drop it here.'}</p>
    </fieldset>
  );
}
