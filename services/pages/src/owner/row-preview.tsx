/** The beginning of a file of rows: what each of its columns is to the task, and its first cells. */
import type { StatisticsTask } from '@eigenveil/task';
import { printable } from '@eigenveil/wire/printable';
import { Button } from '../common/controls.tsx';
import { Notice } from '../common/feedback.tsx';
import { columnTitle } from '../common/files.ts';
import { count } from '../common/format.ts';
import { Table } from '../common/table.tsx';
import { Untrusted } from '../common/text.tsx';
import { Choice } from './fields.tsx';
import {
  type Form,
  missingColumns,
  nameForTask,
  type RowFile,
  withColumn,
  withoutColumn,
} from './row-file.ts';

/** The most columns that are shown. */
const MOST_COLUMNS = 30;
/** The most columns that are missed by name. */
const MOST_MISSED = 20;
/** The most columns of the file that are offered for one. */
const MOST_OPTIONS = 200;

export function RowPreview(props: {
  readonly rows: RowFile;
  readonly columns: Pick<StatisticsTask, 'features' | 'labellings'>;
  readonly onForm: (form: Form) => void;
}) {
  const { rows, columns, onForm } = props;
  const labels = new Set(columns.labellings.map(({ column }) => column));
  const features = new Set(columns.features.map(({ name }) => name));
  const shown = rows.columns.slice(0, MOST_COLUMNS).map((_, place) => ({ place }));
  const useOf = (place: number) => {
    const name = nameForTask(rows, place);
    if (name === undefined) return 'not in the task';
    const use = [features.has(name) ? 'a feature' : '', labels.has(name) ? 'the labels' : '']
      .filter((it) => it !== '')
      .join(' and ');
    if (name === rows.columns[place]) return use;
    return (
      <>
        {use}: <Untrusted text={name} longest={40} />{' '}
        <Button onClick={() => onForm(withoutColumn(rows, name))}>Not this one</Button>
      </>
    );
  };
  return (
    <>
      <Table
        caption="The beginning of your file"
        rows={shown}
        keyOf={({ place }) => place}
        columns={[
          {
            head: 'Column',
            cell: ({ place }) => <Untrusted text={columnTitle(rows.columns[place]!, place)} longest={40} />,
          },
          { head: 'It is', cell: ({ place }) => useOf(place) },
          ...rows.firstRows.map((cells, i) => ({
            head: `Row ${i + 1}`,
            cell: ({ place }: { readonly place: number }) => (
              <Untrusted text={cells[place] ?? ''} longest={30} />
            ),
          })),
        ]}
      />
      {rows.columns.length > shown.length && (
        <p class="hint">{count(rows.columns.length - shown.length, 'more column')}.</p>
      )}
    </>
  );
}

/** Says which columns of the task the file does not have, and which of its own may be meant. */
export function MissedColumns(props: { readonly rows: RowFile; readonly onForm: (form: Form) => void }) {
  const { rows, onForm } = props;
  const missed = missingColumns(rows);
  if (missed.length === 0) return null;
  const isOther = missed.length === rows.matches.length && missed.every(({ near }) => near === undefined);
  const others = rows.columns.flatMap((_, i) => (nameForTask(rows, i) === undefined ? [i] : []));
  const take = (place: number, name: string) => onForm(withColumn(rows, place, name));
  return (
    <Notice
      kind="bad"
      title={
        isOther
          ? 'This file has none of the columns of the task'
          : `${count(missed.length, 'column')} of the task not found in the file`
      }
      live
    >
      {isOther && <p>It may be another file, or be written in another form than “File format” says.</p>}
      {missed.slice(0, MOST_MISSED).map(({ name, near }) => (
        <div key={name}>
          {near !== undefined ? (
            <p>
              <Untrusted text={name} longest={60} /> is missing. The file has{' '}
              <Untrusted text={columnTitle(rows.columns[near]!, near)} longest={60} />.{' '}
              <Button onClick={() => take(near, name)}>Take it for this one</Button>
            </p>
          ) : (
            <Choice
              label={`Column for ${printable(name, 60)}`}
              value=""
              options={[
                ['', 'not found'],
                ...others
                  .slice(0, MOST_OPTIONS)
                  .map(
                    (place) =>
                      [String(place), printable(columnTitle(rows.columns[place]!, place), 60)] as const,
                  ),
              ]}
              onValue={(place) => take(Number(place), name)}
            />
          )}
        </div>
      ))}
      {missed.length > MOST_MISSED && <p>And {count(missed.length - MOST_MISSED, 'more column')}.</p>}
    </Notice>
  );
}
