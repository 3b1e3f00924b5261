/** Audits of the noisy sums of histograms, per who looks, and known faults that they must find. */
import type { TaskProposal } from '@eigenveil/task';
import { Draws } from '../../../draws.ts';
import type { Setting, Test, Unworded } from '../../../experiment.ts';
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
  id: string,
  attacker: Unworded['attacker'],
  unknown: Server,
  fault?: SumsFault,
  more: Partial<Unworded> = {},
): Unworded => ({
  id,
  kind: 'audit',
  attacker,
  secret: 'membership',
  expectation: fault ? 'control' : 'holds',
  claims: ['S-661'],
  unit: 'run',
  scenes: ['iris'],
  omits: tooFewRanges,
  run: async (setting) => runAudits(unknown, setting, fault),
  ...more,
});

/** So many that their mean says twice as much, and more. */
const ANSWERS = 16;

export const SUMS: readonly Unworded[] = [
  experiment('audit-histogram-data-user', 'data user', 'csp'),
  experiment('audit-histogram-csp', 'CSP', 'dataUser'),
  experiment('audit-histogram-single-sum', 'data user', 'csp', { singleSum: true }),
  experiment(
    'audit-histogram-drawn-anew',
    'data user',
    'csp',
    { answers: ANSWERS },
    { claims: ['S-661', 'S-662'], terms: { answers: ANSWERS } },
  ),
];
