/** What attacks prove from below of every learner, or of other mechanisms, and of their broken twins. */

import { provenEpsilon } from '@eigenveil/testbed/goodness/audit';
import { predictableRandomness } from '@eigenveil/testbed/random';
import type { Measurement, Suite, Unit } from '../../instrument/unit.ts';
import type { LearnerAudit } from '../audits.ts';

const NAME = 'audits';
export const findAudit = (measurements: readonly Measurement[], { name }: LearnerAudit) =>
  measurements.find(({ id }) => id === `${NAME}/${name}`);

export function auditsSuite(
  audits: readonly LearnerAudit[],
  {
    quickShare,
    ...of
  }: Pick<Suite, 'description' | 'highlights' | 'report'> & {
    /** Of the runs, in a quick run. */
    readonly quickShare: number;
  },
): Suite {
  return {
    name: NAME,
    plan: async (scale) => ({
      units: audits.map((audit) => unitOf(audit, scale === 'quick' ? quickShare : 1)),
      omissions: [],
    }),
    ...of,
  };
}

function unitOf(audit: LearnerAudit, share: number): Unit {
  const { name, twin, dpDelta } = audit;
  // Few runs are the slow ones.
  const runs = audit.runs < 1000 ? audit.runs : Math.round(audit.runs * share);
  return {
    id: `${NAME}/${name}`,
    title: `audit, ${name}`,
    parameters: { name, twin, dpDelta, runs },
    expectedSeconds: 2,
    measure: async () => {
      const proven = (events: NonNullable<LearnerAudit['honest']>, seed: string) =>
        provenEpsilon({ ...events(predictableRandomness(`${seed} ${name}`)), runs, dpDelta });
      return {
        series: {},
        facts: {
          ...(audit.honest && { honest: proven(audit.honest, 'audit') }),
          broken: Math.min(proven(audit.broken, 'broken'), 1e9),
        },
      };
    },
  };
}
