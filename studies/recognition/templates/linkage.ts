/** The study of whether templates of one person at two services are found to belong together, and what a translation of frames takes from that. */
import { setImmediate } from 'node:timers/promises';
import { only } from '../../instrument/figure.ts';
import { defineStudy } from '../../instrument/study.ts';
import type { Tidy } from '../../instrument/tidy.ts';
import { COLUMNS, columnsOf, interval, ofBothSets, SHARE } from '../figures.ts';
import { type Attacked, attackedIn, type OfTemplates, planTemplates } from './attacked.ts';
import { KNOWN, type LinkageSetting, link, MEANS, services, translationGain } from './linking.ts';

interface Case extends OfTemplates {
  readonly part: 'links' | 'translation';
}

const WITHOUT_FRAME = MEANS.at(-1)!;

async function* linksIn({ scene, kind }: Attacked): AsyncGenerator<Tidy> {
  const settings: readonly LinkageSetting[] = [
    { kind, other: 'the same', frames: 'orthogonal' },
    { kind, other: 'of other people', frames: 'orthogonal' },
    { kind, other: 'of the other method', frames: 'orthogonal' },
    { kind, other: 'the same', frames: 'translated' },
    { kind, other: 'the same', frames: 'none' },
  ];
  for (const [i, setting] of settings.entries()) {
    const sides = services(scene, setting);
    const tried = setting.frames === 'none' ? [WITHOUT_FRAME] : [...MEANS, ...(i === 0 ? KNOWN : [])];
    for (const means of tried) {
      const { rankOne, auc, chance, verdicts } = link(scene, setting, means, sides);
      yield {
        ...{ frames: setting.frames, other: setting.other, means: means.name },
        ...{ ...columnsOf('rankOne', rankOne), chance, rankOneVerdict: verdicts.rankOne },
        ...{ ...columnsOf('auc', auc), aucVerdict: verdicts.auc },
      };
    }
    await setImmediate(); // so that an interruption is heard
  }
}

const orthogonal = (means: string) => ({ part: 'links', frames: 'orthogonal', other: 'the same', means });

export const linkage = defineStudy<Case>({
  id: 'recognition/linkage',
  plan: async (asked) => {
    const { cases, omissions = [] } = await planTemplates(asked, 'linkage', () => ({}));
    return {
      cases: cases.flatMap((of) => (['links', 'translation'] as const).map((part) => ({ ...of, part }))),
      omissions,
    };
  },
  titleOf: ({ dataset, part }) => `${dataset}, ${part}`,
  expectedSeconds: ({ components }) => 2 * components,
  async *measure(chosen, bench) {
    const attacked = await attackedIn(chosen, bench);
    if (chosen.part === 'links') yield* linksIn(attacked);
    else
      for (const means of MEANS) {
        const { auc } = translationGain(attacked.scene, attacked.kind, means);
        yield { means: means.name, ...columnsOf('gain', auc) };
      }
  },
  columns: {
    ...COLUMNS,
    components: { title: 'k' },
    frames: { values: { translated: 'with a translation', none: 'none (control)' } },
    other: { title: 'other projection' },
    means: { title: 'what is compared' },
  },
  tables: {
    links: {
      where: { part: 'links' },
      caption: 'Which templates belong together',
      rows: ['dataset', 'components', 'frames', 'other', 'means'],
      cells: {
        'rank one, %': interval('rankOne', SHARE),
        chance: only('chance', SHARE),
        'rank one': only('rankOneVerdict'),
        'AUC, %': interval('auc', SHARE),
        AUC: only('aucVerdict'),
      },
    },
    translation: {
      where: { part: 'translation' },
      caption: 'AUC without a translation less AUC with one',
      rows: ['dataset', 'means'],
      cells: { points: interval('gain', SHARE) },
    },
  },
  facts: ofBothSets({
    spectrum: { where: orthogonal('spectrum of the spread'), figure: only('auc', SHARE) },
    all: { where: orthogonal('all except the number of windows'), figure: only('rankOne', SHARE) },
    framed: { where: orthogonal(WITHOUT_FRAME.name), figure: only('auc', SHARE) },
    unframed: {
      where: { part: 'links', frames: 'none', means: WITHOUT_FRAME.name },
      figure: only('rankOne', SHARE),
    },
    known: { where: orthogonal('k known windows, with the template'), figure: only('rankOne', SHARE) },
    alone: { where: orthogonal('k known windows, without it'), figure: only('rankOne', SHARE) },
    translated: {
      where: { part: 'links', frames: 'translated', means: 'spectrum of the spread' },
      figure: only('auc', SHARE),
    },
    number: { where: orthogonal('number of windows'), figure: only('auc', SHARE) },
  }),
  holds: {
    framesDoNotUnlink: (fact) => fact('walkSpectrum') > 0.6 && fact('keysSpectrum') > 0.6,
    seldomFirst: (fact) => fact('walkAll') < 0.25 && fact('keysAll') < 0.25,
    meanAloneFinds: (fact) => fact('walkUnframed') > 0.5 && fact('keysUnframed') > 0.5,
    windowsTakeFramesOff: (fact) =>
      ['walk', 'keys'].every(
        (set) =>
          fact(`${set}Known`) >= fact(`${set}Unframed`) &&
          Math.abs(fact(`${set}Known`) - fact(`${set}Alone`)) < 0.05,
      ),
    spreadStays: (fact) => fact('walkTranslated') > 0.6 && fact('keysTranslated') > 0.6,
    numberTells: (fact) => fact('walkNumber') > 0.8,
  },
  words: new URL('linkage.md', import.meta.url),
});
