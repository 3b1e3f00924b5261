/** Fields that several views of the owner's page have, and errors in the words of the page. */
import { DatasetName } from '@eigenveil/data-owner/portable';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Field } from '../common/controls.tsx';
import { Problem } from '../common/feedback.tsx';
import { capital } from '../common/format.ts';
import { FILE_LABELS, pageWords } from './words.ts';

/**
 * The name of the rows, under which their budget is kept.
 * @param fault why rows of this name cannot be taken, if they cannot
 */
export function DatasetField(props: {
  readonly value: string;
  readonly hint: string;
  readonly fault?: string | null;
  readonly onValue: (value: string) => void;
}) {
  const { value, hint, fault = null, onValue } = props;
  const read = DatasetName.safeParse(value.trim());
  const error = read.success || value === '' ? fault : read.error.issues[0]!.message;
  return <TextField label={FILE_LABELS.dataset} hint={hint} value={value} onValue={onValue} error={error} />;
}

/** One line of text. */
export function TextField(props: {
  readonly label: string;
  readonly hint?: string;
  readonly error?: string | null;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly isSecret?: boolean;
  readonly isNumber?: boolean;
  /** The id of the control, for a link from the summary of faults. */
  readonly id?: string;
}) {
  const { label, hint, error, value, onValue, isSecret = false, isNumber = false, id } = props;
  return (
    <Field label={label} {...(hint === undefined ? {} : { hint })} error={error ?? null} id={id}>
      {(attributes) => {
        const common = {
          ...attributes,
          autocomplete: 'off',
          spellcheck: false,
          value,
          onInput: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) =>
            onValue(currentTarget.value),
        } as const;
        return isSecret ? (
          <input {...common} type="password" />
        ) : (
          <input {...common} type="text" inputMode={isNumber ? 'decimal' : 'text'} />
        );
      }}
    </Field>
  );
}

export function Choice(props: {
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, words: string])[];
  readonly onValue: (value: string) => void;
}) {
  const { label, hint, value, options, onValue } = props;
  return (
    <Field label={label} {...(hint === undefined ? {} : { hint })}>
      {(attributes) => (
        <select {...attributes} value={value} onChange={({ currentTarget }) => onValue(currentTarget.value)}>
          {options.map(([option, words]) => (
            <option key={option} value={option}>
              {words}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export function Check(props: {
  readonly label: string;
  readonly hint?: string;
  readonly checked: boolean;
  readonly onChecked: (checked: boolean) => void;
}) {
  const { label, hint, checked, onChecked } = props;
  return (
    <Field label={label} {...(hint === undefined ? {} : { hint })}>
      {(attributes) => (
        <input
          {...attributes}
          type="checkbox"
          checked={checked}
          onChange={({ currentTarget }) => onChecked(currentTarget.checked)}
        />
      )}
    </Field>
  );
}

export function FileField(props: {
  readonly label: string;
  readonly hint?: string;
  /** The types of files, as in an input's attribute `accept`. */
  readonly accept: string;
  readonly onFile: (file: File | null) => void;
}) {
  const { label, hint, accept, onFile } = props;
  return (
    <Field label={label} {...(hint === undefined ? {} : { hint })}>
      {(attributes) => (
        <input
          {...attributes}
          type="file"
          accept={accept}
          onChange={({ currentTarget }) => onFile(currentTarget.files?.[0] ?? null)}
        />
      )}
    </Field>
  );
}

/** A fault of a field, with the id of its control. */
export interface FieldFault {
  readonly id: string;
  readonly label: string;
  readonly words: string;
}

/**
 * Lists all faults of a form with a link to each field, and takes the focus when the form was sent with them.
 * @param sent the number of times that the form was sent with faults; before the first, nothing is shown
 */
export function FaultSummary(props: {
  readonly title?: string;
  readonly faults: readonly FieldFault[];
  readonly sent: number;
}) {
  const { title = 'Fix these fields before saving', faults, sent } = props;
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (sent > 0) box.current?.focus();
  }, [sent]);
  if (sent === 0 || faults.length === 0) return null;
  return (
    <div ref={box} tabIndex={-1} class="notice bad">
      <strong>{title}</strong>
      <ul>
        {faults.map(({ id, label, words }) => (
          <li key={id}>
            <a
              href={location.hash}
              onClick={(event) => {
                event.preventDefault();
                const control = document.getElementById(id);
                control?.closest('details')?.setAttribute('open', '');
                control?.focus();
              }}
            >
              {label}
            </a>
            : {words}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Says what a passphrase is used for, before the page stands still for it. */
export function StandsStill(props: { readonly busy: boolean; readonly doing: string }) {
  return (
    <p role="status">
      {props.busy && `${props.doing}: that takes a few seconds, in which this page does not answer.`}
    </p>
  );
}

/** An error of the owner's page, in the words of the page. */
export function OwnerProblem(props: {
  readonly error: unknown;
  readonly title?: string;
  readonly children?: ComponentChildren;
}) {
  const { error, ...rest } = props;
  return <Problem {...rest} error={error} words={(message) => capital(pageWords(message))} />;
}
