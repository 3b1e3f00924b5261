/** A file of rows that was chosen: its form, which of its columns the task takes, and what the form is in words. */
import type { ProposedForm } from '@eigenveil/statistics/owner';
import { columnTitle } from '../common/files.ts';
import { count } from '../common/format.ts';
import type { FieldFault } from './fields.tsx';
import type { FileLook } from './jobs.ts';
import { FILE_LABELS } from './words.ts';

/** The form of a file; columns that are left out or kept are asked for separately. */
export interface Form extends ProposedForm {
  readonly strict?: boolean | undefined;
}

export interface RowFile extends FileLook {
  readonly file: File;
  readonly form: Form;
}

/** Members of a form by which the names of columns may become others. */
const OF_NAMES = ['separator', 'encoding', 'escape', 'trim', 'skipLines'] as const;

/** Returns the next form, without columns that it may name otherwise. */
export function nextForm(before: Form, next: Form): Form {
  return OF_NAMES.every((name) => before[name] === next[name]) ? next : { ...next, columns: undefined };
}

/** Returns the names of columns that the task does not take, each once. */
export function otherColumns({ columns, matches }: FileLook): string[] {
  const used = new Set(matches.map(({ place }) => place));
  return [...new Set(columns.filter((_, i) => !used.has(i)))];
}

/** Returns what people call all columns of a name, since those without one share it. */
export function columnsTitle(rows: FileLook, name: string): string {
  const places = rows.columns.flatMap((it, place) => (it === name ? [place] : []));
  const more = places.length - 1;
  return `${columnTitle(name, places[0]!)}${more > 0 && name.trim() === '' ? ` and ${more} more without one` : ''}`;
}

/** Returns the columns of the task that the file does not have. */
export const missingColumns = ({ matches }: FileLook) => matches.filter(({ place }) => place === undefined);

/** Returns what a column of the file is to the task: the name there, or undefined. */
export function nameForTask({ matches }: FileLook, place: number): string | undefined {
  return matches.find((it) => it.place === place)?.name;
}

/**
 * Returns the form in which a column of the file is taken for one of the task. A name that `own=feature`
 * could not tell is told by its number.
 */
export function withColumn({ form, columns }: RowFile, place: number, name: string): Form {
  const own = columns[place]!;
  const isPlain =
    own.trim() !== '' && !own.includes('=') && columns.indexOf(own) === columns.lastIndexOf(own);
  return { ...form, columns: [...(form.columns ?? []), `${isPlain ? own : `#${place + 1}`}=${name}`] };
}

/** Returns the form in which no column of another name is taken for this one of the task. */
export function withoutColumn({ form }: RowFile, name: string): Form {
  const left = form.columns?.filter((it) => it.slice(it.indexOf('=') + 1) !== name) ?? [];
  return { ...form, columns: left.length === 0 ? undefined : left };
}

/** Returns why a file cannot be read for a task, as a fault of the field where it is chosen. */
export function fileFaults(id: string, label: string, rows: RowFile | null): FieldFault[] {
  const fault = (words: string) => [{ id, label, words }];
  if (rows === null) return fault('Choose a file that can be read');
  const missing = missingColumns(rows).length;
  if (missing > 0) return fault(`The file lacks ${count(missing, 'column')} of the task`);
  return rows.firstRows.length === 0 ? fault('The file has no rows') : [];
}

/** The members of a form that have a field, in the order of the fields. */
const TOLD = [
  'separator',
  'decimal',
  'thousands',
  'encoding',
  'trim',
  'escape',
  'skipLines',
  'skipRows',
  'missing',
  'missingValues',
  'numericLabels',
] as const satisfies readonly (keyof Form)[];

/** Returns what is said of a form, each as a label and a value; of what is only ticked, the label alone. */
export function formInWords(form: Form): string[] {
  return TOLD.flatMap((name) => {
    const value = form[name];
    const label = FILE_LABELS[name];
    if (value === undefined || value === false || value === 'error') return [];
    if (value === true || name === 'missing' || name === 'escape') return [label];
    return [`${label}: ${Array.isArray(value) ? value.join(', ') : String(value)}`];
  });
}
