/** The scenes that need nobody's data: public data sets, dealt to made-up owners. */
import { readFile } from 'node:fs/promises';
import { TaskProposal } from '@eigenveil/task';
import { RANGES, readLaboratoryFile } from '../../privacy/data.ts';
import { dataFile } from '../../speed/decompositions.ts';
import { BUNDLED_SCENES, type BundledScene, type Scene, type SceneRow } from '../scene.ts';
import { dealtRows } from './split.ts';

/** Every data set's last column. */
const LABEL = 'label';

interface Source {
  readonly file: string;
  readonly owners: number;
  /** The components of the scene's own task, a PCA. */
  readonly components: number;
  /** Features that everybody knows to have two values. */
  readonly twoValued?: readonly string[];
  /** The label says whose row it is. */
  readonly byPerson?: true;
  read(columns: readonly string[], lines: readonly (readonly string[])[]): Promise<Rows> | Rows;
}

interface Rows {
  readonly features: readonly { readonly name: string; readonly min: number; readonly max: number }[];
  readonly rows: readonly SceneRow[];
  readonly privateLabel?: string;
}

const SOURCES: Readonly<Record<BundledScene, Source>> = {
  pima: {
    file: 'pima',
    owners: 8,
    components: 3,
    read: withHidden('pima', { column: 'age', from: 30, name: 'age30' }),
  },
  breast_cancer: {
    file: 'breast_cancer',
    owners: 8,
    components: 3,
    read: withHidden('breast_cancer', { column: 'Cl.thickness', from: 5, name: 'thick' }),
  },
  ionosphere: {
    file: 'ionosphere',
    owners: 8,
    components: 15,
    twoValued: ['V1'],
    read: plain('ionosphere'),
  },
  iris: { file: 'iris', owners: 5, components: 2, read: plain('iris') },
  wisdm: {
    file: 'wisdm_walk_user',
    owners: 14,
    components: 15,
    byPerson: true,
    read: plain('wisdm_walk_user'),
  },
  olivetti: { file: 'olivetti16', owners: 8, components: 30, byPerson: true, read: faces },
};

/** Where a scene's rows are, or why it is left out. */
export async function missingScene(name: BundledScene): Promise<string | undefined> {
  const { file } = SOURCES[name];
  return (await dataFile(file)) === undefined
    ? `${file}.csv is not in the folder EIGENVEIL_DATA (default: ../shared/data)`
    : undefined;
}

export const isBundled = (name: string): name is BundledScene =>
  (BUNDLED_SCENES as readonly string[]).includes(name);

/**
 * The rows of a data set, dealt by the seed.
 * @throws Error where the data set is missing: see missingScene
 */
export async function bundledScene(name: BundledScene, seed: string): Promise<Scene> {
  const source = SOURCES[name];
  const found = await readLaboratoryFile(source.file);
  if (found === undefined) throw new Error(`${name}: ${await missingScene(name)}`);
  const { features, rows, privateLabel } = await source.read(found.columns, found.lines);
  const dealt = dealtRows(
    source.byPerson ? rows.map((row) => ({ ...row, person: row.labels[LABEL]! })) : rows,
    source.owners,
    `${seed}/${name}`,
  );
  const largest = Math.max(...dealt.owners.map((own) => own.length));
  const proposal = TaskProposal.parse({
    method: { kind: 'pca' },
    features: features.map((feature) => ({
      ...feature,
      twoValued: source.twoValued?.includes(feature.name) ?? false,
    })),
    components: source.components,
    minimumOwners: source.owners,
    maximumOwners: source.owners,
    maximumSamplesPerOwner: largest,
    keyBits: 2048,
    twoParty: 'garbled',
    outputs: ['mean'],
    exact: true,
    allowFullRank: true,
    deadline: '2099-01-01T00:00:00Z',
  });
  return { name, proposal, ...dealt, utilityLabel: LABEL, privateLabel };
}

/** All columns but the label are features, in public ranges; every row is a person's. */
function plain(dataset: string): Source['read'] {
  return (columns, lines) => {
    const { ranges } = RANGES[dataset]!;
    return {
      features: ranges.map(([min, max], i) => ({ name: columns[i]!, min, max })),
      rows: lines.map((line, i) => ({
        values: line.slice(0, -1).map(Number),
        labels: { [LABEL]: line.at(-1)! },
        person: `${i}`,
      })),
    };
  };
}

/** A column that is no feature: whether it is at least `from` is what shall not be guessed. */
interface Hidden {
  readonly column: string;
  readonly from: number;
  /** The name of the private label. */
  readonly name: string;
}

function withHidden(dataset: string, { column, from, name }: Hidden): Source['read'] {
  return async (columns, lines) => {
    const { features, rows } = await plain(dataset)(columns, lines);
    const at = columns.indexOf(column);
    return {
      features: features.filter((feature) => feature.name !== column),
      rows: rows.map(({ values, labels, person }) => ({
        values: values.filter((_, i) => i !== at),
        labels: { ...labels, [name]: Number(values[at]! >= from).toString() },
        person,
      })),
      privateLabel: name,
    };
  };
}

const FACE = { from: 16, to: 14, largest: 255 } as const;
const GLASSES = 'glasses';

/** Faces of 16 × 16 pixels without their frame of one pixel, since a task has at most 200 features; whether glasses are worn is private. */
async function faces(_columns: readonly string[], lines: readonly (readonly string[])[]): Promise<Rows> {
  const edge = (FACE.from - FACE.to) / 2;
  const inside = Array.from({ length: FACE.from ** 2 }, (_, i) => i).filter((i) =>
    [i % FACE.from, Math.floor(i / FACE.from)].every((at) => at >= edge && at < FACE.from - edge),
  );
  const glasses = await glassesOf('olivetti');
  return {
    features: inside.map((i) => ({ name: `p${i}`, min: 0, max: FACE.largest })),
    rows: lines.map((line, row) => ({
      values: inside.map((i) => Number(line[i])),
      labels: { [LABEL]: line.at(-1)!, ...(glasses && { [GLASSES]: glasses[row]! }) },
      person: line.at(-1)!,
    })),
    ...(glasses && { privateLabel: GLASSES }),
  };
}

/** `0` or `1` for each row of the data set, or undefined where the labels are missing. */
async function glassesOf(dataset: string): Promise<string[] | undefined> {
  const file = await dataFile('glasses_labels');
  if (file === undefined) return undefined;
  const lines = (await readFile(file, 'utf8')).split('\n').map((line) => line.trim().split(','));
  return lines.filter(([set]) => set === dataset).map(([, , , worn]) => worn!);
}
