/** What attacks prove of every learner stays below its claim, and what they prove of its broken twin does not. */

import { provenEpsilon } from '@eigenveil/testbed/goodness/audit';
import { SAMPLES } from '@eigenveil/testbed/goodness/samples';
import { predictableRandomness } from '@eigenveil/testbed/random';
import { describe, expect, it } from 'vitest';
import { AUDITED_EPSILON, LEARNER_AUDITS } from '../../learners/audits.ts';

/** The dearest ones: the algorithm of a thesis, which has no honest form, and splits, each of which is a choice among many. */
const DEAR = ['DBSCAN of the thesis', 'classification forest, splits'];
const SOME = LEARNER_AUDITS.filter(({ name }) => !DEAR.includes(name));
const HONEST = LEARNER_AUDITS.filter(({ honest }) => honest !== undefined);

/** With fewer runs than these a twin that breaks its claim by little is not caught. */
const FEWEST = 1600;

/** Seeds are fixed, so a right learner fails never or always. */
for (const { title, tags, whole, of } of SAMPLES)
  describe(`attacks, ${title}`, { tags }, () => {
    it.each(whole ? HONEST : SOME)('$name keeps its claim', ({ name, honest, dpDelta, runs }) => {
      const proven = provenEpsilon({
        ...honest!(predictableRandomness(`audit ${name}`)),
        runs: of(runs),
        dpDelta,
      });
      expect(proven).toBeLessThanOrEqual(AUDITED_EPSILON);
      if (whole) expect(proven).toBeGreaterThan(0);
    });

    it.each(whole ? LEARNER_AUDITS : SOME)('$name: $twin, is caught', ({ name, broken, dpDelta, runs }) => {
      const proven = provenEpsilon({
        ...broken(predictableRandomness(`broken ${name}`)),
        runs: of(runs, FEWEST),
        dpDelta,
      });
      expect(proven).toBeGreaterThan(AUDITED_EPSILON);
    });
  });
