/** Controls that people press and fill in. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

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
export interface FieldAttributes {
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
  readonly children: (attributes: FieldAttributes) => ComponentChildren;
}) {
  const { label, hint, error, children } = props;
  const id = useId();
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
