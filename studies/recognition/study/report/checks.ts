/** What should change nothing, or little: gaps, frames, encryption; and what does, noise. */
import { MISSING } from '../../../instrument/quantities.ts';
import type { Section } from '../../../instrument/report/document.ts';
import { left, right, text } from '../../../privacy/report/cells.ts';
import { headlineArm } from '../arms.ts';
import { type Facts, numberOf } from '../facts.ts';
import { DP_DELTA } from '../noise.ts';
import { type Find, pair, titleOf } from './figures.ts';

export function checksSection(datasets: readonly string[], find: Find): Section {
  return {
    title: 'Gaps, frames and encryption',
    blocks: [
      {
        kind: 'table',
        caption:
          'EER in percent of single rows / over five: with a tenth of each user’s rows left out between the parts, and without',
        columns: [left('data'), left('arm'), right('without gaps'), right('with gaps')],
        rows: datasets.flatMap((dataset) =>
          ['manhattan', headlineArm('frames')].map((arm) => {
            const facts = find(dataset);
            return [dataset, titleOf(arm), pair(facts, `all/${arm}`), pair(facts, `gap/${arm}`)];
          }),
        ),
      },
      text(
        'Through frames: impostors with the victim’s frame have the headline figures to the last digit, since scores are the same in every frame. Impostors with a frame of their own may be told by the frame as well. That figure is never the headline: it measures who has a key and calls that behaviour (the fallacy of BioHashing). An attacker who took over a device has its frame.',
      ),
      {
        kind: 'table',
        caption: 'DCA through frames: EER in percent of single rows / over five',
        columns: [left('data'), right('with the victim’s frame'), right('with a frame of their own')],
        rows: datasets.map((dataset) => {
          const facts = find(dataset);
          return [dataset, pair(facts, 'frame/victim'), pair(facts, 'frame/own')];
        }),
      },
      text(
        'Encrypted: each user is an owner of one class and encrypts discretised sums under Paillier; both servers compute DCA by `rotated` in two processes over TLS. Clear: the same from rows in double precision. They differ by rounding.',
      ),
      {
        kind: 'table',
        caption: 'DCA encrypted and clear: EER in percent of single rows / over five',
        columns: [
          left('data'),
          right('encrypted'),
          right('clear'),
          right('largest angle'),
          right('largest difference of a score'),
        ],
        rows: datasets.map((dataset) => {
          const facts = find(dataset);
          const [angle, difference] = ['encrypted/largestAngle', 'encrypted/largestDifference'].map((name) =>
            numberOf(facts, name),
          );
          return [
            dataset,
            pair(facts, 'encrypted'),
            pair(facts, 'clear'),
            angle === undefined ? MISSING : `${angle.toExponential(1)} rad`,
            difference === undefined ? MISSING : difference.toExponential(1),
          ];
        }),
      },
    ],
  };
}

export function noiseSection(datasets: readonly string[], find: Find): Section {
  const epsilonsOf = (facts: Facts) =>
    Object.keys(facts).flatMap((name) => /^noise\/dca\/(.+)\/perSample$/.exec(name)?.slice(1) ?? []);
  return {
    title: 'Under differential privacy',
    blocks: [
      text(
        `Noise of both servers for δ = ${DP_DELTA}, ranges from what features are, rows clipped to √(d/3). **Rows are protected, not users**: a user with twenty rows has no promise worth the name, and templates have none at all. With so few rows nothing of the data is left in the projection near ε = 1: it tells people apart as random directions of rows prepared so do. That is better than chance (50 %), because templates and windows carry no noise. ε = ∞ shows what public ranges and clipping cost alone. A refusal, where noise leaves nothing that can be decomposed, counts as an EER of 50 %. Settings were chosen on the same rows, which is not paid for.`,
      ),
      {
        kind: 'table',
        caption:
          'EER in percent of single rows / over five, means over draws of noise, with a frame for each user',
        columns: [left('data'), left('method'), left('ε'), right('EER'), right('refused')],
        rows: datasets.flatMap((dataset) => {
          const facts = find(dataset);
          return ['pca', 'dca'].flatMap((method) =>
            epsilonsOf(facts).map((epsilon) => {
              const at = `noise/${method}/${epsilon}`;
              return [
                dataset,
                method.toUpperCase(),
                epsilon === 'Infinity' ? '∞' : epsilon,
                pair(facts, at),
                `${facts[`${at}/refused`] ?? MISSING}`,
              ];
            }),
          );
        }),
      },
    ],
  };
}
