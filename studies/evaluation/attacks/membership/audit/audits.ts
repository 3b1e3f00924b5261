/** Audits of one promise, a stage for each method and relation: the worst of them decides. */
import { most, only } from '../../../../instrument/figure.ts';
import { tablesOf } from '../../../../instrument/tables.ts';
import { Draws } from '../../../draws.ts';
import type { Effort, Setting, Test } from '../../../experiment.ts';
import { LEVELS } from '../../../judging/verdicts.ts';
import type { Scene } from '../../../scene.ts';
import { audit, detectable, type PrivacyPromise } from './audit.ts';
import type { AuditedStage } from './stage.ts';

/** With so large a δ few runs prove most of ε; the stage is the same for others, except for the deviation of its noise. */
export const PROMISE: PrivacyPromise = { epsilon: 1, dpDelta: 0.01 };
export const RUNS = { quick: 2500, full: 50_000 } as const;
/** Faults are large enough for few. */
const RUNS_OF_FAULTS = { quick: 2500, full: 10_000 } as const;
/** `detectable` is told at the level that decides: Holm's first step over about this number of experiments. */
const FAMILY = 100;

export type Relation = 'add-remove' | 'replace';

/** Stages of methods, by name, as they are audited over a scene; each may have a fault. */
export interface Audited<Fault> {
  readonly methods: Readonly<
    Record<string, (scene: Scene, neighbours: Relation, draws: Draws, fault?: Fault) => AuditedStage>
  >;
  readonly omits: (scene: Scene) => string | undefined;
}

export function runAudits<Fault>(
  { methods }: Audited<Fault>,
  { scene, effort, seed, note }: Setting,
  fault: Fault | undefined,
): Test {
  const runs = (fault ? RUNS_OF_FAULTS : RUNS)[effort];
  const cases = Object.entries(methods).flatMap(([method, stageOf]) =>
    (['add-remove', 'replace'] as const).map((neighbours) => ({ method, neighbours, stageOf })),
  );
  const level = levelOf(effort, cases.length);
  const audits = cases.map(({ method, neighbours, stageOf }) => {
    note(`${method}, ${neighbours}`);
    const stage = stageOf(scene, neighbours, new Draws(`${seed}/${method}/${neighbours}`), fault);
    const { counts, ...audited } = audit(stage, PROMISE, runs);
    // Gaussian noise of the right deviation has this.
    const { apart } = stageOf(scene, neighbours, new Draws(seed));
    const found = detectable(apart, PROMISE, runs, level).epsilon;
    return { method, neighbours, ...counts, ...audited, found };
  });
  const worst = audits.reduce((a, b) => (b.p < a.p ? b : a));
  const least = Math.max(...audits.map(({ found }) => found));
  return {
    kind: 'test',
    // Bonferroni's correction.
    p: Math.min(1, audits.length * worst.p),
    n: audits.length * runs,
    distance: worst.distance,
    detectable: {
      leak: `noise that gives ε = ${least.toFixed(2)} in place of ${PROMISE.epsilon}`,
      size: least,
    },
    facts: {
      'ε promised': PROMISE.epsilon,
      'δ promised': PROMISE.dpDelta,
      'largest ε proven (95 %)': Number(Math.max(...audits.map(({ proven }) => proven)).toFixed(3)),
      'largest ε that these runs could prove (95 %)': Number(worst.provable.toFixed(2)),
      'runs per method and relation': runs,
    },
    blocks: tablesOf(TABLE, {
      columns: {},
      of: () => audits.map(({ distance, p, ...others }) => ({ ...others, p: p.toPrecision(2) })),
    }),
  };
}

/** Gives the level at which each of so many audits of an experiment is to find what it says that it would find. */
const levelOf = (effort: Effort, audits: number): number => LEVELS[effort] / FAMILY / audits;

const TABLE = {
  caption: `ε that the runs prove to be exceeded at least (95 %, each by itself), of a promise of ε = ${PROMISE.epsilon} and δ = ${PROMISE.dpDelta}; and the ε of noise that is too small which they would find with power 0.8.`,
  rows: ['method', 'neighbours'],
  cells: {
    'event, with the row': most('left', { digits: 0 }),
    'event, without it': most('right', { digits: 0 }),
    'ε proven': most('proven', { digits: 2 }),
    'p of the promise': only('p'),
    'would be found': most('found', { digits: 2 }),
  },
};
