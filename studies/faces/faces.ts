/** Sets of faces: those of the folder EIGENVEIL_DATA, seeded made-up ones of the same sizes where it lacks them, or the user's own rows. */
import { readFile } from 'node:fs/promises';
import { generator, normal, seedOf } from '@eigenveil/testbed/random';
import type { OwnData } from '../instrument/own-data.ts';
import type { Omission } from '../instrument/study.ts';
import { readLaboratoryFile } from '../privacy/data.ts';
import { dataFile } from '../speed/decompositions.ts';

export interface FaceSet {
  readonly name: string;
  /** Grey levels, whole numbers from 0 to 255, row by row. The user's own rows are brought there from their ranges, without rounding. */
  readonly rows: readonly Float64Array[];
  /** Classes of the rows, from 0, by what they are of: `identity`, `glasses` (1 where they are worn), or the user's. The first is told. */
  readonly labels: Readonly<Record<string, readonly number[]>>;
  readonly kind: 'faces' | 'made-up faces' | 'own rows';
}

export const FACE_SETS = ['yale', 'olivetti', 'glasses'] as const;
export type FaceSetName = (typeof FACE_SETS)[number];

/** Pixels of a row of the picture, and rows of pixels. */
export const SIDE = 64;
const WHITE = 255;
/** People and rows of each, of the made-up sets. */
const SIZES = { yale: [15, 11], olivetti: [40, 10], glasses: [50, 6] } as const;

const loaded = new Map<FaceSetName, Promise<FaceSet>>();
const owned = new WeakMap<OwnData, FaceSet>();

/** Read, or made up, once per process. The user's own rows stand in place of any set. */
export async function loadFaces(name: FaceSetName, own?: OwnData): Promise<FaceSet> {
  if (own !== undefined) {
    const known = owned.get(own) ?? ownFaces(own);
    owned.set(own, known);
    return known;
  }
  const known = loaded.get(name) ?? (name === 'glasses' ? readGlasses() : readFaces(name));
  loaded.set(name, known);
  return known;
}

/** Reads these sets, or the user's own rows in place of the first, and no others. */
export const loadSets = <Name extends FaceSetName>(names: readonly Name[], own?: OwnData) =>
  Promise.all(
    (own ? names.slice(0, 1) : names).map(async (name) => ({ name, set: await loadFaces(name, own) })),
  );

function ownFaces({ name, rows, ranges, labels, privateLabels }: OwnData): FaceSet {
  const grey = (value: number, [least, largest]: readonly [number, number]) =>
    (WHITE * (Math.min(largest, Math.max(least, value)) - least)) / (largest - least);
  return {
    name,
    rows: rows.map((row) => Float64Array.from(row, (value, i) => grey(value, ranges[i]!))),
    labels: { label: labels, ...(privateLabels && { 'private label': privateLabels }) },
    kind: 'own rows',
  };
}

/** Where sets were not there, all of their figures are of made-up faces, and no conclusions are drawn. */
export function madeUpOf(sets: readonly FaceSet[], what: string): Omission[] {
  return sets.flatMap(({ name, kind }) =>
    kind === 'made-up faces'
      ? [
          {
            what: `${what}, faces of ${name}`,
            why: 'they are not in the folder EIGENVEIL_DATA, and **what stands in their place are no faces**: it is made up from a seed, so that its figures say that the code runs, and nothing of the book’s',
          },
        ]
      : [],
  );
}

async function readFaces(name: 'yale' | 'olivetti'): Promise<FaceSet> {
  const found = await readLaboratoryFile(name);
  if (found === undefined) return madeUpFaces(name);
  const rows = found.lines.map((line) => Float64Array.from(line.slice(0, -1), Number));
  const greys = rows.every(
    (row) =>
      row.length === SIDE ** 2 && row.every((grey) => Number.isInteger(grey) && grey >= 0 && grey <= WHITE),
  );
  if (!greys) throw new Error(`${name}: expected ${SIDE ** 2} grey levels from 0 to ${WHITE} in every row`);
  return { name, rows, labels: { identity: found.lines.map((line) => Number(line.at(-1))) }, kind: 'faces' };
}

/** The balanced selection of both sets; people of the second are numbered after those of the first. */
async function readGlasses(): Promise<FaceSet> {
  const file = await dataFile('glasses_labels');
  const sets = { yale: await loadFaces('yale'), olivetti: await loadFaces('olivetti') };
  if (file === undefined || Object.values(sets).some(({ kind }) => kind !== 'faces'))
    return madeUpFaces('glasses');
  const [, ...lines] = (await readFile(file, 'utf8')).trim().split('\n');
  const selected = lines
    .map((line) => line.trim().split(','))
    .filter(([, , , , chosen]) => chosen === '1')
    .map(([set, row, person, worn]) => {
      if (set !== 'yale' && set !== 'olivetti') throw new Error('glasses_labels: expected yale or olivetti');
      const cells = sets[set].rows[Number(row)];
      if (cells === undefined) throw new Error(`glasses_labels: ${set} has no row ${row}`);
      return { cells, who: `${set} ${person}`, worn: Number(worn) };
    });
  const names = [...new Set(selected.map(({ who }) => who))];
  return {
    name: 'glasses',
    rows: selected.map(({ cells }) => cells),
    labels: {
      glasses: selected.map(({ worn }) => worn),
      identity: selected.map(({ who }) => names.indexOf(who)),
    },
    kind: 'faces',
  };
}

/** Patterns that people differ in, and that light and looks differ in, of each set. */
const [TRAITS, LOOKS] = [24, 12];

/**
 * Low rank except for the rounding to grey levels: people are sums of smooth patterns, light and looks change the coarsest of them
 * far more than people differ, and glasses are one more pattern, which goes with people for the most part.
 */
export function madeUpFaces(name: FaceSetName): FaceSet {
  const next = generator(seedOf(`made-up faces ${name}`));
  const [count, each] = SIZES[name];
  const patterns = Array.from({ length: TRAITS }, (_, i) => pattern(i));
  const traits = Array.from({ length: count }, () => Array.from({ length: TRAITS }, () => 9 * normal(next)));
  const people = traits.flatMap((_, person) => new Array<number>(each).fill(person));
  const glasses = people.map((person) => Number(next() < 0.15 ? person % 2 === 0 : person % 2 === 1));
  const rows = people.map((person, row) => {
    const looks = Array.from({ length: LOOKS }, (_, i) => (40 / (1 + i)) * normal(next));
    const weights = traits[person]!.map((trait, i) => trait + (looks[i] ?? 0));
    return Float64Array.from({ length: SIDE ** 2 }, (_, at) => {
      const [x, y] = [at % SIDE, Math.floor(at / SIDE)];
      let grey = 128 + 4 * normal(next);
      for (let i = 0; i < TRAITS; i += 1) grey += weights[i]! * patterns[i]![at]!;
      if (glasses[row] === 1 && y >= 20 && y < 28 && (x + 4) % 32 > 8) grey -= 40;
      return Math.round(Math.min(WHITE, Math.max(0, grey)));
    });
  });
  return {
    name,
    rows,
    labels: { ...(name === 'glasses' && { glasses }), identity: people },
    kind: 'made-up faces',
  };
}

/** Cosines of growing frequency (SIDE × SIDE), of length about 1 per pixel. */
function pattern(i: number): Float64Array {
  const [across, down] = [i % 5, 1 + Math.floor(i / 5)];
  const wave = (times: number, at: number) => Math.cos((Math.PI * times * (at + 0.5)) / SIDE);
  return Float64Array.from(
    { length: SIDE ** 2 },
    (_, at) => wave(across, at % SIDE) * wave(down, Math.floor(at / SIDE)),
  );
}
