/** Audits of the noisy sums of histograms, per who looks, and known faults that they must find. */
import type { TaskProposal } from '@eigenveil/task';
import { Draws } from '../../../draws.ts';
import type { Experiment, Setting, Test } from '../../../experiment.ts';
import type { Scene } from '../../../scene.ts';
import { histogramProposal, STRATEGIES, tooFewRanges } from '../../in-process/histogram-task.ts';
import { audit, detectable } from './audit.ts';
import { levelOf, outcomeOf, PROMISE, RUNS, RUNS_OF_FAULTS } from './outcome.ts';
import { auditedSums, type Server, type SumsFault } from './sums-stage.ts';

const CASES = STRATEGIES.flatMap((method) =>
  (['add-remove', 'replace'] as const).map((neighbours) => ({ method, neighbours })),
);

function proposalOf(scene: Scene, { method, neighbours }: (typeof CASES)[number]): TaskProposal {
  return histogramProposal(scene, method, { epsilon: PROMISE.epsilon, delta: PROMISE.dpDelta, neighbours });
}

function runAudits(unknown: Server, { scene, effort, seed, note }: Setting, fault?: SumsFault): Test {
  const runs = (fault ? RUNS_OF_FAULTS : RUNS)[effort];
  const audits = CASES.map((of) => {
    const { method, neighbours } = of;
    const { strategy } = method;
    note(`${strategy}, ${neighbours}`);
    const proposal = proposalOf(scene, of);
    const stage = auditedSums(proposal, unknown, new Draws(`${seed}/${strategy}/${neighbours}`), fault);
    return {
      method: strategy,
      neighbours,
      audited: audit(stage, PROMISE, runs),
      found: detectable(stage.apart, PROMISE, runs, levelOf(effort, CASES.length)),
    };
  });
  return outcomeOf(audits, runs);
}

const experiment = (
  of: Pick<Experiment, 'id' | 'title' | 'attacker' | 'expectation' | 'claims'>,
  unknown: Server,
  fault?: SumsFault,
): Experiment => ({
  kind: 'audit',
  secret: 'membership',
  sees: 'the sums of a histogram task over two features, by each strategy, less the noise that it knows',
  knows:
    'all rows but one, and this one: in the first bin of both features; the row in its place is in the last',
  control: 'the same event on the neighbouring rows, without the row or with another in its place',
  baseline: 'the promise allows e^ε times the neighbour’s rate of the event, and δ',
  unit: 'run',
  scenes: ['iris'],
  omits: tooFewRanges,
  run: async (setting) => runAudits(unknown, setting, fault),
  ...of,
});

/** So many that their mean says twice as much, and more. */
const ANSWERS = 16;

export const SUMS: readonly Experiment[] = [
  experiment(
    {
      id: 'audit-histogram-data-user',
      title: 'Audit: noisy sums of a histogram, against the data user, who knows its own noise',
      attacker: 'data user',
      expectation: 'holds',
      claims: ['S-661'],
    },
    'csp',
  ),
  experiment(
    {
      id: 'audit-histogram-csp',
      title: 'Audit: noisy sums of a histogram, against the CSP that is shown them and knows its own noise',
      attacker: 'CSP',
      expectation: 'holds',
      claims: ['S-661'],
    },
    'dataUser',
  ),
  experiment(
    {
      id: 'audit-histogram-single-sum',
      title: 'Audit of noise as for one sum of a histogram, though a row changes several',
      attacker: 'data user',
      expectation: 'control',
      claims: ['S-661'],
    },
    'csp',
    { singleSum: true },
  ),
  experiment(
    {
      id: 'audit-histogram-drawn-anew',
      title: `Audit of ${ANSWERS} answers to the same contributions, each with noise of its own`,
      attacker: 'data user',
      expectation: 'control',
      claims: ['S-661', 'S-662'],
    },
    'csp',
    { answers: ANSWERS },
  ),
];
