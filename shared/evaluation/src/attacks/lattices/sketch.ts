/** What a reader of a sketch's result finds of its columns, of a plain sketch and of one that refines an earlier result. */
import type { Decomposition } from '@eigenveil/projection';
import { type Statistics, sketchMatrix } from '@eigenveil/statistics';
import { programOf, SKETCH_OUTPUTS, type Task, TaskProposal } from '@eigenveil/task';
import { sketchParameters } from '@eigenveil/two-party/insides';
import { Draws } from '../../draws.ts';
import type { Experiment, Setting } from '../../experiment.ts';
import { pooledStatistics } from '../../released.ts';
import type { Scene } from '../../scene.ts';
import { dealtResult } from '../in-process/dealt.ts';
import { agreed } from '../in-process/small-task.ts';
import { columnsOf, realColumns, type Sketch } from './columns.ts';

const COLUMNS = 13;
const COMPONENTS = 11;
const FEATURES = 26;
/** Of the earlier result. */
const REFINED = 3;
const RUNS = { quick: 12, full: 20 } as const;
/** Entries are kept in units, rounded by both servers. */
const RIGHT = 1.5;

/** A number that stands for a digest. */
const DIGEST = 'A'.repeat(43);

function sketchTask({ proposal }: Scene, components: number, refines: boolean): Task {
  return agreed(
    TaskProposal.parse({
      ...proposal,
      features: proposal.features
        .filter(({ min, max }) => min < max)
        .slice(0, FEATURES)
        .map((feature) => ({ ...feature, twoValued: false })),
      ...{ method: { kind: 'pca' }, labellings: [], twoParty: 'rotated', outputs: [...SKETCH_OUTPUTS] },
      sketch: { columns: COLUMNS, ...(refines && { refine: DIGEST }) },
      components,
    }),
  );
}

interface Released {
  readonly result: Decomposition;
  readonly sketch: Sketch;
  /** What the columns are, not rounded. */
  readonly truth: readonly (readonly number[])[];
}

function truthOf({ Y, labellings }: Statistics, { signs, columns: l }: Sketch, unit: number): number[][] {
  const { V, M } = labellings[0]![0]!;
  return Array.from({ length: l }, (_, a) => {
    const sum = V.reduce((total, v, i) => total + v * BigInt(signs[i * l + a]!), 0n);
    return V.map((v, i) => Number(M * Y![i * l + a]! - v * sum) / Number(M) / unit);
  });
}

async function released({ scene }: Setting, draws: Draws, refines: boolean): Promise<Released> {
  const rows = draws.some(scene.owners.flat(), Math.ceil(0.8 * scene.owners.flat().length));
  const cut = rows.map((row) => ({ ...row, values: row.values.filter((_, i) => varies(scene, i)) }));
  const of = async (components: number, vectors: readonly (readonly number[])[]) => {
    const task = sketchTask(scene, components, vectors.length > 0);
    const signs = sketchMatrix(draws.source(32), task, vectors);
    const { cut: dropped } = sketchParameters(task, programOf(task));
    const sketch = { signs, columns: COLUMNS, unit: 4 ** task.fractionBits / 2 ** dropped };
    const own = cut.map((row) => ({ ...row, values: row.values.slice(0, task.features.length) }));
    const statistics = { ...pooledStatistics(task, [own], signs), owners: BigInt(task.minimumOwners) };
    const result = await dealtResult(task, statistics, signs);
    return { result, sketch, truth: truthOf(statistics, sketch, 2 ** dropped) };
  };
  const first = refines ? (await of(REFINED, [])).result.vectors : [];
  return of(COMPONENTS, first);
}

function varies({ proposal }: Scene, feature: number): boolean {
  const { min, max } = proposal.features[feature]!;
  return min < max;
}

/** The share of columns of which every entry is right. */
function foundOf(columns: readonly (readonly number[])[], { truth }: Released): number {
  const right = columns.filter((column, a) =>
    column.every((entry, i) => Math.abs(entry - truth[a]![i]!) < RIGHT),
  );
  return right.length / truth.length;
}

const COMMON = {
  kind: 'attack',
  attacker: 'recipient',
  secret: 'pooled statistics',
  expectation: 'control',
  claims: ['S-612', 'S-615', 'S-616'],
  knows: 'Ω, which is public, and that what the servers keep of a sketch are whole numbers',
  control: 'the same columns as real numbers, which the result tells, rounded',
  baseline: 'as the control',
  unit: 'run',
  scenes: ['ionosphere'],
  omits: ({ proposal }: Scene) =>
    proposal.features.filter(({ min, max }) => min < max).length < FEATURES
      ? `fewer than ${FEATURES} features that vary`
      : undefined,
} as const satisfies Partial<Experiment>;

async function attempt(setting: Setting, refines: boolean) {
  const draws = new Draws(setting.seed).of('rows');
  const attack: number[] = [];
  const control: number[] = [];
  for (let run = 0; run < RUNS[setting.effort]; run += 1) {
    const own = await released(setting, draws.of(run), refines);
    attack.push(
      foundOf(
        columnsOf(own.result, own.sketch).map((column) => column.map(Number)),
        own,
      ),
    );
    control.push(foundOf(realColumns(own.result, own.sketch), own));
  }
  return {
    kind: 'trials' as const,
    ...{ attack, control, baseline: 0 },
    facts: { features: FEATURES, columns: COLUMNS, components: COMPONENTS },
  };
}

export const plain: Experiment = {
  ...COMMON,
  id: 'sketch-columns',
  title: 'All columns of a sketch, from its released vectors by lattice reduction',
  sees: 'the result of a sketch by the real protocol, with products from a dealer',
  run: (setting) => attempt(setting, false),
};

export const refined: Experiment = {
  ...COMMON,
  id: 'sketch-columns-refined',
  title: 'All columns of a sketch that refines an earlier result, in the same way',
  sees: 'the result of a refinement by the real protocol, with products from a dealer, and the earlier result',
  run: (setting) => attempt(setting, true),
};
