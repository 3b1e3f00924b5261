/** The study of whether an old template is of use after its frame was renewed, by itself and together with the new one. */
import { setImmediate } from 'node:timers/promises';
import type { ScoreKind } from '@eigenveil/authentication';
import { least, most, only } from '../../instrument/figure.ts';
import { defineStudy } from '../../instrument/study.ts';
import { COLUMNS, columnsOf, interval, SHARE } from '../figures.ts';
import { attackedIn, type OfTemplates, planTemplates } from './attacked.ts';
import { alignBoth, renew } from './renewing.ts';

interface Case extends OfTemplates {
  readonly scores: string;
}

const SCORES = { full: ['euclidean', 'mahalanobis', 'cosine'], quick: ['euclidean'] };
const FRAMES = [
  ['orthogonal', false],
  ['translated', true],
] as const;

export const renewal = defineStudy<Case>({
  id: 'recognition/renewal',
  plan: (asked) => planTemplates(asked, 'renewal', (_, scale) => ({ scores: SCORES[scale].join(' ') })),
  titleOf: ({ dataset }) => dataset,
  expectedSeconds: ({ scores }) => 10 * scores.split(' ').length,
  async *measure(chosen, bench) {
    const { scene, kind } = await attackedIn(chosen, bench);
    for (const score of chosen.scores.split(' ') as ScoreKind[])
      for (const [frames, translated] of FRAMES) {
        bench.note(`${score}, ${frames}`);
        const { before, after, verdict } = renew(scene, { kind, score, translated });
        yield { score, frames, ...columnsOf('before', before), ...columnsOf('after', after), verdict };
        await setImmediate(); // so that an interruption is heard
      }
    for (const [frames, translated] of FRAMES) {
      const { windows, verdict } = alignBoth(scene, kind, translated);
      yield { frames, ...columnsOf('windows', windows), verdict };
    }
  },
  columns: {
    ...COLUMNS,
    components: { title: 'k' },
    frames: { values: { translated: 'with a translation' } },
  },
  tables: {
    renewed: {
      where: ({ after }) => after !== undefined,
      caption: 'Equal error rate in percent',
      rows: ['dataset', 'score', 'frames'],
      cells: { before: interval('before', SHARE), after: interval('after', SHARE), verdict: only('verdict') },
    },
    both: {
      where: ({ windows }) => windows !== undefined,
      caption: 'Old and new template together',
      rows: ['dataset', 'components', 'frames'],
      cells: { 'of windows, %': interval('windows', SHARE), verdict: only('verdict') },
    },
  },
  facts: {
    beforeMost: { figure: most('before', SHARE) },
    afterLeast: { figure: least('after', SHARE) },
    afterMost: { figure: most('after', SHARE) },
    bothMost: { figure: most('windows', SHARE) },
  },
  holds: {
    oldIsUseless: (fact) => fact('afterLeast') > 0.43 && fact('beforeMost') < 0.3,
    bothBringLittle: (fact) => fact('bothMost') < 0.1,
  },
  words: new URL('renewal.md', import.meta.url),
});
