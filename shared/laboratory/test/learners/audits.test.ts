/** What attacks prove of every learner stays below its claim, and what they prove of its broken twin does not. */
import { predictableRandomness } from '@eigenveil/privacy/insides';
import { provenEpsilon } from '@eigenveil/testbed/goodness/audit';
import { describe, expect, it } from 'vitest';
import { AUDITED_EPSILON, LEARNER_AUDITS } from '../../src/learners/audits.ts';

const HONEST = LEARNER_AUDITS.filter(({ honest }) => honest !== undefined);

describe.each([
  { few: true, tags: [] as string[] },
  { few: false, tags: ['long'] },
])('attacks, few runs: $few', ({ few, tags }) => {
  const runsOf = (runs: number) => (few ? Math.min(runs, 2500) : runs);

  it.each(HONEST)('$name keeps its claim', { tags }, ({ name, honest, dpDelta, runs }) => {
    const proven = provenEpsilon({
      ...honest!(predictableRandomness(`audit ${name}`)),
      runs: runsOf(runs),
      dpDelta,
    });
    expect(proven).toBeLessThanOrEqual(AUDITED_EPSILON);
    if (!few) expect(proven).toBeGreaterThan(0);
  });

  it.each(LEARNER_AUDITS)('$name: $twin, is caught', { tags }, ({ name, broken, dpDelta, runs }) => {
    const proven = provenEpsilon({
      ...broken(predictableRandomness(`broken ${name}`)),
      runs: runsOf(runs),
      dpDelta,
    });
    expect(proven).toBeGreaterThan(AUDITED_EPSILON);
  });
});
