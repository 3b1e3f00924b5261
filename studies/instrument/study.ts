/** The one form of everything that is measured here: cases, a measuring function, and what is made of its tidy records. */

import type { Environment } from './environment.ts';
import type { Figure, Form } from './figure.ts';
import type { OwnData } from './own-data.ts';
import type { Setting, Settings } from './settings.ts';
import type { Scale, Tidy, Value } from './tidy.ts';

/** A case that a run leaves out, and why: the report names all of them. */
export interface Omission {
  readonly what: string;
  readonly why: string;
}

/** The request on which a study plans. */
export interface Asked {
  readonly scale: Scale;
  readonly settings: Settings;
  /** The user's own rows, in place of all data sets. */
  readonly own?: OwnData;
}

export interface Plan<Case extends Tidy> {
  /** Each is measured, and kept, as a whole: an interrupted run loses no more than one. It has everything that its records depend on. */
  readonly cases: readonly Case[];
  readonly omissions?: readonly Omission[];
}

/** The things that a measuring function is given besides its case. */
export interface Bench {
  readonly own?: OwnData;
  /** Says what is going on within a long case. */
  note(text: string): void;
  /** The folder of the report, for files that hold no figure; without it only figures are left. */
  readonly folder?: string;
}

export interface Study<Case extends Tidy = Tidy> {
  /** The folder and the name in it, such as `privacy/clipping`. */
  readonly id: string;
  /** Measured where it is named, not as a part of its whole group. */
  readonly isApart?: true;
  /** The label of its user's own rows is a number that it learns, with a public range. */
  readonly learnsNumbers?: true;
  /** The settings that its user may choose, as flags. */
  readonly settings?: readonly Setting[];
  plan(asked: Asked): Promise<Plan<Case>> | Plan<Case>;
  /** The text of the progress bar; without it the values of the case. */
  titleOf?(chosen: Case): string;
  /** A first guess, for the time left. */
  expectedSeconds(chosen: Case): number;
  /** Yields what was seen. Columns of the case are added to every record. */
  measure(chosen: Case, bench: Bench): AsyncIterable<Tidy> | Promise<readonly Tidy[]>;
  /** The names of columns, and the words that stand for their values where people read. */
  readonly columns?: Columns;
  /** Further records, computed from those that were measured, by name: for what figures of single columns cannot say. */
  readonly frames?: Readonly<Record<string, (records: readonly Tidy[]) => readonly Tidy[]>>;
  readonly tables?: Readonly<Record<string, TableOf>>;
  readonly charts?: Readonly<Record<string, ChartOf>>;
  /** The facts that words name as `{{fact}}`, and `--json` prints; names are in camelCase. */
  readonly facts?: Readonly<Record<string, Fact>>;
  /** The conditions of conclusions, by name: `{{#holds "name"}}…{{/holds}}`. One that is false fails the run. */
  readonly holds?: Readonly<Record<string, (fact: (name: string) => number) => boolean>>;
  /** A page of Markdown below `# ID: TITLE`, with `{{facts}}`, `{{table "name"}}` and `{{chart "name"}}`. */
  readonly words: URL;
  /** The form that `--json` prints where it is older than this one; without it the facts. */
  json?(records: readonly Tidy[], run: RunOf): object;
}

/** The run that figures are of. */
export interface RunOf {
  /** The command, as its user may repeat it. */
  readonly command: string;
  readonly finishedAt: string;
  readonly environment: Environment;
}

export type Columns = Readonly<Record<string, ColumnOf>>;

interface ColumnOf {
  readonly title?: string;
  readonly values?: Readonly<Record<string, string>>;
  /** The form of its numbers where they name a row. */
  readonly form?: Form;
  /** Its values are sentences, which break into lines. */
  readonly wraps?: true;
  /** Its values name headings of the report, and lead there. */
  readonly leads?: true;
}

/** The records that a table, a chart or a fact is of. */
export interface Selection {
  /** A frame of the study; without it what was measured. */
  readonly of?: string;
  readonly where?: Tidy | ((record: Tidy) => boolean);
}

export interface Fact extends Selection {
  readonly figure: Figure;
}

interface Shown extends Selection {
  /** `{column}` stands for the value of a column in `each`. */
  readonly caption: string;
  /** One for each value of these columns, in the order of the records. */
  readonly each?: readonly string[];
}

export interface TableOf extends Shown {
  /** Columns whose values name a row. */
  readonly rows: readonly string[];
  /** A column whose values stand side by side, with one figure for each. */
  readonly across?: { readonly column: string; readonly cell: Figure };
  /** Or figures with their titles. */
  readonly cells?: Readonly<Record<string, Figure>>;
}

type Mark = 'line' | 'dashed' | 'points';

export interface ChartOf extends Shown {
  readonly mark: Mark | 'bar' | 'lying bar';
  /** A column whose value is the mark of a series, where series differ in theirs. */
  readonly markFrom?: string;
  /** Each record is a point of its own; otherwise the figure is one of all that have an x and a colour in common. */
  readonly isScatter?: true;
  readonly x: {
    readonly column: string;
    readonly title?: string;
    readonly scale?: 'linear' | 'log' | 'category';
    readonly unit?: 'ms' | 'bytes';
  };
  readonly y: {
    readonly figure: Figure;
    readonly title: string;
    readonly scale?: 'linear' | 'log';
    readonly unit?: 'ms' | 'bytes';
    readonly upTo?: number;
  };
  /** The column that distinguishes series. */
  readonly colour?: string;
  /** A power law beside each series of three points or more, from this x on. */
  readonly fittedFrom?: number;
  /** Kept as an SVG beside the Markdown; others are drawn in report.html alone. */
  readonly isKept?: true;
}

/** Studies that one report has, in its order. */
export interface StudyGroup {
  /** As in `npm run study -- privacy`: the first part of its studies' ids. */
  readonly name: string;
  readonly title: string;
  readonly studies: readonly Study[];
  /** The report's introduction, with facts of any of its studies as `{{study.fact}}`. */
  readonly words: URL;
  /** A run is full unless `--quick` asks for less, or the other way round. */
  readonly usual: Scale;
  /** The folder of docs that keeps a report of a full run. */
  readonly kept?: string;
  /** Other files that a run leaves in its folder. */
  beside?(folder: string, asked: Asked): Promise<void>;
}

/** Checks a study by its own cases, and gives it as groups have it. */
export function defineStudy<Case extends Tidy>(study: Study<Case>): Study {
  return study;
}

/** All combinations, the last column changing fastest. */
export function grid<const Choices extends Readonly<Record<string, readonly Value[]>>>(
  choices: Choices,
): { readonly [Column in keyof Choices]: Choices[Column][number] }[] {
  return Object.entries(choices).reduce<Tidy[]>(
    (all, [column, values]) => all.flatMap((one) => values.map((value) => ({ ...one, [column]: value }))),
    [{}],
  ) as { readonly [Column in keyof Choices]: Choices[Column][number] }[];
}
