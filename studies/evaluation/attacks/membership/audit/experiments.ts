/** Audits of differential privacy, per who adds noise and who looks, and known faults that they must find. */

import { shareOf } from '../../../../recognition/intervals.ts';
import { Draws } from '../../../draws.ts';
import type { Setting, Unworded } from '../../../experiment.ts';
import { lineChart } from '../../../shown.ts';
import { histogramProposal, STRATEGIES, tooFewRanges } from '../../in-process/histogram-task.ts';
import { audit, powerOf } from './audit.ts';
import { type Audited, PROMISE, RUNS, runAudits } from './audits.ts';
import { auditedProposal, HONEST_OWNERS, KINDS, worstNeighbours } from './canary.ts';
import { auditedStage, type Drawer, type Fault } from './stage.ts';
import { auditedSums, type Server, type SumsFault } from './sums-stage.ts';

const { epsilon, dpDelta: delta } = PROMISE;

/** @param unknown who draws noise that whoever looks does not know */
export const ofStage = (noise: 'servers' | 'csp' | 'owners', unknown: readonly Drawer[]): Audited<Fault> => ({
  methods: Object.fromEntries(
    KINDS.map((kind) => [
      kind,
      (scene, neighbours, draws, fault) => {
        const proposal = auditedProposal(scene, kind, neighbours, noise);
        return auditedStage(proposal, worstNeighbours(proposal, kind), unknown, draws, fault);
      },
    ]),
  ),
  omits: ({ proposal }) =>
    proposal.features.filter(({ min, max }) => min < max).length < 2
      ? 'fewer than two features that vary'
      : proposal.minimumOwners <= HONEST_OWNERS
        ? `no more than ${HONEST_OWNERS} owners`
        : undefined,
});

export const ofSums = (unknown: Server): Audited<SumsFault> => ({
  methods: Object.fromEntries(
    STRATEGIES.map((method) => [
      method.strategy,
      (scene, neighbours, draws, fault) =>
        auditedSums(histogramProposal(scene, method, { epsilon, delta, neighbours }), unknown, draws, fault),
    ]),
  ),
  omits: tooFewRanges,
});

const SERVERS_TO_USER = ofStage('servers', ['csp']);
const SERVERS_TO_CSP = ofStage('servers', ['dataUser']);
const CSP_TO_USER = ofStage('csp', ['csp']);
const OWNERS_TO_OTHERS = ofStage('owners', new Array<Drawer>(HONEST_OWNERS).fill('owner'));
const SUMS_TO_USER = ofSums('csp');
const SUMS_TO_CSP = ofSums('dataUser');

/** Level of the audits for the curve, each by itself. */
const LEVEL = 0.05;
/** Numbers of repeated audits for the curve. */
const REPEATED = { runs: 2000, audits: 25, scales: [0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1] } as const;

const FORECAST_AT = Array.from({ length: 25 }, (_, i) => (40 + 2.5 * i) / 100);

/** The frequency with which an audit finds noise that is too small, measured, by how much it is. */
function powerChart({ scene, seed, note }: Setting) {
  const stage = (draws: Draws, fault?: Fault) =>
    SERVERS_TO_USER.methods.pca!(scene, 'add-remove', draws, fault);
  const { apart } = stage(new Draws(seed));
  const measured = REPEATED.scales.map((scale) => {
    note(`power, noise times ${scale}`);
    const audited = stage(new Draws(`${seed}/power/${scale}`), { noiseScale: scale });
    const found = Array.from(
      { length: REPEATED.audits },
      () => audit(audited, PROMISE, REPEATED.runs).p <= LEVEL,
    );
    const { value, low, high } = shareOf(found.filter(Boolean).length, REPEATED.audits);
    return { x: scale, y: 100 * value, low: 100 * low, high: 100 * high };
  });
  const forecast = (runs: number) => ({
    name: `forecast, ${runs} runs`,
    style: 'dashed' as const,
    points: FORECAST_AT.map((scale) => ({ x: scale, y: 100 * powerOf(scale, apart, PROMISE, runs, LEVEL) })),
  });
  return lineChart(
    {
      name: `audit-power-${scene.name}`,
      caption: `How often an audit at a level of 5 % finds noise of servers that is too small, by what it is multiplied with: ${REPEATED.audits} audits of ${REPEATED.runs} runs at each point, with whiskers of 95 %, and forecasts for Gaussian noise.`,
    },
    'deviation of the noise, of what is needed',
    'found (%)',
    [
      { name: `measured, ${REPEATED.runs} runs`, points: measured },
      forecast(REPEATED.runs),
      forecast(RUNS.full),
    ],
  );
}

/** So many that their mean says twice as much, and more. */
const ANSWERS = 16;

const experiment = <Fault>(
  id: string,
  attacker: Unworded['attacker'],
  claims: Unworded['claims'],
  audited: Audited<Fault>,
  fault?: Fault,
): Unworded => ({
  id,
  terms: { honest: HONEST_OWNERS, answers: ANSWERS },
  kind: 'audit',
  attacker,
  secret: 'membership',
  expectation: fault ? 'control' : 'holds',
  claims,
  unit: 'run',
  scenes: ['iris'],
  omits: audited.omits,
  run: async (setting) => runAudits(audited, setting, fault),
});

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
      return setting.effort === 'full' ? { ...test, blocks: [...test.blocks!, powerChart(setting)] } : test;
    },
  },
  experiment('audit-clipping-left-out', 'data user', ['P-12', 'P-23'], SERVERS_TO_USER, { unclipped: true }),
  experiment('audit-seed-shared', 'data user', ['P-12', 'P-14'], SERVERS_TO_USER, { sharedSeed: true }),
  experiment('audit-histogram-data-user', 'data user', ['S-661'], SUMS_TO_USER),
  experiment('audit-histogram-csp', 'CSP', ['S-661'], SUMS_TO_CSP),
  experiment('audit-histogram-single-sum', 'data user', ['S-661'], SUMS_TO_USER, { singleSum: true }),
  experiment('audit-histogram-drawn-anew', 'data user', ['S-661', 'S-662'], SUMS_TO_USER, {
    answers: ANSWERS,
  }),
];
