/** Audits of differential privacy, per who adds noise and who looks, and known faults that they must find. */

import type { TaskProposal } from '@eigenveil/task';
import type { Chart } from '../../../../instrument/report/document.ts';
import { shareOf } from '../../../../recognition/intervals.ts';
import { Draws } from '../../../draws.ts';
import type { Experiment, Setting, Test } from '../../../experiment.ts';
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

export const AUDITS: readonly Experiment[] = [...HELD, ...CONTROLS, ...SUMS];
