/** Audits of differential privacy, per who adds noise and who looks, and known faults that they must find. */

import { shareOf } from '@eigenveil/laboratory/recognition/intervals';
import type { Chart, Table } from '@eigenveil/report/document';
import type { TaskProposal } from '@eigenveil/task';
import { Draws } from '../../../draws.ts';
import type { Experiment, Setting, Test } from '../../../experiment.ts';
import { LEVELS } from '../../../judging/verdicts.ts';
import type { Scene } from '../../../scene.ts';
import { type Audited, audit, detectable, type PrivacyPromise, powerOf } from './audit.ts';
import { auditedProposal, KINDS, type Kind, worstNeighbours } from './canary.ts';
import { auditedStage, type Drawer, type Fault } from './stage.ts';

/** With so large a δ few runs prove most of ε; the stage is the same for others, but for the deviation of its noise. */
const PROMISE: PrivacyPromise = { epsilon: 1, dpDelta: 0.01 };
const RUNS = { quick: 2500, full: 50_000 } as const;
/** Faults are large enough for few. */
const RUNS_OF_FAULTS = { quick: 2500, full: 10_000 } as const;
/** Of the audits for the curve, each by itself. */
const LEVEL = 0.05;
/** `detectable` is told at the level that decides: Holm's first step over about so many experiments. */
const FAMILY = 100;

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
      found: detectable(apart, PROMISE, runs, LEVELS[effort] / FAMILY / CASES.length),
    };
  });
  const worst = audits.reduce((a, b) => (b.audited.p < a.audited.p ? b : a));
  const least = Math.max(...audits.map(({ found }) => found.epsilon));
  return {
    kind: 'test',
    // Bonferroni's correction over the four.
    p: Math.min(1, audits.length * worst.audited.p),
    n: audits.length * runs,
    distance: worst.audited.distance,
    detectable: {
      leak: `noise that gives ε = ${least.toFixed(2)} in place of ${PROMISE.epsilon}`,
      size: least,
    },
    facts: {
      'ε promised': PROMISE.epsilon,
      'δ promised': PROMISE.dpDelta,
      'largest ε proven (95 %)': Number(Math.max(...audits.map(({ audited }) => audited.proven)).toFixed(3)),
      'largest ε that these runs could prove (95 %)': Number(worst.audited.provable.toFixed(2)),
      'runs per method and relation': runs,
    },
    blocks: [tableOf(audits)],
  };
}

function tableOf(
  audits: readonly (Case & { readonly audited: Audited; readonly found: ReturnType<typeof detectable> })[],
): Table {
  return {
    kind: 'table',
    caption: `ε that the runs prove to be exceeded at least (95 %, each by itself), of a promise of ε = ${PROMISE.epsilon} and δ = ${PROMISE.dpDelta}; and the ε of noise that is too small which they would find with power 0.8.`,
    columns: [
      { title: 'method', align: 'left' },
      { title: 'neighbours', align: 'left' },
      { title: 'event, with the row', align: 'right' },
      { title: 'event, without it', align: 'right' },
      { title: 'ε proven', align: 'right' },
      { title: 'p of the promise', align: 'right' },
      { title: 'would be found', align: 'right' },
    ],
    rows: audits.map(({ kind, neighbours, audited, found }) => [
      kind,
      neighbours,
      `${audited.counts.left}`,
      `${audited.counts.right}`,
      audited.proven.toFixed(2),
      audited.p.toPrecision(2),
      found.epsilon.toFixed(2),
    ]),
  };
}

const CANARY =
  'all rows but one, and this one: as long as clipping leaves a row, in the direction and of the class that move the statistics most';
const CONTROL = 'the same event on the neighbouring rows, without the row or with another in its place';
const SEES = 'the noisy statistics themselves, of which any result is computed';

const experiment = (
  of: Pick<Experiment, 'id' | 'title' | 'attacker' | 'expectation' | 'claims' | 'sees'> & Partial<Experiment>,
  view: View,
  fault?: Fault,
): Experiment => ({
  kind: 'audit',
  secret: 'membership',
  knows: CANARY,
  control: CONTROL,
  baseline: 'the promise allows e^ε times the neighbour’s rate of the event, and δ',
  unit: 'run',
  scenes: ['iris'],
  omits: ({ proposal }) =>
    proposal.features.filter(({ min, max }) => min < max).length < 2
      ? 'fewer than two features that vary'
      : proposal.minimumOwners <= HONEST_OWNERS
        ? `no more than ${HONEST_OWNERS} owners`
        : undefined,
  run: async (setting) => runAudits(view, setting, fault),
  ...of,
});

const SERVERS_TO_USER: View = { noise: 'servers', unknown: ['csp'] };

const HELD: readonly Experiment[] = [
  experiment(
    {
      id: 'audit-servers-data-user',
      title: 'Audit: noise of both servers, of which the data user knows its own',
      attacker: 'data user',
      expectation: 'holds',
      claims: ['P-12', 'P-120', 'P-14', 'P-23', 'P-25'],
      sees: `${SEES}, less its own noise`,
    },
    SERVERS_TO_USER,
  ),
  experiment(
    {
      id: 'audit-servers-csp',
      title: 'Audit: noise of both servers, of which the CSP, shown the result, knows its own',
      attacker: 'CSP',
      expectation: 'holds',
      claims: ['P-12', 'P-120', 'P-14'],
      sees: `${SEES}, less its own noise`,
    },
    { noise: 'servers', unknown: ['dataUser'] },
  ),
  experiment(
    {
      id: 'audit-csp-data-user',
      title: 'Audit: noise of the CSP alone, against the data user',
      attacker: 'data user',
      expectation: 'holds',
      claims: ['P-12', 'P-120', 'P-74'],
      sees: SEES,
    },
    { noise: 'csp', unknown: ['csp'] },
  ),
  experiment(
    {
      id: 'audit-owners',
      title: `Audit: noise of owners, of whom all but ${HONEST_OWNERS} look together with the data user`,
      attacker: 'coalition',
      expectation: 'holds',
      claims: ['P-12', 'P-120', 'P-15', 'P-45'],
      sees: `${SEES}, less the noise of all owners but ${HONEST_OWNERS}`,
    },
    { noise: 'owners', unknown: new Array<Drawer>(HONEST_OWNERS).fill('owner') },
  ),
];

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

const CONTROLS: readonly Experiment[] = [
  experiment(
    {
      id: 'audit-noise-halved',
      title: 'Audit of noise of half the deviation, as for half of the sensitivity',
      attacker: 'data user',
      expectation: 'control',
      claims: ['P-12', 'P-25'],
      sees: SEES,
      run: async (setting) => {
        const test = runAudits(SERVERS_TO_USER, setting, HALVED);
        const chart = setting.effort === 'full' ? [powerChart(setting)] : [];
        return { ...test, blocks: [...test.blocks!, ...chart] };
      },
    },
    SERVERS_TO_USER,
  ),
  experiment(
    {
      id: 'audit-clipping-left-out',
      title: 'Audit of rows that are not clipped, though noise is made for clipped ones',
      attacker: 'data user',
      expectation: 'control',
      claims: ['P-12', 'P-23'],
      sees: SEES,
    },
    SERVERS_TO_USER,
    { unclipped: true },
  ),
  experiment(
    {
      id: 'audit-seed-shared',
      title: 'Audit of servers that draw from one seed, so that the data user knows all noise',
      attacker: 'data user',
      expectation: 'control',
      claims: ['P-12', 'P-14'],
      sees: SEES,
    },
    SERVERS_TO_USER,
    { sharedSeed: true },
  ),
];

export const AUDITS: readonly Experiment[] = [...HELD, ...CONTROLS];
