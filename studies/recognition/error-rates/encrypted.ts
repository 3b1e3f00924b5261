/** The projection of the headline once more by the real protocol: each person encrypts, both servers compute by `rotated` in two processes over TLS. */

import { principalAngles } from '@eigenveil/projection';
import { equalErrorRates } from '@eigenveil/testbed/recognition/error-rates';
import { type Figure, most, only, samplesOf, where } from '../../instrument/figure.ts';
import { defineStudy } from '../../instrument/study.ts';
import type { Tidy } from '../../instrument/tidy.ts';
import { encryptAndUnblind } from '../../speed/accuracy/encrypted.ts';
import { decomposeBetweenProcesses } from '../../speed/processes.ts';
import { COLUMNS, overWindows, ratesIn } from '../figures.ts';
import { rangesOf } from '../people.ts';
import { headlineArm } from '../scoring/arms.ts';
import { normalised } from '../scoring/comparisons.ts';
import { distancesOf, type Final, learn, learntBy } from '../scoring/protocol.ts';
import type { Setting } from '../scoring/settings.ts';
import { projected, projectionOf } from '../scoring/spaces.ts';
import { preparationBy, statisticsOf, taskOf } from '../scoring/task.ts';
import { chosenFor, type OfPeople, planFor } from './chosen.ts';

/**
 * Error rates by both projections; the largest angle between the spaces that they span, in radians; the largest difference of one score, encrypted less clear,
 * over all test rows and templates; and seconds of the two-party computation, with its public wait.
 */
async function encryptedRecords(
  setting: Setting,
  final: Final,
  note: (text: string) => void,
): Promise<Tidy[]> {
  const rows = final.learn.flatMap((person) => person.rows);
  const task = taskOf(setting, final.learn, rangesOf(rows, setting.logUnit));
  note('people encrypt, the servers add and unblind');
  const shares = await encryptAndUnblind(task, statisticsOf(task, final.learn, setting.logUnit));
  note('two-party computation');
  const { decomposition, seconds, waitSeconds } = await decomposeBetweenProcesses(task, shares);
  const { vectors, mean } = decomposition;
  if (mean === undefined) throw new Error('the projection lacks the mean that its task declares');

  const prepare = preparationBy(task, setting.logUnit);
  const people = final.learn.map((person) => person.rows.map(prepare));
  const space = projected({ vectors, mean }, setting.score, people);
  const encrypted = normalised(distancesOf(learntBy(space, prepare), final.learn, final.test), setting);
  const clear = normalised(distancesOf(learn(setting, final.learn), final.learn, final.test), setting);
  const differences = encrypted.map(({ scores }, i) =>
    Math.max(...scores.map((score, row) => Math.abs(score - clear[i]!.scores[row]!))),
  );
  return [
    ...ratesIn(equalErrorRates(encrypted)).map((rates) => ({ computed: 'encrypted', ...rates })),
    ...ratesIn(equalErrorRates(clear)).map((rates) => ({ computed: 'clear', ...rates })),
    {
      largestAngle: Math.max(...principalAngles(vectors, projectionOf(setting, people).vectors)),
      largestDifference: Math.max(...differences),
      seconds,
      waitSeconds,
    },
  ];
}

const exponential =
  (column: string, unit: string): Figure =>
  (records) => {
    const [value] = samplesOf(records, column);
    return value === undefined ? only(column)(records) : { value, text: `${value.toExponential(1)}${unit}` };
  };

export const encrypted = defineStudy<OfPeople>({
  id: 'recognition/encrypted',
  plan: (asked) =>
    asked.scale === 'full'
      ? planFor(asked, 'encrypted', () => [{}])
      : { cases: [], omissions: [{ what: 'encrypted', why: 'left to the full run' }] },
  titleOf: ({ dataset }) => dataset,
  expectedSeconds: () => 60,
  async measure(chosen, bench) {
    const { final, setting } = await chosenFor(chosen, bench);
    return encryptedRecords(setting(headlineArm('frames')), final, bench.note);
  },
  columns: COLUMNS,
  tables: {
    encrypted: {
      caption: 'DCA encrypted and clear: EER in percent of single rows / over five',
      rows: ['dataset'],
      cells: {
        encrypted: where({ computed: 'encrypted' }, overWindows()),
        clear: where({ computed: 'clear' }, overWindows()),
        'largest angle': exponential('largestAngle', ' rad'),
        'largest difference of a score': exponential('largestDifference', ''),
        'seconds of two-party computation': only('seconds', { digits: 1 }),
        'of them waiting': only('waitSeconds', { digits: 1 }),
      },
    },
  },
  facts: {
    largestAngle: { figure: most('largestAngle') },
  },
  holds: { roundingAlone: (fact) => fact('largestAngle') < 1e-6 },
  words: new URL('encrypted.md', import.meta.url),
});
