/** Fields that several views of the owner's page have, and errors in the words of the page. */
import { DatasetName } from '@eigenveil/data-owner/portable';
import { CodedError } from '@eigenveil/platform';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Field } from '../common/controls.tsx';
import { Problem } from '../common/feedback.tsx';
import { capital } from '../common/format.ts';
import { toldOf } from './refusals.ts';
import { routes } from './routes.ts';
import { FILE_LABELS } from './words.ts';

/** Returns why a text is no name of rows, as a fault of the control with this id. */
export function datasetFaults(id: string, value: string): FieldFault[] {
  const read = DatasetName.safeParse(value.trim());
  if (read.success) return [];
  return [{ id, label: FILE_LABELS.dataset, words: capital(read.error.issues[0]!.message) }];
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
  readonly error?: string | null;
  readonly checked: boolean;
  readonly onChecked: (checked: boolean) => void;
  readonly id?: string;
}) {
  const { label, hint, error, checked, onChecked, id } = props;
  return (
    <Field label={label} {...(hint === undefined ? {} : { hint })} error={error ?? null} id={id}>
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
  readonly error?: string | null;
  /** The types of files, as in an input's attribute `accept`. */
  readonly accept: string;
  readonly onFile: (file: File | null) => void;
  readonly id?: string;
}) {
  const { label, hint, error, accept, onFile, id } = props;
  return (
    <Field label={label} {...(hint === undefined ? {} : { hint })} error={error ?? null} id={id}>
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
 * Holds the faults of a form back until somebody sends it with them.
 * @returns `submit`, which sends a form without faults and shows those of another; `show`, which shows them; the
 *   properties of a FaultSummary; and `wrong`, the fault of the control with an id, once faults are shown
 */
export function useFaults(faults: readonly FieldFault[], send: () => void) {
  const [sent, setSent] = useState(0);
  const show = () => setSent((it) => it + 1);
  return {
    show,
    submit() {
      if (faults.length > 0) return show();
      setSent(0);
      send();
    },
    summary: { faults, sent },
    wrong: (id: string): string | null =>
      sent === 0 ? null : (faults.find((fault) => fault.id === id)?.words ?? null),
  };
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

/** An error of the owner's page, in the words of the page, and what the owner can do about it. */
export function OwnerProblem(props: {
  readonly error: unknown;
  readonly title?: string;
  readonly children?: ComponentChildren;
}) {
  const { error, children, ...rest } = props;
  const told = error instanceof CodedError ? toldOf(error) : null;
  return (
    <Problem {...rest} error={error} {...(told !== null && { words: () => told.says })}>
      {told?.next !== undefined && (
        <p>
          {told.next} {told.enrol && <a href={routes.href('enrol', {})}>Enrol again</a>}
        </p>
      )}
      {children}
    </Problem>
  );
}
