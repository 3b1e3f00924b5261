/** Controls that people press and fill in, a place for a file, and dialogs. */
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';

/**
 * A button, or with `submit` the one that sends its form. While it is `busy` it says so, keeps the focus and
 * does nothing.
 * @param kind `main` for the one thing to do here, `danger` for what destroys
 */
export function Button(props: {
  readonly children: ComponentChildren;
  readonly kind?: 'main' | 'plain' | 'danger';
  readonly busy?: boolean;
  readonly disabled?: boolean;
  readonly submit?: boolean;
  readonly onClick?: () => void;
}) {
  const { kind = 'plain', busy = false, disabled = false, submit = false, onClick, children } = props;
  const off = busy || disabled;
  return (
    <button
      type={submit ? 'submit' : 'button'}
      class={kind}
      aria-disabled={off}
      aria-busy={busy}
      onClick={(event) => {
        if (off) event.preventDefault();
        else onClick?.();
      }}
    >
      {children}
      {busy && <span class="spinner" aria-hidden="true" />}
    </button>
  );
}

/** Attributes for the control of a Field. */
interface FieldAttributes {
  readonly id: string;
  readonly 'aria-describedby'?: string;
  readonly 'aria-invalid'?: boolean;
}

/**
 * A control with its name, a hint and its fault, tied together for screen readers.
 * @example
 * <Field label="Name" error={error}>{(attributes) => <input {...attributes} value={name} />}</Field>
 */
export function Field(props: {
  readonly label: ComponentChildren;
  readonly hint?: ComponentChildren;
  /** The fault, or null when there is none. */
  readonly error?: ComponentChildren;
  /** The id of the control, for a link that leads to it; by default one of its own. */
  readonly id?: string | undefined;
  readonly children: (attributes: FieldAttributes) => ComponentChildren;
}) {
  const { label, hint, error, children } = props;
  const ownId = useId();
  const id = props.id ?? ownId;
  const isHinted = hint !== undefined && hint !== null;
  const isWrong = error !== undefined && error !== null;
  const described = [isHinted ? `${id}-hint` : '', isWrong ? `${id}-error` : ''].join(' ').trim();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {isHinted && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {children({
        id,
        ...(described === '' ? {} : { 'aria-describedby': described }),
        ...(isWrong ? { 'aria-invalid': true } : {}),
      })}
      {isWrong && (
        <p class="error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}

/**
 * A dialog that is open for as long as it is rendered. Put `autofocus` on the control to begin with;
 * otherwise it is the first one.
 * @param onClose when it is left with Escape; take it away then
 */
export function Dialog(props: {
  readonly title: ComponentChildren;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) {
  const { title, onClose, children } = props;
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  // This is a layout effect, since the browser gives the focus back only while the dialog is still in the
  // page.
  useLayoutEffect(() => {
    const element = dialog.current!;
    element.showModal();
    heading.current!.focus(); // not the first button, which may be the one that cannot be taken back
    return () => element.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <h2 id={id} ref={heading} tabIndex={-1}>
        {title}
      </h2>
      {children}
    </dialog>
  );
}

/** A place for a file, which is chosen by a button or dropped. None of it leaves the page by itself. */
export function FileDrop(props: {
  readonly label: string;
  readonly hint: string;
  /** The types of files, as in an input's attribute `accept`. */
  readonly accept: string;
  readonly busy: boolean;
  readonly onFile: (file: File) => void;
  /** The id of the control, for a link that leads to it. */
  readonly id?: string;
}) {
  const { label, hint, accept, busy, onFile, id } = props;
  const [isOver, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const chosen = useRef<File | null>(null);
  /** The browser names the file that counts beside its button, however it came here. */
  const name = () => {
    const held = new DataTransfer();
    if (chosen.current !== null) held.items.add(chosen.current);
    input.current!.files = held.files;
  };
  const take = (files: FileList | null | undefined) => {
    const file = files?.[0];
    if (file !== undefined && !busy) {
      chosen.current = file;
      onFile(file);
    }
    name();
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
      <Field label={label} hint={hint} id={id}>
        {(attributes) => (
          <input
            {...attributes}
            ref={input}
            type="file"
            accept={accept}
            aria-busy={busy}
            onClick={({ currentTarget }) => {
              // Emptied, so that the same file can be chosen again.
              currentTarget.value = '';
            }}
            onCancel={name}
            onChange={({ currentTarget }) => take(currentTarget.files)}
          />
        )}
      </Field>
      <p class="hint">{busy ? 'It is in use.' : 'Or drop it here.'}</p>
    </fieldset>
  );
}
