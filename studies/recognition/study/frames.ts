/**
 * Frames in the evaluation. An impostor who has the victim's frame scores as if there were none: scores are the same in every frame. That is the headline.
 *
 * An impostor with a frame of their own may be told by the frame as well, whatever the features are worth: such figures say how hard it is to come by a key, not how
 * well behaviour recognises anybody (Kong and others, "An analysis of BioHashing and its variants", 2006).
 */
import { Frame } from '@eigenveil/authentication';
import { predictableRandomness } from '@eigenveil/privacy/insides';
import type { Comparison } from '@eigenveil/testbed/recognition/error-rates';
import { compareAll, normalised } from './comparisons.ts';
import { type Final, learn } from './protocol.ts';
import type { Setting } from './settings.ts';

/** Whose frame impostors apply to their windows. */
export type Impostors = 'with the victim’s frame' | 'with their own frame';

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
