/** Sheets of faces and what comes back of them: for whoever has the data, and never in a report. */
import type { Picture } from '../instrument/report/document.ts';
import {
  bookRidges,
  type Components,
  dcaComponents,
  mdrComponents,
  partsOf,
  pcaComponents,
} from './components.ts';
import { FACE_SETS, type FaceSet, loadFaces, SIDE } from './faces.ts';
import { SIGNAL_RIDGES } from './signal-ridge.ts';
import { dot, orthonormal, type Span, spanOf } from './span.ts';
import { gramOfSet, RIDGE, SIGNAL_RIDGE, toldOf } from './trials.ts';

/** The book's one run. */
const SHOWN_DIMENSIONS = [5, 14, 50, 160];
/** Rows of a sheet, and black pixels between faces. */
export const PEOPLE = 3;
const GAP = 1;

/** Everything is fitted to all rows, as in the book's figures; means are put back. */
export async function faceSheets(): Promise<Picture[]> {
  const sheets: Picture[] = [];
  for (const name of FACE_SETS) {
    const set = await loadFaces(name);
    const { glasses, identity: people = [] } = set.labels;
    const all = [...set.rows.keys()];
    const span = spanOf(gramOfSet(set), all);
    const faces = { set: { ...set, side: SIDE }, span, fitted: all, shown: firstOfPeople(all, glasses) };
    const dca = (labels: readonly number[], signalRidge = SIGNAL_RIDGE) =>
      dcaComponents(span, all, labels, { ridge: RIDGE, signalRidge });
    for (const [method, components] of [
      ['pca', pcaComponents(span)],
      ['dca', dca(toldOf(set))],
    ] as const) {
      const columns = SHOWN_DIMENSIONS.map((k) => ({
        title: `${k} components of ${method.toUpperCase()}`,
        components,
        k,
      }));
      sheets.push(sheetOf(faces, `${name}-${method}`, columns));
    }
    if (glasses !== undefined) {
      for (const [use, utility, privacy] of [
        ['identity', people, glasses],
        ['glasses', glasses, people],
      ] as const) {
        const ridges = [RIDGE, bookRidges(span, all, utility).ridge];
        const mdr = ridges.map((ridge) => ({
          title: `MDR, ρ = ${Number(ridge.toPrecision(2))}`,
          components: mdrComponents(span, all, { utility, privacy }, ridge),
        }));
        const leading = { title: `DCA of ${use}`, components: dca(utility), k: countOf(utility) - 1 };
        sheets.push(sheetOf(faces, `glasses-mdr-${use}`, [leading, ...mdr]));
      }
    }
    if (name !== 'yale') continue;
    const columns = SIGNAL_RIDGES.map((signalRidge) => ({
      title: `160 components of DCA with ρ′ = ${signalRidge}`,
      components: dca(people, signalRidge),
      k: 160,
    }));
    sheets.push(sheetOf({ ...faces, shown: faces.shown.slice(0, 1) }, 'yale-signal-ridge', columns));
  }
  return sheets;
}

const countOf = (labels: readonly number[]): number => new Set(labels).size;

/** A row of some people far apart in the set; with glasses where there are labels for them. */
function firstOfPeople(all: readonly number[], glasses: readonly number[] | undefined): number[] {
  const rows = all.filter((row) => glasses === undefined || glasses[row] === 1);
  return Array.from({ length: PEOPLE }, (_, i) => rows[Math.floor((i * rows.length) / PEOPLE)]!);
}

export interface Column {
  readonly title: string;
  readonly components: Components;
  /** Default: all within the span. */
  readonly k?: number;
}

/** The contents of a sheet, and the people on it. */
export interface Fitted {
  readonly set: Pick<FaceSet, 'name' | 'rows' | 'kind'> & { readonly side: number };
  readonly span: Span;
  /** The rows that span it. */
  readonly fitted: readonly number[];
  readonly shown: readonly number[];
}

export function sheetOf(faces: Fitted, name: string, columns: readonly Column[]): Picture {
  const { set, span, fitted, shown } = faces;
  const mean = meanOf(fitted.map((row) => set.rows[row]!));
  // Rows of the fit have nothing beyond the span but their mean, so that components there bring nothing back.
  const directions = set.rows[0]!.length - span.rank;
  const back = columns.map(({ components, k = components.vectors.length }) => {
    const basis = orthonormal(components.vectors.slice(0, partsOf(components, k, directions).inside));
    return shown.map((row) => ledBack(faces, mean, basis, row));
  });
  const cells = [shown.map((row) => set.rows[row]!), ...back];
  const cell = set.side + GAP;
  const [width, height] = [cells.length * cell - GAP, shown.length * cell - GAP];
  const pixels = Array.from({ length: width * height }, (_, at) => {
    const [x, y] = [at % width, Math.floor(at / width)];
    const [inX, inY] = [x % cell, y % cell];
    if (inX === set.side || inY === set.side) return 0;
    const grey = cells[Math.floor(x / cell)]![Math.floor(y / cell)]![inY * set.side + inX]!;
    return Math.max(0, Math.min(255, Math.round(grey)));
  });
  const caption = `${set.kind === 'faces' ? 'Faces' : 'Made-up faces'} of ${set.name}, from left to right: the face; ${columns.map(({ title }) => title).join('; ')}`;
  return { kind: 'picture', name, caption, width, height, pixels };
}

function ledBack(
  { set, span, fitted }: Fitted,
  mean: Float64Array,
  basis: readonly (readonly number[])[],
  row: number,
): Float64Array {
  const centred = span.coordinates[row]!.map((value, a) => value - span.centre[a]!);
  const kept = centred.map(() => 0);
  for (const direction of basis) {
    const along = dot(direction, centred);
    direction.forEach((entry, a) => {
      kept[a]! += along * entry;
    });
  }
  const face = Float64Array.from(mean);
  fitted.forEach((other, t) => {
    const weight = kept.reduce((sum, value, a) => sum + value * span.weights[a]![t]!, 0);
    for (let i = 0; i < face.length; i += 1) face[i]! += weight * (set.rows[other]![i]! - mean[i]!);
  });
  return face;
}

function meanOf(rows: readonly Float64Array[]): Float64Array {
  const mean = new Float64Array(rows[0]!.length);
  for (const row of rows) for (let i = 0; i < mean.length; i += 1) mean[i]! += row[i]! / rows.length;
  return mean;
}
