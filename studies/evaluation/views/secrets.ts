/** The secrets that must not be in a view, taken from the views of one recording: statistics, rows and the result, in every form in which software writes them. */
import { CodedError } from '@eigenveil/platform';
import { Discretiser, flatten, layout, RowAccumulator, readRows } from '@eigenveil/statistics';
import { Task } from '@eigenveil/task';
import { type Form, formsOf, formsOfNumbers } from '@eigenveil/testbed/leaks';
import { z } from 'zod';
import { EVALUATION_CODES } from '../codes.ts';
import { type Party, partOf, type View } from './view.ts';

/** A form of one secret: of a statistic, of a row, of a number of the result. */
export interface SecretForm extends Form {
  /** Such as `statistic 12 of owner 1`. */
  readonly secret: string;
}

/** Secrets of one kind and one holder. */
export interface Secrets {
  /** Sealed ones are what a service keeps sealed: a key, shares, blinding values. */
  readonly kind: 'statistics' | 'rows' | 'result' | 'sealed';
  /** The party that it is of: an owner, or all of them together. */
  readonly of: Party | 'all owners';
  /** The number of them (numbers, and of statistics whole packed plaintexts), those included that have no form: too small to be told from chance, or rows beyond those that are sought. */
  readonly count: number;
  readonly forms: readonly SecretForm[];
}

/** The part of a released projection that is looked for. */
const Released = z.object({ vectors: z.array(z.array(z.number())), eigenvalues: z.array(z.number()) });

interface OwnRow {
  readonly values: readonly number[];
  readonly classes: readonly number[];
}

/**
 * @param views those of one recording: of all owners, and of whoever has the result
 * @throws ERR_VIEW_FORMAT for views without a task
 */
export async function secretsOf(views: readonly View[]): Promise<Secrets[]> {
  const owners = views.filter(({ party }) => party.startsWith('owner '));
  const task = taskOf(views);
  const rows = await Promise.all(owners.map((view) => rowsOf(view, task)));
  const statistics = rows.map((own, i) => statisticsSecrets(task, owners[i]!.party, [own]));
  const released = views
    .map((view) => partOf(view.outputs, 'projection'))
    .find((bytes) => bytes !== undefined);
  return [
    statisticsSecrets(task, 'all owners', rows),
    ...statistics,
    ...rows.map((own, i) => rowSecrets(task, owners[i]!.party, own, Math.ceil(MOST_ROWS / rows.length))),
    ...(released === undefined ? [] : [resultSecrets(Released.parse(JSON.parse(released.toString())))]),
  ];
}

/**
 * The pooled statistics of the owners' views.
 * @throws ERR_VIEW_FORMAT
 */
export async function pooledOf(owners: readonly View[]): Promise<bigint[]> {
  const task = taskOf(owners);
  return statisticsOf(task, await Promise.all(owners.map((view) => rowsOf(view, task))));
}

/** @throws ERR_VIEW_FORMAT */
function taskOf(views: readonly View[]): Task {
  const bytes = views.map((view) => partOf(view.inputs, 'task')).find((it) => it !== undefined);
  if (bytes === undefined)
    throw new CodedError(EVALUATION_CODES.ERR_VIEW_FORMAT, 'views expected with the task among the inputs');
  return Task.parse(JSON.parse(bytes.toString()));
}

async function rowsOf(view: View, task: Task): Promise<OwnRow[]> {
  const bytes = partOf(view.inputs, 'rows');
  if (bytes === undefined) {
    throw new CodedError(
      EVALUATION_CODES.ERR_VIEW_FORMAT,
      `the view of ${view.party} expected rows among the inputs`,
    );
  }
  const source = (async function* () {
    yield bytes;
  })();
  const rows: OwnRow[] = [];
  for await (const { values, classes } of readRows(source, task)) rows.push({ values: [...values], classes });
  return rows;
}

function statisticsSecrets(
  task: Task,
  of: Secrets['of'],
  rowsByOwner: readonly (readonly OwnRow[])[],
): Secrets {
  const values = statisticsOf(task, rowsByOwner);
  const packing = layout(task);
  const forms = formsOf(values, packing, task.fractionBits);
  // From `value 3, decimal`, `values 3 and 4`, `plaintext 0`.
  const named = forms.map((form) => {
    const [, what, i] = /^(value|plaintext)s? (\d+)/.exec(form.name)!;
    return { ...form, secret: `${what} ${i} of ${of}` };
  });
  return { kind: 'statistics', of, count: values.length + packing.plaintexts.length, forms: named };
}

/** The flat statistics, as the protocol sums them up. */
function statisticsOf(task: Task, rowsByOwner: readonly (readonly OwnRow[])[]): bigint[] {
  const rows = rowsByOwner.flat();
  const accumulator = new RowAccumulator({ ...task, maximumSamplesPerOwner: Math.max(1, rows.length) });
  for (const { values, classes } of rows) accumulator.addClassed(values, classes);
  return flatten(task, { ...accumulator.statistics(), owners: BigInt(rowsByOwner.length) });
}

/** The most rows of all owners together: their forms are held in memory. */
const MOST_ROWS = 2000;
/** Neighbouring cells together; fewer would turn up by chance. */
const CELLS = 4;
const LEAST_TEXT = 12;
const SEPARATORS = [',', ', ', ';', '\t', '","'];

function rowSecrets(task: Task, of: Party, rows: readonly OwnRow[], most: number): Secrets {
  const step = Math.max(1, Math.ceil(rows.length / most));
  const discretiser = new Discretiser(task);
  const forms = rows.flatMap(({ values }, row) => {
    if (row % step !== 0) return [];
    const integers = [...discretiser.discretise(values)];
    return windowsOf(values).flatMap((cells, at) => {
      const whole = integers.slice(at, at + cells.length);
      const texts = [cells, whole].flatMap((numbers) => SEPARATORS.map((between) => numbers.join(between)));
      const written = [
        ...texts
          .filter((text) => text.length >= LEAST_TEXT)
          .map((text) => ['text', Buffer.from(text)] as const),
        ...encodings(cells, 'real'),
        ...encodings(whole, 'whole'),
      ];
      return written
        .filter(([, bytes]) => isTelling(bytes))
        .map(([name, bytes]) => ({
          name: `cells from ${at}, ${name}`,
          bytes,
          secret: `row ${row} of ${of}`,
        }));
    });
  });
  return { kind: 'rows', of, count: rows.length, forms };
}

/** Neighbours in a row, all of them where there are few. */
function windowsOf(cells: readonly number[]): number[][] {
  const length = Math.min(CELLS, cells.length);
  return Array.from({ length: cells.length - length + 1 }, (_, i) => cells.slice(i, i + length));
}

/** The forms of either byte order: doubles and singles, or integers of 3, 4 and 8 bytes. */
function encodings(numbers: readonly number[], kind: 'real' | 'whole'): (readonly [string, Buffer])[] {
  const sizes = kind === 'real' ? [4, 8] : [3, 4, 8];
  return sizes.flatMap((size) => {
    const cells = numbers.map((number) => {
      const bytes = Buffer.alloc(size);
      if (kind === 'real') size === 4 ? bytes.writeFloatBE(number) : bytes.writeDoubleBE(number);
      else if (size === 8) bytes.writeBigInt64BE(BigInt(number));
      else bytes.writeIntBE(number, 0, size);
      return bytes;
    });
    const name = `${kind === 'real' ? 'floating point' : 'integers'} of ${size} bytes`;
    return [
      [name, Buffer.concat(cells)],
      [`${name}, little-endian`, Buffer.concat(cells.map((cell) => Buffer.from(cell).reverse()))],
    ];
  });
}

/** Zeros and small numbers are in every file: at least this number of different bytes, and some among the first, by which a form is found. */
const LEAST_DIFFERENT = 6;

function isTelling(bytes: Buffer): boolean {
  return new Set(bytes).size >= LEAST_DIFFERENT && new Set(bytes.subarray(0, 6)).size > 1;
}

function resultSecrets({ vectors, eigenvalues }: z.infer<typeof Released>): Secrets {
  const numbers = [...vectors.flat(), ...eigenvalues];
  const forms = formsOfNumbers(numbers).map((form) => ({
    ...form,
    secret: `${/^\w+ \d+/.exec(form.name)?.[0]} of the result`,
  }));
  return { kind: 'result', of: 'all owners', count: numbers.length, forms };
}
