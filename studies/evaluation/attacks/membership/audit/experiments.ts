/** Audits of differential privacy, per who adds noise and who looks, and known faults that they must find. */

import type { TaskProposal } from '@eigenveil/task';
import type { Chart } from '../../../../instrument/report/document.ts';
import { shareOf } from '../../../../recognition/intervals.ts';
import { Draws } from '../../../draws.ts';
import type { Setting, Test, Unworded } from '../../../experiment.ts';
import type { Scene } from '../../../scene.ts';
import { audit, detectable, powerOf } from './audit.ts';
import { auditedProposal, KINDS, type Kind, worstNeighbours } from './canary.ts';
import { levelOf, outcomeOf, PROMISE, RUNS, RUNS_OF_FAULTS } from './outcome.ts';
import { auditedStage, type Drawer, type Fault } from './stage.ts';
import { SUMS } from './sums.ts';

/** Of the audits for the curve, each by itself. */
const LEVEL = 0.05;

/** With `owners`: those whose noise the others, who look together, do not know. */
const HONEST_OWNERS = 2;

interface View {
  readonly noise: 'servers' | 'csp' | 'owners';
  readonly unknown: readonly Drawer[];
}

interface Case {
  readonly kind: Kind;
  readonly neighbours: 'add-remove' | 'replace';
}

const CASES: readonly Case[] = KINDS.flatMap((kind) =>
  (['add-remove', 'replace'] as const).map((neighbours) => ({ kind, neighbours })),
);

function proposalOf(scene: Scene, { noise }: View, { kind, neighbours }: Case): TaskProposal {
  return auditedProposal(scene, kind, {
    epsilon: PROMISE.epsilon,
    delta: PROMISE.dpDelta,
    neighbours,
    noise,
    honestOwners: noise === 'owners' ? HONEST_OWNERS : null,
  });
}

function stageOf(scene: Scene, view: View, of: Case, draws: Draws, fault?: Fault) {
  const proposal = proposalOf(scene, view, of);
  return auditedStage(proposal, worstNeighbours(proposal, of.kind), view.unknown, draws, fault);
}

function runAudits(view: View, { scene, effort, seed, note }: Setting, fault?: Fault): Test {
  const runs = (fault ? RUNS_OF_FAULTS : RUNS)[effort];
  const audits = CASES.map((of) => {
    note(`${of.kind}, ${of.neighbours}`);
    const stage = stageOf(scene, view, of, new Draws(`${seed}/${of.kind}/${of.neighbours}`), fault);
    // What Gaussian noise of the right deviation has.
    const { apart } = stageOf(scene, view, of, new Draws(seed));
    return {
      ...of,
      audited: audit(stage, PROMISE, runs),
      found: detectable(apart, PROMISE, runs, levelOf(effort, CASES.length)),
    };
  });
  return outcomeOf(
    audits.map(({ kind, ...others }) => ({ method: kind, ...others })),
    runs,
  );
}

const experiment = (
  id: string,
  attacker: Unworded['attacker'],
  claims: Unworded['claims'],
  view: View,
  fault?: Fault,
): Unworded => ({
  id,
  terms: { honest: HONEST_OWNERS },
  kind: 'audit',
  attacker,
  secret: 'membership',
  expectation: fault ? 'control' : 'holds',
  claims,
  unit: 'run',
  scenes: ['iris'],
  omits: ({ proposal }) =>
    proposal.features.filter(({ min, max }) => min < max).length < 2
      ? 'fewer than two features that vary'
      : proposal.minimumOwners <= HONEST_OWNERS
        ? `no more than ${HONEST_OWNERS} owners`
        : undefined,
  run: async (setting) => runAudits(view, setting, fault),
});

const SERVERS_TO_USER: View = { noise: 'servers', unknown: ['csp'] };
const SERVERS_TO_CSP: View = { noise: 'servers', unknown: ['dataUser'] };
const CSP_TO_USER: View = { noise: 'csp', unknown: ['csp'] };
const OWNERS_TO_OTHERS: View = {
  noise: 'owners',
  unknown: new Array<Drawer>(HONEST_OWNERS).fill('owner'),
};

/** Of repeated audits for the curve. */
const REPEATED = { runs: 2000, audits: 25, scales: [0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1] } as const;

const FORECAST_AT = Array.from({ length: 25 }, (_, i) => (40 + 2.5 * i) / 100);

/** How often an audit finds noise that is too small, measured, by how much it is. */
function powerChart({ scene, seed, note }: Setting): Chart {
  const of: Case = { kind: 'pca', neighbours: 'add-remove' };
  const { apart } = stageOf(scene, SERVERS_TO_USER, of, new Draws(seed));
  const measured = REPEATED.scales.map((scale) => {
    note(`power, noise times ${scale}`);
    const stage = stageOf(scene, SERVERS_TO_USER, of, new Draws(`${seed}/power/${scale}`), {
      noiseScale: scale,
    });
    const found = Array.from(
      { length: REPEATED.audits },
      () => audit(stage, PROMISE, REPEATED.runs).p <= LEVEL,
    );
    const { value, low, high } = shareOf(found.filter(Boolean).length, REPEATED.audits);
    return { x: scale, y: 100 * value, low: 100 * low, high: 100 * high };
  });
  const forecast = (runs: number) =>
    FORECAST_AT.map((scale) => ({ x: scale, y: 100 * powerOf(scale, apart, PROMISE, runs, LEVEL) }));
  return {
    kind: 'chart',
    name: `audit-power-${scene.name}`,
    caption: `How often an audit at a level of 5 % finds noise of servers that is too small, by what it is multiplied with: ${REPEATED.audits} audits of ${REPEATED.runs} runs at each point, with whiskers of 95 %, and forecasts for Gaussian noise.`,
    drawing: {
      kind: 'lines',
      x: { title: 'deviation of the noise, of what is needed', scale: 'linear' },
      y: { title: 'found (%)', scale: 'linear' },
      lines: [
        { name: `measured, ${REPEATED.runs} runs`, style: 'solid', points: measured },
        { name: `forecast, ${REPEATED.runs} runs`, style: 'dashed', points: forecast(REPEATED.runs) },
        { name: `forecast, ${RUNS.full} runs`, style: 'dashed', points: forecast(RUNS.full) },
      ],
    },
  };
}

const HALVED: Fault = { noiseScale: 0.5 };

export const AUDITS: readonly Unworded[] = [
  experiment(
    'audit-servers-data-user',
    'data user',
    ['P-12', 'P-120', 'P-14', 'P-23', 'P-25'],
    SERVERS_TO_USER,
  ),
  experiment('audit-servers-csp', 'CSP', ['P-12', 'P-120', 'P-14'], SERVERS_TO_CSP),
  experiment('audit-csp-data-user', 'data user', ['P-12', 'P-120', 'P-74'], CSP_TO_USER),
  experiment('audit-owners', 'coalition', ['P-12', 'P-120', 'P-15', 'P-45'], OWNERS_TO_OTHERS),
  {
    ...experiment('audit-noise-halved', 'data user', ['P-12', 'P-25'], SERVERS_TO_USER, HALVED),
    async run(setting) {
      const test = runAudits(SERVERS_TO_USER, setting, HALVED);
      const chart = setting.effort === 'full' ? [powerChart(setting)] : [];
      return { ...test, blocks: [...test.blocks!, ...chart] };
    },
  },
  experiment('audit-clipping-left-out', 'data user', ['P-12', 'P-23'], SERVERS_TO_USER, { unclipped: true }),
  experiment('audit-seed-shared', 'data user', ['P-12', 'P-14'], SERVERS_TO_USER, { sharedSeed: true }),
  ...SUMS,
];
