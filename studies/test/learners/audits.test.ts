/** Attacks prove less than its claim of every learner and release, and more of its broken twin. */

import { provenEpsilon } from '@eigenveil/testbed/goodness/audit';
import { SAMPLES } from '@eigenveil/testbed/goodness/samples';
import { predictableRandomness } from '@eigenveil/testbed/random';
import { describe, expect, it } from 'vitest';
import { AUDITED_EPSILON, LEARNER_AUDITS, type LearnerAudit } from '../../learners/audits.ts';
import { RELEASE_AUDITS } from '../../ranges/audits.ts';

/** The dearest ones: many points with noise in each distance, and splits, each of which is a choice among many. */
const DEAR = ['DBSCAN of the thesis, with recursion', 'classification forest, splits'];
/** With fewer runs than these a twin that breaks its claim by little is not caught. */
const FEWEST = 1600;
const REPLACED = 10_000;

/** Every audit, and the least that an honest attack with all its runs proves: one that proves next to nothing would catch no twin either. */
const ALL: readonly (LearnerAudit & { readonly least: number; readonly fewest: number })[] = [
  ...LEARNER_AUDITS.map((audit) => ({ ...audit, least: 0, fewest: FEWEST })),
  ...RELEASE_AUDITS.map((audit) => ({
    ...{ ...audit, least: 0.3 },
    fewest: audit.name === 'Privelet, a row in place of another' ? REPLACED : FEWEST,
  })),
];

/** Seeds are fixed, so a right learner fails never or always. */
for (const { title, tags, whole, of } of SAMPLES)
  describe(`attacks, ${title}`, { tags }, () => {
    const some = ALL.filter(({ name }) => whole || !DEAR.includes(name));

    it.each(some.filter(({ honest }) => honest !== undefined))('$name keeps its claim', (audit) => {
      const { name, honest, runs, dpDelta, least } = audit;
      const events = honest!(predictableRandomness(`audit ${name}`));
      const proven = provenEpsilon({ ...events, runs: of(runs), dpDelta });
      expect(proven).toBeLessThanOrEqual(AUDITED_EPSILON);
      if (whole) expect(proven).toBeGreaterThan(least);
    });

    it.each(some)('$name: $twin, is caught', ({ name, broken, runs, dpDelta, fewest }) => {
      const events = broken(predictableRandomness(`broken ${name}`));
      const proven = provenEpsilon({ ...events, runs: of(runs, fewest), dpDelta });
      expect(proven).toBeGreaterThan(AUDITED_EPSILON);
    });
  });
