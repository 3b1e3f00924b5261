/** Every method and every protocol, each with a floor, without one and under differential privacy: fixed tasks over fixed rows. */
import { Task, TaskProposal } from '@eigenveil/task';
import type { LabelledRows } from '../tasks.ts';

export const PROTOCOLS = ['garbled', 'rotated', 'linear', 'simulated'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/** What stands between the rows and the result. */
export const RELEASES = ['a floor', 'nothing', 'noise'] as const;
export type Release = (typeof RELEASES)[number];

type Changes = Record<string, unknown>;

interface Given {
  readonly method: Changes;
  /** Classes in each labelling. */
  readonly classes?: readonly number[];
  readonly components?: number;
  readonly outputs: Readonly<Partial<Record<Protocol, readonly string[]>>> & {
    readonly others: readonly string[];
  };
  readonly wide?: boolean;
  readonly changes?: Changes;
}

const OF_ALL = ['mean', 'trace', 'sampleCount'];
const OF_ROTATION = ['mean', 'sampleCount', 'spectrum'];
const OF_PENCIL = { rotated: [...OF_ROTATION, 'classCounts'], others: [...OF_ALL, 'classCounts'] };
const OF_SKETCH = { others: ['mean', 'sampleCount'] };

/** The vector that a sketch refines: one alone. */
export const REFINED: readonly (readonly number[])[] = [
  Array.from({ length: 16 }, (_, i) => (i % 3 === 0 ? -0.25 : 0.25)),
];

const histogram = (strategy: Changes): Given => ({
  method: { kind: 'histogram', height: 3, ...strategy },
  components: 0,
  outputs: { others: [] },
});

export const METHODS = {
  pca: { method: { kind: 'pca' }, components: 2, outputs: { rotated: OF_ROTATION, others: OF_ALL } },
  correlation: {
    method: { kind: 'pca', scale: 'correlation' },
    outputs: { rotated: [...OF_ROTATION, 'variances'], others: [...OF_ALL, 'variances'] },
  },
  sketch: {
    method: { kind: 'pca' },
    outputs: OF_SKETCH,
    wide: true,
    changes: { sketch: { columns: 5 } },
  },
  'refined sketch': {
    method: { kind: 'pca' },
    outputs: OF_SKETCH,
    wide: true,
    changes: { sketch: { columns: 11, refine: 'r'.repeat(43) } },
  },
  dca: {
    method: { kind: 'dca', form: 'standard', ridge: 0.5, signalRidge: 0 },
    classes: [3],
    outputs: OF_PENCIL,
  },
  'dca with a signal ridge': {
    method: { kind: 'dca', form: 'standard', ridge: 0.5, signalRidge: 0.25 },
    classes: [3],
    outputs: OF_PENCIL,
    changes: { allowFullRank: true },
  },
  'dca of the book': {
    method: { kind: 'dca', form: 'book', ridge: 0.5, signalRidge: 0.25 },
    classes: [3],
    outputs: OF_PENCIL,
    changes: { allowFullRank: true },
  },
  lda: { method: { kind: 'lda', ridge: 0.5 }, classes: [3], components: 1, outputs: OF_PENCIL },
  mdr: {
    method: { kind: 'mdr', ridge: 0.5 },
    classes: [3, 3],
    outputs: { rotated: [...OF_ROTATION, 'classCounts'], others: ['mean', 'sampleCount', 'classCounts'] },
  },
  ridge: { method: { kind: 'ridge', ridge: 0.5 }, components: 0, outputs: { others: OF_ALL } },
  pcr: { method: { kind: 'pcr', ridge: 0.5 }, components: 2, outputs: { others: OF_ALL } },
  moments: { method: { kind: 'moments' }, components: 0, outputs: { others: [] } },
  'flat histogram': histogram({ strategy: 'flat' }),
  'histogram by a tree': histogram({ strategy: 'tree', fanouts: [2, 4] }),
  'histogram by wavelets': histogram({ strategy: 'privelet' }),
} as const satisfies Record<string, Given>;

export type MethodOfCase = keyof typeof METHODS;

const FEATURES = [
  { name: 'height', min: 140, max: 200, grain: 0.5, twoValued: false },
  { name: 'weight', min: 40, max: 120, grain: 'cell', twoValued: false },
  { name: 'visits', min: 0, max: 20, grain: 1, twoValued: false },
  { name: 'smoker', min: 0, max: 1, grain: 1, twoValued: true },
  { name: 'pulse', min: 50, max: 110, grain: 'cell', twoValued: false },
] as const;

const WIDE = Array.from({ length: 16 }, (_, i) => ({
  name: `pixel_${i}`,
  min: 0,
  max: 255,
  grain: i < 3 ? 1 : 'cell',
  twoValued: false,
}));

/** Of a range that is the same on both sides of 0, and two that are counted together. */
const COUNTED = [
  { name: 'height', min: 140, max: 200 },
  { name: 'weight', min: 40, max: 120, histogram: 'both' },
  { name: 'pulse', min: 40, max: 120, histogram: 'both' },
  { name: 'visits', min: -1000, max: 1000, logarithmic: 0.5 },
];

const NOISE = {
  epsilon: 2,
  delta: 1e-6,
  neighbours: 'add-remove',
  noise: 'servers',
  honestOwners: null,
  dataIndependentRanges: true,
};

const isHistogram = ({ method }: Given) => method.kind === 'histogram';

/** The proposal of a method by a protocol, which nobody has checked. */
export function proposalOf(name: MethodOfCase, twoParty: Protocol, release: Release, changes: Changes = {}) {
  const given: Given = METHODS[name];
  return {
    method: given.method,
    features: isHistogram(given) ? COUNTED : given.wide ? WIDE : FEATURES,
    labellings: (given.classes ?? []).map((count, l) => ({
      column: ['outcome', 'region'][l],
      classes: Array.from({ length: count }, (_, k) => `class ${k}`),
    })),
    components: given.components ?? 1,
    fractionBits: 12,
    minimumOwners: 2,
    maximumOwners: 4,
    maximumSamplesPerOwner: 400,
    twoParty,
    outputs: given.outputs[twoParty] ?? given.outputs.others,
    deadline: '2030-01-01T00:00:00.000Z',
    ...(release === 'noise' && {
      differentialPrivacy: { ...NOISE, clippingNorm: isHistogram(given) ? null : 1.25 },
    }),
    ...given.changes,
    ...(release === 'nothing' && { exact: true, allowFullRank: true }),
    ...changes,
  };
}

/** The same as both servers have signed it, under an id and keys that are made up. */
export function taskOf(name: MethodOfCase, twoParty: Protocol, release: Release): Task {
  return Task.parse({
    ...TaskProposal.parse(proposalOf(name, twoParty, release)),
    ...{ protocol: 'eigenveil/1', id: 't'.repeat(22), csp: 'c'.repeat(43), dataUser: 'd'.repeat(43) },
  });
}

/** In [0, 1), from whole numbers alone. */
function fraction(row: number, column: number): number {
  return ((row * row * 37 + row * (column + 2) * 101 + column * column * 53 + 11) % 997) / 997;
}

const OWNERS = 3;
const ROWS = 250;

/** Classes of a row: they go round, each labelling at a pace of its own. */
const classOf = (row: number, labelling: number) =>
  (labelling === 0 ? row : Math.floor(row / 2) + (row % 5 === 0 ? 1 : 0)) % 3;

/** A share of the range, by columns in different orders of the classes. */
const effect = (row: number, labelling: number, column: number) =>
  0.15 * (((classOf(row, labelling) * (((column >> labelling) % 2) + 1)) % 3) - 1);

/** Rows of three owners, in units of the features, whose values hang on their classes; some lie beyond the ranges. */
export function rowsOf({ features, labellings }: Task): LabelledRows[] {
  return Array.from({ length: OWNERS }, (_, owner) => {
    const rows = Array.from({ length: ROWS }, (__, i) => owner * ROWS + i);
    return {
      classes: rows.map((row) => labellings.map((__, l) => classOf(row, l))),
      values: rows.map((row) =>
        features.map(({ min, max, grain, twoValued }, column) => {
          const drawn = 0.5 * fraction(row, column) + 0.15 * fraction(row, 7) + 0.15;
          const share = drawn + effect(row, 0, column) + effect(row, 1, column);
          if (twoValued === true) return share > 0.5 ? max : min;
          const step = typeof grain === 'number' ? grain : 2 ** -10;
          return Math.round((min + share * (max - min)) / step) * step;
        }),
      ),
    };
  });
}
