/**
 * A file of rows, how it is written, and its beginning. Its form is proposed from the file, by the code that
 * reads it.
 */
import type { StatisticsTask } from '@eigenveil/task';
import { useEffect, useRef, useState } from 'preact/hooks';
import { FileDrop } from '../common/controls.tsx';
import { Notice } from '../common/feedback.tsx';
import { bytes, count } from '../common/format.ts';
import { Untrusted } from '../common/text.tsx';
import { useAsync } from '../common/use-async.ts';
import { OwnerProblem } from './fields.tsx';
import { FormFields } from './form-fields.tsx';
import { problemTitle } from './problems.ts';
import { type Form, formInWords, nextForm, type RowFile } from './row-file.ts';
import { MissedColumns, RowPreview } from './row-preview.tsx';
import type { OwnerWorker } from './worker-client.ts';

export function FileForm(props: {
  readonly worker: OwnerWorker;
  /** The id of the field of the file, for a link that leads to it. */
  readonly id: string;
  readonly label: string;
  /** The columns that the task takes from the file. */
  readonly columns: Pick<StatisticsTask, 'features' | 'labellings'>;
  /** True for a histogram, which counts cells that are no numbers. */
  readonly countsUnreadable?: boolean;
  readonly rows: RowFile | null;
  readonly busy: boolean;
  /** Told that another file was chosen. */
  readonly onFile: () => void;
  /** Told the file in the form that is chosen; null if it cannot be read so, undefined until that is known. */
  readonly onRows: (rows: RowFile | null | undefined) => void;
  /** True if ranges count, as for a contribution. */
  readonly isStrict: boolean;
}) {
  const {
    worker,
    id,
    label,
    columns,
    countsUnreadable = false,
    rows,
    busy,
    onFile,
    onRows,
    isStrict,
  } = props;
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState<{ readonly file: File; readonly form: Form | null } | null>(null);
  const look = useAsync(
    async (signal) => {
      if (chosen === null) return null;
      const { strict, ...told } = chosen.form ?? {};
      const form = chosen.form === null ? null : told;
      const seen = await worker.look({ file: chosen.file, columns, countsUnreadable, form }, signal);
      return { ...seen, file: chosen.file, form: { ...seen.form, strict } };
    },
    [chosen],
  );
  const seen = look.state === 'done' ? look.value : null;
  useEffect(() => {
    // The page goes on showing the file until it is read in its next form.
    if (look.state !== 'loading') onRows(seen);
  }, [look.state, seen]);
  const form = chosen?.form ?? rows?.form ?? (look.state === 'failed' ? {} : null);
  const change = (asked: Form) => {
    const next = nextForm(form ?? {}, asked);
    setChosen((it) => it && { ...it, form: next });
    onRows(rows && { ...rows, form: next });
  };
  const shown = useRef<HTMLDivElement>(null);
  // The button that was pressed goes, and the focus with it.
  const match = (asked: Form) => {
    change(asked);
    shown.current?.focus();
  };
  return (
    <>
      <FileDrop
        id={id}
        label={label}
        hint="CSV with a header row, plain or .gz. Its rows are read in this browser alone."
        accept=".csv,.gz,.tsv,.txt"
        busy={busy || (chosen !== null && look.state === 'loading')}
        onFile={(file) => {
          onFile();
          onRows(undefined);
          setChosen({ file, form: null });
        }}
      />
      {look.state === 'failed' && <OwnerProblem error={look.error} title={problemTitle(look.error)} />}
      {rows !== null && (
        <div ref={shown} tabIndex={-1}>
          <Notice kind="info" title="Chosen" live>
            <p>
              <Untrusted text={rows.file.name} />, {bytes(rows.file.size)},{' '}
              {count(rows.columns.length, 'column')}. It is read as{' '}
              <Untrusted text={formInWords(rows.form).join('; ')} longest={400} />. Change that under “File
              format”.
            </p>
          </Notice>
          {rows.firstRows.length === 0 && (
            <Notice kind="bad" title="This file has a header row and no rows" live />
          )}
          <MissedColumns rows={rows} onForm={match} />
          <RowPreview rows={rows} columns={columns} onForm={match} />
        </div>
      )}
      {chosen !== null && form !== null && (
        <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
          <summary>File format</summary>
          <FormFields
            form={form}
            onForm={change}
            isStrict={isStrict}
            hasLabels={columns.labellings.length > 0}
          />
        </details>
      )}
    </>
  );
}
