/** What the benchmark runner measures, one unit at a time, and what suites make of it. */
import type { Section } from './report/document.ts';

export type Scale = 'quick' | 'full';

/** Samples of one quantity, each from one repetition after warm-up; contestants of a unit have as many of each. */
export interface Series {
  readonly unit: 'ms' | 'bytes' | 'points' | 'count' | 'grey levels';
  readonly samples: readonly number[];
}

/** `facts` are of the unit as a whole: errors, sizes, what was extrapolated. */
export interface UnitResult {
  readonly series: Readonly<Record<string, Series>>;
  readonly facts: Readonly<Record<string, number | string>>;
}

/** The least that is measured, and kept, as a whole: an interrupted run loses no more than one of these. */
export interface Unit {
  /** Unique and stable between runs, such as `key-length/2048/pca-34`. */
  readonly id: string;
  /** For the progress bar. */
  readonly title: string;
  /** Everything that the result depends on; a kept result with other parameters is measured anew. */
  readonly parameters: Readonly<Record<string, number | string>>;
  /** A first guess, for the time left. */
  readonly expectedSeconds: number;
  /**
   * @param note says what is going on within a long unit
   * @param folder of the report, for what is no figure; without it only figures are left
   */
  measure(note: (text: string) => void, folder?: string): Promise<UnitResult>;
}

/** A unit that was measured. */
export interface Measurement extends UnitResult {
  readonly id: string;
  readonly parameters: Unit['parameters'];
  /** ISO 8601. */
  readonly startedAt: string;
  readonly seconds: number;
}

/** What a run leaves out, and why: the report names all of it. */
export interface Omission {
  readonly what: string;
  readonly why: string;
}

export interface Plan {
  readonly units: readonly Unit[];
  readonly omissions: readonly Omission[];
}

export interface Suite {
  /** As in `--only key-length`. */
  readonly name: string;
  readonly description: string;
  plan(scale: Scale): Promise<Plan>;
  /** The few figures that a hurried reader should take away, each a sentence; none where nothing was measured. */
  highlights(measurements: readonly Measurement[]): readonly string[];
  /** A table for the terminal, beside the report; undefined where nothing was measured. */
  table?(measurements: readonly Measurement[]): string | undefined;
  /** One section or several, of this suite's measurements; those of an interrupted run may be few. */
  report(measurements: readonly Measurement[]): readonly Section[];
}
