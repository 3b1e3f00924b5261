/**
 * Reads reduced rows, as `eigenveil-owner project` writes them, for a drawing, and refuses rows that are not
 * reduced. The rows stay in the page.
 */
import { CodedError, codes } from '@eigenveil/platform';
import { parseDecimal, readRecords } from '@eigenveil/statistics/owner';

export const DRAWING_CODES = codes({
  ERR_ROWS_RAW: { title: 'The rows are not reduced' },
  ERR_ROWS_UNDRAWABLE: { title: 'The file does not hold reduced rows that can be drawn' },
});

/** The most points that are kept; of more rows only every second, fourth, … is. */
export const MOST_POINTS = 100_000;
/** The most groups with a colour of their own; the others form one more group. */
const MOST_GROUPS = 8;
/** A column with more different texts than this is not a label. */
const MOST_LABELS = 50;
/** The longest label that is shown. */
const LONGEST_LABEL = 128;
/** The number of points for which there is room at first. */
const FIRST_POINTS = 1024;

/** A column beside the components' that groups rows. */
export interface LabelColumn {
  readonly name: string;
  /** The different texts, in the order in which they were read. */
  readonly labels: readonly string[];
  /** The index of each kept row's text. */
  readonly indices: Uint8Array;
}

export interface ReducedRows {
  /** The number of rows of the file. */
  readonly rows: number;
  /** The number of rows that are kept: every `stride`-th. */
  readonly points: number;
  readonly stride: number;
  /** The kept values of each component of the file, in the task's order. */
  readonly components: ReadonlyMap<number, Float32Array>;
  readonly labelColumns: readonly LabelColumn[];
}

/**
 * @param source in slices that are small enough for the page to answer in between
 * @param features of the task: a file that has one of them has raw rows
 * @param components how many the result has
 * @throws ERR_ROWS_RAW for a file with columns of the task's features; ERR_ROWS_UNDRAWABLE; ERR_CSV_SYNTAX;
 *   as the source
 */
export async function readReduced(
  source: AsyncIterable<Uint8Array>,
  { features, components }: { readonly features: readonly string[]; readonly components: number },
): Promise<ReducedRows> {
  let kept: KeptRows | undefined;
  for await (const { cells, line } of readRecords(source)) {
    if (kept === undefined) {
      checkHeader(cells, features, components);
      kept = new KeptRows(cells, components);
      continue;
    }
    kept.add(cells, line);
  }
  if (kept === undefined || kept.rows === 0)
    throw new CodedError(DRAWING_CODES.ERR_ROWS_UNDRAWABLE, 'The file has no rows.');
  return kept.told();
}

/** Returns the name that `Projector` gives to a component. */
const nameOf = (component: number) => `component_${component + 1}`;

function checkHeader(header: readonly string[], features: readonly string[], components: number): void {
  const raw = header.filter((name) => features.includes(name)).length;
  if (raw > 0)
    throw new CodedError(
      DRAWING_CODES.ERR_ROWS_RAW,
      `The file has ${raw === 1 ? 'a column' : `${raw} columns`} of the task's features, so its rows are not reduced, or not only.`,
    );
  const own = Array.from({ length: components }, (_, j) => nameOf(j));
  const found = own.filter((name) => header.includes(name));
  if (found.length === 0)
    throw new CodedError(
      DRAWING_CODES.ERR_ROWS_UNDRAWABLE,
      `The file has no column ${components === 1 ? own[0] : `${own[0]} … ${own.at(-1)}`}, as reduced rows have.`,
    );
  if (new Set(header).size < header.length)
    throw new CodedError(DRAWING_CODES.ERR_ROWS_UNDRAWABLE, 'The file has two columns of one name.');
}

/** The rows that are kept so far: never more than MOST_POINTS. */
class KeptRows {
  readonly #width: number;
  readonly #components: { readonly component: number; readonly at: number; values: Float32Array }[];
  #labels: LabelsSoFar[];
  rows = 0;
  #points = 0;
  #stride = 1;

  constructor(header: readonly string[], components: number) {
    this.#width = header.length;
    this.#components = Array.from({ length: components }, (_, component) => ({
      component,
      at: header.indexOf(nameOf(component)),
    }))
      .filter(({ at }) => at >= 0)
      .map((column) => ({ ...column, values: new Float32Array(FIRST_POINTS) }));
    const taken = new Set(this.#components.map(({ at }) => at));
    this.#labels = header.flatMap((name, at) => (taken.has(at) ? [] : [new LabelsSoFar(name, at)]));
  }

  add(cells: readonly string[], line: number): void {
    const row = this.rows;
    this.rows += 1;
    if (cells.length !== this.#width)
      throw new CodedError(
        DRAWING_CODES.ERR_ROWS_UNDRAWABLE,
        `Line ${line} has ${cells.length} cells instead of ${this.#width}.`,
      );
    if (row % this.#stride !== 0) return;
    if (this.#points === MOST_POINTS) this.#thin();
    if (row % this.#stride !== 0) return;
    for (const column of this.#components) {
      const { component, at } = column;
      const value = Math.fround(parseDecimal(cells[at]!) ?? Number.NaN);
      if (!Number.isFinite(value))
        throw new CodedError(
          DRAWING_CODES.ERR_ROWS_UNDRAWABLE,
          `Line ${line} has no number in the column ${nameOf(component)}.`,
        );
      if (this.#points === column.values.length) column.values = grown(column.values);
      column.values[this.#points] = value;
    }
    for (const column of this.#labels) column.set(this.#points, cells[column.at]!);
    this.#labels = this.#labels.filter(({ isLabel }) => isLabel);
    this.#points += 1;
  }

  told(): ReducedRows {
    const points = this.#points;
    return {
      rows: this.rows,
      points,
      stride: this.#stride,
      components: new Map(
        this.#components.map(({ component, values }) => [component, values.subarray(0, points)]),
      ),
      labelColumns: this.#labels.map(({ name, labels, indices }) => ({
        name,
        labels: [...labels.keys()],
        indices: indices.subarray(0, points),
      })),
    };
  }

  /** Keeps only every second of the kept rows, in place. */
  #thin(): void {
    const all = [
      ...this.#components.map(({ values }) => values),
      ...this.#labels.map(({ indices }) => indices),
    ];
    for (const values of all) for (let i = 0; 2 * i < MOST_POINTS; i += 1) values[i] = values[2 * i]!;
    this.#points = Math.ceil(MOST_POINTS / 2);
    this.#stride *= 2;
  }
}

/** Returns a copy with twice the length, but at most MOST_POINTS. */
function grown(values: Float32Array): Float32Array {
  const more = new Float32Array(Math.min(MOST_POINTS, 2 * values.length));
  more.set(values);
  return more;
}

class LabelsSoFar {
  readonly name: string;
  readonly at: number;
  readonly labels = new Map<string, number>();
  readonly indices = new Uint8Array(MOST_POINTS);

  constructor(name: string, at: number) {
    this.name = name;
    this.at = at;
  }

  get isLabel(): boolean {
    return this.labels.size <= MOST_LABELS;
  }

  set(point: number, text: string): void {
    const label = text.slice(0, LONGEST_LABEL);
    const index = this.labels.get(label) ?? this.labels.size;
    this.labels.set(label, index);
    this.indices[point] = index;
  }
}

/** The kept rows of one colour. */
export interface Group {
  readonly name: string;
  readonly points: number;
  /** The mean of its points, in the two components. */
  readonly mean: readonly [number, number];
}

/**
 * Returns the groups of a drawing, the largest first; those beyond the eighth form one more group, at the
 * end.
 * @param column null: all rows are one group
 * @returns groups, and per kept row the index of its group
 */
export function groupsOf(
  xs: Float32Array,
  ys: Float32Array,
  column: LabelColumn | null,
): { readonly groups: readonly Group[]; readonly of: Uint8Array } {
  const names = column?.labels ?? ['all rows'];
  const indices = column?.indices ?? new Uint8Array(xs.length);
  const counts = new Array<number>(names.length).fill(0);
  for (const index of indices) counts[index]! += 1;
  const order = names.map((_, k) => k).sort((a, b) => counts[b]! - counts[a]! || a - b);
  const isCut = order.length > MOST_GROUPS;
  const shown = order.slice(0, isCut ? MOST_GROUPS - 1 : MOST_GROUPS);
  const groupOf = names.map((_, k) => (shown.includes(k) ? shown.indexOf(k) : shown.length));
  const sums = [...shown, ...(isCut ? [0] : [])].map(() => ({ points: 0, x: 0, y: 0 }));
  const of = new Uint8Array(xs.length);
  for (let i = 0; i < xs.length; i += 1) {
    const g = groupOf[indices[i]!]!;
    of[i] = g;
    const sum = sums[g]!;
    sum.points += 1;
    sum.x += xs[i]!;
    sum.y += ys[i]!;
  }
  const groups = sums.map(
    ({ points, x, y }, g): Group => ({
      name: shown[g] === undefined ? `${order.length - shown.length} others` : names[shown[g]!]!,
      points,
      mean: [x / points, y / points],
    }),
  );
  return { groups, of };
}
