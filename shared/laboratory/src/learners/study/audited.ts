/** What attacks prove from below of every learner, and of its broken twin. */
import type { Measurement, Suite, Unit } from '@eigenveil/bench/unit';
import { predictableRandomness } from '@eigenveil/privacy/insides';
import { provenEpsilon } from '@eigenveil/testbed/goodness/audit';
import { LEARNER_AUDITS, type LearnerAudit } from '../audits.ts';

const NAME = 'audits';
export const findAudit = (measurements: readonly Measurement[], { name }: LearnerAudit) =>
  measurements.find(({ id }) => id === `${NAME}/${name}`);

export function auditsSuite(reporting: Pick<Suite, 'highlights' | 'report'>): Suite {
  return {
    name: NAME,
    description: 'attacks on every learner and on a broken twin of it',
    plan: async (scale) => ({
      units: LEARNER_AUDITS.map((audit) => unitOf(audit, scale === 'quick' ? 1 / 4 : 1)),
      omissions: [],
    }),
    ...reporting,
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
