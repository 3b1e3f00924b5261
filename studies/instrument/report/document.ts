/** A report as data: sections of text, tables and charts, which become Markdown and HTML alike. */

export interface Report {
  readonly title: string;
  /** Markdown. */
  readonly introduction: readonly string[];
  readonly sections: readonly Section[];
  /** Charts that are not kept are drawn on the page alone. */
  readonly isSparing?: true;
}

export interface Section {
  readonly title: string;
  readonly blocks: readonly Block[];
}

export type Block = Heading | Paragraph | Table | Chart | Picture;

/** Begins a part of a section, below its title; the contents do not list it. */
interface Heading {
  readonly kind: 'heading';
  /** Unique in the report: marks lead to it by this. */
  readonly name: string;
  readonly title: string;
}

/** Markdown: a paragraph or a list. */
export interface Paragraph {
  readonly kind: 'text';
  readonly text: string;
}

export interface Table {
  readonly kind: 'table';
  readonly caption: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
}

interface Column {
  readonly title: string;
  readonly align: 'left' | 'right';
  /** Cells hold sentences, which break into lines. */
  readonly wraps?: true;
}

/** Plain text, or marks below each other. */
export type Cell = string | readonly Mark[];

const TONES = ['bad', 'good', 'open', 'known'] as const;
/** A colour beside the words; whoever does not see it must not miss it. */
type Tone = (typeof TONES)[number];

/** Plain text in a tone, which may lead to a heading. */
export interface Mark {
  readonly text: string;
  readonly tone?: Tone;
  /** The name of a heading in the report. */
  readonly to?: string;
}

/** Drawn to an SVG of its own; `caption` also stands for it where it cannot be seen. */
export interface Chart {
  readonly kind: 'chart';
  /** A file name without extension, unique in the report. */
  readonly name: string;
  readonly caption: string;
  /** Kept as an SVG beside the Markdown; the page has all charts. */
  readonly isKept?: true;
  readonly drawing: LineDrawing | BarDrawing;
}

/** A grey picture, such as faces beside each other; `caption` also stands for it where it cannot be seen. */
export interface Picture {
  readonly kind: 'picture';
  /** A file name as a chart's, unique among both. */
  readonly name: string;
  readonly caption: string;
  readonly width: number;
  readonly height: number;
  /** Row by row, whole numbers from 0, black, to 255, white. */
  readonly pixels: readonly number[];
}

export interface Axis {
  readonly title: string;
  /** `category` spaces the values evenly, whatever lies between them. */
  readonly scale: 'linear' | 'log' | 'category';
  /** Values are in milliseconds or bytes, and labels go over to µs, s or kB, MB, GB where these read better. */
  readonly unit?: 'ms' | 'bytes';
  /** A linear axis reaches at least so far, as shares do to 100 percent, however small they are. */
  readonly upTo?: number;
}

/** Points with whiskers, joined by a line in the order given, or not joined. */
export interface LineDrawing {
  readonly kind: 'lines';
  readonly x: Axis;
  readonly y: Axis;
  readonly lines: readonly Line[];
}

export interface Line {
  readonly name: string;
  readonly points: readonly Point[];
  readonly style: 'solid' | 'dashed' | 'points';
  /** The name of the line that this one was fitted to: it takes that line's colour, and its points get no marks. */
  readonly of?: string;
}

export interface Point {
  readonly x: number;
  readonly y: number;
  /** The whisker: quartiles, or a standard deviation to either side, as the caption says. */
  readonly low?: number;
  readonly high?: number;
}

/** Bars in groups; a missing value leaves a gap. */
export interface BarDrawing {
  readonly kind: 'bars';
  /** Bars lie also where upright ones have room: a few of them then take little. */
  readonly lying?: true;
  readonly groups: readonly string[];
  readonly y: Axis;
  readonly bars: readonly { readonly name: string; readonly values: readonly (Whiskered | undefined)[] }[];
}

interface Whiskered {
  readonly value: number;
  readonly low?: number;
  readonly high?: number;
}
