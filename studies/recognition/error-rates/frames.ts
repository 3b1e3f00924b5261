/**
 * Frames in the evaluation. An impostor who has the victim's frame scores as if there were none: scores are the same in every frame. That is the headline.
 *
 * An impostor with a frame of their own may be told by the frame as well, whatever the features are worth: such figures say how hard it is to come by a key, not how
 * well behaviour recognises anybody (Kong and others, "An analysis of BioHashing and its variants", 2006).
 */

import { Frame } from '@eigenveil/authentication';
import { predictableRandomness } from '@eigenveil/testbed/random';
import { type Comparison, equalErrorRates } from '@eigenveil/testbed/recognition/error-rates';
import { defineStudy } from '../../instrument/study.ts';
import { COLUMNS, overWindows, ratesIn } from '../figures.ts';
import { headlineArm } from '../scoring/arms.ts';
import { compareAll, normalised } from '../scoring/comparisons.ts';
import { type Final, learn } from '../scoring/protocol.ts';
import type { Setting } from '../scoring/settings.ts';
import { chosenFor, type OfPeople, planFor } from './chosen.ts';

/** The frames that impostors apply to their windows. */
const IMPOSTORS = ['with the victim’s frame', 'with their own frame'] as const;
type Impostors = (typeof IMPOSTORS)[number];

export function framedScores(setting: Setting, final: Final, impostors: Impostors): Comparison[] {
  const { space, windows } = learn(setting, final.learn);
  const [enrolments, probes] = [windows(final.learn), windows(final.test)];
  const dimensions = probes[0]!.windows[0]!.length;
  const frames = new Map(
    enrolments.map(({ name }) => [
      name,
      Frame.fromSeed(predictableRandomness(`frame of ${name}`)(32), dimensions),
    ]),
  );
  const distances = compareAll(space, enrolments, probes, (window, source, target) =>
    frames.get(impostors === 'with their own frame' ? source : target)!.apply(window),
  );
  return normalised(distances, setting);
}

export const frames = defineStudy<OfPeople>({
  id: 'recognition/frames',
  plan: (asked) => planFor(asked, 'frames', () => [{}]),
  titleOf: ({ dataset }) => dataset,
  expectedSeconds: () => 2,
  async measure(chosen, bench) {
    const { final, setting } = await chosenFor(chosen, bench);
    return IMPOSTORS.flatMap((impostors) =>
      ratesIn(equalErrorRates(framedScores(setting(headlineArm('frames')), final, impostors))).map(
        (rates) => ({ impostors, ...rates }),
      ),
    );
  },
  columns: COLUMNS,
  tables: {
    frames: {
      caption: 'DCA through frames: EER in percent of single rows / over five',
      rows: ['dataset'],
      across: { column: 'impostors', cell: overWindows() },
    },
  },
  words: new URL('frames.md', import.meta.url),
});
