/** Sets of faces: those of the folder EIGENVEIL_DATA, or seeded made-up ones of the same sizes where it lacks them. */
import { readFile } from 'node:fs/promises';
import { generator, seedOf } from '@eigenveil/testbed/random';
import { readLaboratoryFile } from '../privacy/data.ts';
import { dataFile } from '../speed/decompositions.ts';
import { normalFrom } from './normal.ts';

export interface FaceSet {
  readonly name: FaceSetName;
  /** Pixels of a row of the picture, and rows of pixels. */
  readonly side: number;
  /** Grey levels, whole numbers from 0 to 255, row by row. */
  readonly rows: readonly Float64Array[];
  /** Whose face: from 0. */
  readonly people: readonly number[];
  /** 1 where glasses are worn; of the set `glasses` alone. */
  readonly glasses?: readonly number[];
  readonly madeUp: boolean;
}

export const FACE_SETS = ['yale', 'olivetti', 'glasses'] as const;
export type FaceSetName = (typeof FACE_SETS)[number];

const SIDE = 64;
/** People and rows of each, of the made-up sets. */
const SIZES = { yale: [15, 11], olivetti: [40, 10], glasses: [50, 6] } as const;

const loaded = new Map<FaceSetName, Promise<FaceSet>>();

/** Read, or made up, once per process. */
export function loadFaces(name: FaceSetName): Promise<FaceSet> {
  const known = loaded.get(name) ?? (name === 'glasses' ? readGlasses() : readFaces(name));
  loaded.set(name, known);
  return known;
}

async function readFaces(name: 'yale' | 'olivetti'): Promise<FaceSet> {
  const found = await readLaboratoryFile(name);
  if (found === undefined) return madeUpFaces(name);
  const rows = found.lines.map((line) => Float64Array.from(line.slice(0, -1), Number));
  const greys = rows.every(
    (row) =>
      row.length === SIDE ** 2 && row.every((grey) => Number.isInteger(grey) && grey >= 0 && grey <= 255),
  );
  if (!greys) throw new Error(`${name}: expected ${SIDE ** 2} grey levels from 0 to 255 in every row`);
  return { name, side: SIDE, rows, people: found.lines.map((line) => Number(line.at(-1))), madeUp: false };
}

/** The balanced selection of both sets; people of the second are numbered after those of the first. */
async function readGlasses(): Promise<FaceSet> {
  const file = await dataFile('glasses_labels');
  const sets = { yale: await loadFaces('yale'), olivetti: await loadFaces('olivetti') };
  if (file === undefined || sets.yale.madeUp || sets.olivetti.madeUp) return madeUpFaces('glasses');
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
    side: SIDE,
    rows: selected.map(({ cells }) => cells),
    people: selected.map(({ who }) => names.indexOf(who)),
    glasses: selected.map(({ worn }) => worn),
    madeUp: false,
  };
}

/** Patterns that people differ in, and that light and looks differ in, of each set. */
const [TRAITS, LOOKS] = [24, 12];

/**
 * Low rank but for the rounding to grey levels: people are sums of smooth patterns, light and looks change the coarsest of them
 * far more than people differ, and glasses are one more pattern, which goes with people for the most part.
 */
export function madeUpFaces(name: FaceSetName): FaceSet {
  const next = generator(seedOf(`made-up faces ${name}`));
  const [count, each] = SIZES[name];
  const normal = normalFrom(next);
  const patterns = Array.from({ length: TRAITS }, (_, i) => pattern(i));
  const traits = Array.from({ length: count }, () => Array.from({ length: TRAITS }, () => 9 * normal()));
  const people = traits.flatMap((_, person) => new Array<number>(each).fill(person));
  const glasses = people.map((person) => Number(next() < 0.15 ? person % 2 === 0 : person % 2 === 1));
  const rows = people.map((person, row) => {
    const looks = Array.from({ length: LOOKS }, (_, i) => (40 / (1 + i)) * normal());
    const weights = traits[person]!.map((trait, i) => trait + (looks[i] ?? 0));
    return Float64Array.from({ length: SIDE ** 2 }, (_, at) => {
      const [x, y] = [at % SIDE, Math.floor(at / SIDE)];
      let grey = 128 + 4 * normal();
      for (let i = 0; i < TRAITS; i += 1) grey += weights[i]! * patterns[i]![at]!;
      if (glasses[row] === 1 && y >= 20 && y < 28 && (x + 4) % 32 > 8) grey -= 40;
      return Math.round(Math.min(255, Math.max(0, grey)));
    });
  });
  return { name, side: SIDE, rows, people, ...(name === 'glasses' && { glasses }), madeUp: true };
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
