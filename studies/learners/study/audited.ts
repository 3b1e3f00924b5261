/** The study of attacks: what they prove from below of every learner, or of other mechanisms, and of their broken twins. */

import { provenEpsilon } from '@eigenveil/testbed/goodness/audit';
import { predictableRandomness } from '@eigenveil/testbed/random';
import { count, least, most, only } from '../../instrument/figure.ts';
import { defineStudy, type Fact } from '../../instrument/study.ts';
import type { Tidy } from '../../instrument/tidy.ts';
import { AUDITED_EPSILON, type LearnerAudit } from '../audits.ts';

/** The most that is proven, where one of two neighbours alone shows an event. */
const MOST_PROVEN = 1e9;

/** The study of some attacks. */
export function auditsStudy(
  audits: readonly LearnerAudit[],
  {
    of,
    quickShare,
    facts = {},
    ...named
  }: {
    readonly id: string;
    readonly words: URL;
    /** The attacked thing, in a word. */
    readonly of: string;
    /** The share of the runs that a quick run takes. */
    readonly quickShare: number;
    readonly facts?: Readonly<Record<string, Fact>>;
  },
) {
  return defineStudy({
    ...named,
    plan: (asked) => {
      const share = asked.scale === 'full' ? 1 : quickShare;
      const cases = audits.map(({ name, twin, dpDelta, runs }) => ({
        ...{ name, twin, dpDelta },
        // Few runs are the slow ones.
        runs: runs < 1000 ? runs : Math.round(runs * share),
      }));
      return { cases };
    },
    titleOf: ({ name }) => name,
    expectedSeconds: () => 2,
    async *measure({ name, dpDelta, runs }): AsyncGenerator<Tidy> {
      const { honest, broken } = audits.find((audit) => audit.name === name)!;
      const proven = (events: NonNullable<LearnerAudit['honest']>, seed: string) =>
        provenEpsilon({ ...events(predictableRandomness(`${seed} ${name}`)), runs, dpDelta });
      yield {
        ...(honest && { proven: proven(honest, 'audit') }),
        provenOfTwin: Math.min(proven(broken, 'broken'), MOST_PROVEN),
      };
    },
    columns: { name: { title: of }, twin: { title: 'broken twin' } },
    tables: {
      proven: {
        caption: 'ε that is proven to be exceeded',
        rows: ['name', 'runs', 'twin'],
        cells: { [of]: only('proven', { digits: 2 }), twin: only('provenOfTwin', { digits: 2 }) },
      },
    },
    facts: {
      claims: { where: ({ proven }) => proven !== undefined, figure: count },
      refuted: { where: ({ proven }) => Number(proven) > AUDITED_EPSILON, figure: count },
      twins: { figure: count },
      caught: { where: ({ provenOfTwin }) => Number(provenOfTwin) > AUDITED_EPSILON, figure: count },
      leastOfTwins: { figure: least('provenOfTwin', { digits: 2 }) },
      mostOfTwins: { figure: most('provenOfTwin', { digits: 2 }) },
      ...facts,
    },
    holds: {
      keepsItsClaims: (fact) => fact('refuted') === 0,
      twinsAreCaught: (fact) => fact('caught') === fact('twins'),
    },
  });
}
