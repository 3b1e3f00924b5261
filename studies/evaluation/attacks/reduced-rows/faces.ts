/** Faces from reduced rows: pictures of what comes back, how alike it is, and whether a matcher knows people by it. */

import { mean } from '@eigenveil/testbed/goodness/mean';
import type { Chart, Picture } from '../../../instrument/report/document.ts';
import { dot } from '../../../recognition/alignment.ts';
import { scaledRows } from '../../released.ts';
import type { Person, Scene } from '../../scene.ts';
import { lineChart } from '../../shown.ts';
import type { Row } from './inverses.ts';

/** The bundled scene whose features are pixels, row by row. */
const SCENE = 'olivetti';
/** Rows of the picture, and black pixels between faces. */
const [SHOWN, GAP] = [6, 1];

export const showsFaces = ({ name }: Scene): boolean => name === SCENE;

/**
 * The likeness of the faces to their reconstructions, and how often a matcher says whose they are that has one photograph of each person: the
 * most correlated is its answer.
 * @param estimates of all rows of these people, in order; the first row of each is the matcher's photograph and is not counted
 */
export function recognised(scene: Scene, people: readonly Person[], estimates: readonly Row[]) {
  const photographs = people.map((own) => scaledRows(scene.proposal, own.slice(0, 1))[0]!);
  const rows = people.flatMap((own, p) => scaledRows(scene.proposal, own).map((row, i) => ({ row, p, i })));
  const tried = rows.flatMap(({ row, p, i }, at) => (i === 0 ? [] : [{ row, p, said: estimates[at]! }]));
  const matched = tried.map(({ p, said }) => {
    const likeness = photographs.map((photograph) => correlation(photograph, said));
    return likeness.indexOf(Math.max(...likeness)) === p ? 1 : 0;
  });
  return {
    matched: mean(matched),
    correlation: mean(tried.map(({ row, said }) => correlation(row, said))),
  };
}

/** Correlates as Pearson did; 0 where one does not vary. */
export function correlation(a: Row, b: Row): number {
  const [meanA, meanB] = [mean(a), mean(b)];
  const [x, y] = [a.map((value) => value - meanA), b.map((value) => value - meanB)];
  const squares = dot(x, x) * dot(y, y);
  return squares === 0 ? 0 : dot(x, y) / Math.sqrt(squares);
}

/**
 * Faces of the first people, one in a row, and beside each what attacks make of its reduced row.
 * @param attacks titles, and estimates of all rows of these people, in order
 */
export function facesPicture(
  name: string,
  scene: Scene,
  people: readonly Person[],
  attacks: readonly { readonly title: string; readonly estimates: readonly Row[] }[],
): Picture {
  const side = Math.sqrt(scene.proposal.features.length);
  const originals = scaledRows(scene.proposal, people.flat());
  const columns = [originals, ...attacks.map(({ estimates }) => estimates)];
  const first = people.map((_, p) => people.slice(0, p).flat().length).slice(0, SHOWN);
  const cell = side + GAP;
  const [width, height] = [columns.length * cell - GAP, first.length * cell - GAP];
  const pixels = Array.from({ length: width * height }, (_, at) => {
    const [x, y] = [at % width, Math.floor(at / width)];
    const [column, row] = [Math.floor(x / cell), Math.floor(y / cell)];
    const [inX, inY] = [x % cell, y % cell];
    if (inX === side || inY === side) return 0;
    return grey(columns[column]![first[row]!]![inY * side + inX]!);
  });
  const titles = attacks.map(({ title }) => title).join(', ');
  return {
    kind: 'picture',
    name,
    caption: `From left to right: the face, and what comes back from its reduced row by ${titles}`,
    width,
    height,
    pixels,
  };
}

/** Shade of a feature on [−1, 1]. */
const grey = (value: number): number => Math.max(0, Math.min(255, Math.round(127.5 * (value + 1))));

/** Draws both figures over numbers of components. */
export function recognitionChart(
  name: string,
  points: readonly { readonly components: number; readonly matched: number; readonly correlation: number }[],
  { originals, chance }: { originals: number; chance: number },
): Chart {
  const lineOf = (title: string, of: 'matched' | 'correlation') => ({
    name: title,
    points: points.map((point) => ({ x: point.components, y: point[of] })),
  });
  return lineChart(
    {
      name,
      caption:
        'Faces that come back from rows reduced by PCA, over the number of components: the share that a matcher with one photograph of each person tells, and the mean correlation with the face',
    },
    'components',
    'share, or correlation',
    [lineOf('people told', 'matched'), lineOf('correlation', 'correlation')],
    { 'people told from the faces': originals, 'by chance': chance },
  );
}
