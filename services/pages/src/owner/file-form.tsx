/** A file of rows, and its form. The choices are those of the command line. */
import { useState } from 'preact/hooks';
import { FileDrop } from '../common/controls.tsx';
import { Notice } from '../common/feedback.tsx';
import { bytes, count } from '../common/format.ts';
import { Untrusted } from '../common/text.tsx';
import { useAction } from '../common/use-async.ts';
import { Check, Choice, OwnerProblem } from './fields.tsx';
import { columnsOf, type Form, guessSeparator, type RowFile, SEPARATORS } from './row-file.ts';
import { FILE_LABELS } from './words.ts';

export function FileForm(props: {
  readonly label: string;
  readonly rows: RowFile | null;
  readonly form: Form;
  readonly busy: boolean;
  readonly onRows: (rows: RowFile | null, form: Form) => void;
  /** True if labels and ranges count, as for a contribution. */
  readonly isStrict: boolean;
}) {
  const { label, rows, form, busy, onRows, isStrict } = props;
  const [isOpen, setOpen] = useState(false);
  const look = useAction(async (_signal, file: File, asked: Form | null) => {
    onRows(null, asked ?? form);
    const next = asked ?? { ...form, separator: await guessSeparator(file) };
    const columns = await columnsOf(file, next.separator);
    onRows({ file, columns: next.trim ? columns.map((it) => it.trim()) : columns }, next);
  });
  const change = (some: Partial<Form>) => {
    const next = { ...form, ...some };
    if (rows === null) onRows(null, next);
    else look.run(rows.file, next);
  };
  return (
    <>
      <FileDrop
        label={label}
        hint="CSV with a header row, plain or .gz. Its rows are read in this browser alone."
        accept=".csv,.gz,.tsv,.txt"
        busy={busy || look.busy}
        onFile={(file) => look.run(file, null)}
      />
      <OwnerProblem error={look.error} title="The file cannot be read" />
      {rows !== null && (
        <Notice kind="info" title="Chosen" live>
          <p>
            <Untrusted text={rows.file.name} />, {bytes(rows.file.size)},{' '}
            {count(rows.columns.length, 'column')}
          </p>
        </Notice>
      )}
      <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>How the file is written</summary>
        <Choice
          label={FILE_LABELS.separator}
          value={form.separator}
          options={SEPARATORS.map((name) => [name, name] as const)}
          onValue={(separator) => change({ separator: separator as Form['separator'] })}
        />
        <Choice
          label={FILE_LABELS.decimal}
          value={form.decimal}
          options={[
            ['point', 'point'],
            ['comma', 'comma'],
          ]}
          onValue={(decimal) => change({ decimal: decimal as Form['decimal'] })}
        />
        <Check label={FILE_LABELS.trim} checked={form.trim} onChecked={(trim) => change({ trim })} />
        <Check
          label={FILE_LABELS.missing}
          hint="Cells that are empty, or NA, N/A, NaN, NULL or ?. Otherwise such a row is an error."
          checked={form.missing === 'skip'}
          onChecked={(skip) => change({ missing: skip ? 'skip' : 'error' })}
        />
        {isStrict && (
          <>
            <Check
              label={FILE_LABELS.numericLabels}
              checked={form.numericLabels}
              onChecked={(numericLabels) => change({ numericLabels })}
            />
            <Check
              label={FILE_LABELS.strict}
              checked={form.strict}
              onChecked={(strict) => change({ strict })}
            />
          </>
        )}
      </details>
    </>
  );
}
