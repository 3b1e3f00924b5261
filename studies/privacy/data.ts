/**
 * Data sets of the comparison, scaled by public ranges: round numbers that follow from what a feature is, written down without a look at minima and
 * maxima. Values beyond are moved to the nearer end.
 */
import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import type { OwnData, Range } from '../instrument/own-data.ts';
import type { Asked, Omission } from '../instrument/study.ts';
import { dataFile } from '../speed/decompositions.ts';

export interface LaboratoryData {
  readonly name: string;
  readonly features: number;
  /** ‖x‖₂ <= 1: each feature on [−1, 1], divided by √d. */
  readonly rows: readonly (readonly number[])[];
  /** Class indices. */
  readonly labels: readonly number[];
}

/** The range of flags and of shares. */
const FLAG: Range = [0, 1];
const times = (count: number, range: Range): Range[] => new Array<Range>(count).fill(range);
/** From 0, and of codes from 1, up to these. */
const upTo = (...most: readonly number[]): Range[] => most.map((largest) => [0, largest]);
const codes = (...most: readonly number[]): Range[] => most.map((largest) => [1, largest]);

export const RANGES: Readonly<Record<string, { readonly ranges: readonly Range[]; readonly why: string }>> = {
  iris: { ranges: times(4, [0, 10]), why: 'lengths and widths of 0 to 10 cm' },
  pima: {
    ranges: upTo(20, 250, 150, 100, 1000, 80, 3, 100),
    why: 'up to 20 pregnancies; glucose 0–250 mg/dl; blood pressure 0–150 mm Hg; skin fold 0–100 mm; insulin 0–1000 µU/ml; body mass index 0–80; pedigree 0–3; age 0–100',
  },
  breast_cancer: { ranges: times(9, [1, 10]), why: 'all features are graded from 1 to 10' },
  australian: {
    ranges: [
      ...[FLAG, ...upTo(100, 50), ...codes(3, 14, 9), ...upTo(50), FLAG, FLAG, ...upTo(100), FLAG],
      ...[...codes(3), ...upTo(5000, 100_000)],
    ],
    why: 'categories by their documented codes; ages and years 0–100 and 0–50; amounts 0–5,000 and 0–100,000, as the meaning of these columns was never published',
  },
  german: {
    ranges: [
      ...[...codes(4), ...upTo(100, 4, 200), ...codes(5, 5, 4, 4, 4), ...upTo(100), ...codes(3, 4, 2, 2, 2)],
      ...times(9, FLAG),
    ],
    why: 'categories by their documented codes; duration 0–100 months; amount 0–200 hundreds of marks; age 0–100',
  },
  ionosphere: { ranges: times(34, [-1, 1]), why: 'normalised correlations, −1 to 1' },
  optdigits: { ranges: times(64, [0, 16]), why: 'pixels of 4 × 4 bits: 0 to 16' },
  wisdm_walk_user: {
    ranges: [...times(30, FLAG), ...times(2, [-20, 20]), ...times(6, [0, 20]), [0, 35]],
    why: 'ten bins per axis hold shares of the readings, 0–1; the phone reads −20 to 20 m/s² per axis, and so means lie there, deviations in 0–20 and lengths in 0–20√3',
  },
};

/** Names of columns and the lines of a data set's file, or undefined where it is neither bundled nor in EIGENVEIL_DATA. */
export async function readLaboratoryFile(
  name: string,
): Promise<{ readonly columns: string[]; readonly lines: string[][] } | undefined> {
  const file = await dataFile(name);
  if (file === undefined) return undefined;
  const bytes = await readFile(file);
  const [columns, ...lines]: string[][] = parse(file.endsWith('.gz') ? gunzipSync(bytes) : bytes);
  return { columns: columns!, lines };
}

/** The rows of a data set, or undefined where it is neither bundled nor in EIGENVEIL_DATA. */
export async function loadLaboratoryData(name: string): Promise<LaboratoryData | undefined> {
  const found = await loadUnscaledData(name);
  if (found === undefined) return undefined;
  const { ranges } = RANGES[name]!;
  return { ...found, rows: found.rows.map((row) => scale(row, ranges)) };
}

/** The user's own rows, scaled by the ranges that came with them. */
export function ownLaboratoryData({ name, ranges, rows, labels }: OwnData): LaboratoryData {
  return { name, features: ranges.length, rows: rows.map((row) => scale(row, ranges)), labels };
}

/** The rows of a data set with values as its file has them. */
export async function loadUnscaledData(name: string): Promise<LaboratoryData | undefined> {
  const found = await readLaboratoryFile(name);
  if (found === undefined) return undefined;
  const features = RANGES[name]!.ranges.length;
  const cells = found.lines.map((record) => record.map(Number));
  if (!cells.every((row) => row.length === features + 1 && row.every(Number.isFinite))) {
    throw new Error(`${name}: expected ${features} features and a label in every row`);
  }
  return {
    name,
    features,
    rows: cells.map((row) => row.slice(0, features)),
    labels: cells.map((row) => row.at(-1)!),
  };
}

/** Onto [−1, 1]^d, and then into the unit ball; a feature without a range is 0. */
export function scale(row: readonly number[], ranges: readonly Range[]): number[] {
  return ranges.map(([least, largest], i) => {
    if (largest <= least) return 0;
    const inside = Math.min(largest, Math.max(least, row[i]!));
    return (inside - least - (largest - inside)) / (largest - least) / Math.sqrt(ranges.length);
  });
}

/** The data sets of a run: the user's own, or those that are there; a quick run takes `quickSets` alone. `what` names in omissions what is measured. */
export async function dataSetsOf(
  { scale, own }: Asked,
  { what, quickSets }: { readonly what: string; readonly quickSets: readonly string[] },
): Promise<{ readonly sets: readonly LaboratoryData[]; readonly omissions: readonly Omission[] }> {
  if (own !== undefined) return { sets: [ownLaboratoryData(own)], omissions: [] };
  const sets: LaboratoryData[] = [];
  const omissions: Omission[] = [];
  for (const dataset of Object.keys(RANGES)) {
    const leaveOut = (why: string) => omissions.push({ what: `${what}, ${dataset}`, why });
    if (scale === 'quick' && !quickSets.includes(dataset)) {
      leaveOut('left to the full run');
      continue;
    }
    const data = await loadLaboratoryData(dataset);
    if (data === undefined) leaveOut(`${dataset} is not in the folder EIGENVEIL_DATA`);
    else sets.push(data);
  }
  return { sets, omissions };
}

/** The rows of a case: the user's own, or a data set of that name. */
export async function rowsOf(dataset: string, own: Asked['own']): Promise<LaboratoryData> {
  const data = own === undefined ? await loadLaboratoryData(dataset) : ownLaboratoryData(own);
  if (data === undefined) throw new Error(`the data set ${dataset} has gone`);
  return data;
}
