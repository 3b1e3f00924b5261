/** Fields about how a file of rows is written. They are the options of the command line. */
import { ENCODINGS } from '@eigenveil/platform/file-form';
import { SEPARATORS } from '@eigenveil/statistics/owner';
import { useState } from 'preact/hooks';
import { Check, Choice, TextField } from './fields.tsx';
import type { Form } from './row-file.ts';
import { FILE_LABELS } from './words.ts';

interface FieldsProps {
  readonly form: Form;
  readonly onForm: (form: Form) => void;
}

export function FormFields(
  props: FieldsProps & {
    /** True if ranges count, as for a contribution. */
    readonly isStrict: boolean;
    readonly hasLabels: boolean;
  },
) {
  const { form, onForm, isStrict, hasLabels } = props;
  const change = (some: Partial<Form>) => onForm({ ...form, ...some });
  const choice = <Name extends keyof Form & keyof typeof FILE_LABELS>(
    name: Name,
    usual: string,
    options: readonly (readonly [value: string, words: string])[],
  ) => (
    <Choice
      label={FILE_LABELS[name]}
      value={String(form[name] ?? '')}
      options={[['', usual], ...options]}
      onValue={(value) => change({ [name]: value === '' ? undefined : value })}
    />
  );
  const check = (name: 'trim' | 'numericLabels' | 'strict') => (
    <Check
      label={FILE_LABELS[name]}
      checked={form[name] === true}
      onChecked={(on) => change({ [name]: on || undefined })}
    />
  );
  return (
    <>
      <div class="columns">
        <Choice
          label={FILE_LABELS.separator}
          value={form.separator ?? 'comma'}
          options={Object.keys(SEPARATORS).map((name) => [name, name] as const)}
          onValue={(separator) => change({ separator: separator as NonNullable<Form['separator']> })}
        />
        {choice('decimal', 'point', [['comma', 'comma']])}
        {choice('thousands', 'none', [
          ['point', 'point'],
          ['comma', 'comma'],
          ['space', 'space'],
        ])}
        {choice(
          'encoding',
          'UTF-8, or as the file says',
          ENCODINGS.map((name) => [name, name] as const),
        )}
        <CountField name="skipLines" form={form} onForm={onForm} />
        <CountField name="skipRows" form={form} onForm={onForm} />
      </div>
      {check('trim')}
      <Check
        label={FILE_LABELS.escape}
        checked={form.escape === 'backslash'}
        onChecked={(on) => change({ escape: on ? 'backslash' : undefined })}
      />
      <Check
        label={FILE_LABELS.missing}
        hint="Values that are empty, or NA, N/A, NaN, NULL or ?, and the marks below. Otherwise such a row is an error."
        checked={form.missing === 'skip'}
        onChecked={(on) => change({ missing: on ? 'skip' : undefined })}
      />
      <MarksField form={form} onForm={onForm} />
      {hasLabels && check('numericLabels')}
      {isStrict && check('strict')}
    </>
  );
}

/** A number of lines or rows. What is typed counts once it is a number. */
function CountField({ name, form, onForm }: FieldsProps & { readonly name: 'skipLines' | 'skipRows' }) {
  const [typed, setTyped] = useState(String(form[name] ?? 0));
  const isNumber = /^\d{1,4}$/.test(typed);
  return (
    <TextField
      label={FILE_LABELS[name]}
      isNumber
      value={typed}
      error={isNumber ? null : 'A number from 0 to 9999.'}
      onValue={(text) => {
        setTyped(text);
        if (/^\d{1,4}$/.test(text)) onForm({ ...form, [name]: Number(text) || undefined });
      }}
    />
  );
}

function MarksField({ form, onForm }: FieldsProps) {
  const [typed, setTyped] = useState((form.missingValues ?? []).join(', '));
  return (
    <TextField
      label={FILE_LABELS.missingValues}
      hint="With commas between, such as -999, #N/A; of one column: dose:-999."
      value={typed}
      onValue={(text) => {
        setTyped(text);
        const marks = text
          .split(',')
          .map((it) => it.trim())
          .filter((it) => it !== '');
        onForm({ ...form, missingValues: marks.length === 0 ? undefined : marks });
      }}
    />
  );
}
