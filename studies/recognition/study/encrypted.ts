/** The projection of the headline once more by the real protocol: each person encrypts, both servers compute by `rotated` in two processes over TLS. */

import { principalAngles } from '@eigenveil/projection';
import { equalErrorRates } from '@eigenveil/testbed/recognition/error-rates';
import { encryptAndUnblind } from '../../speed/accuracy/encrypted.ts';
import { decomposeBetweenProcesses } from '../../speed/processes.ts';
import { rangesOf } from '../people.ts';
import { normalised } from './comparisons.ts';
import { distancesOf, type Final, learn, learntBy } from './protocol.ts';
import type { Setting } from './settings.ts';
import { projected, projectionOf } from './spaces.ts';
import { preparationBy, statisticsOf, taskOf } from './task.ts';

interface Rates {
  readonly perSample: number;
  readonly overFive: number;
}

export interface EncryptedFigures {
  readonly encrypted: Rates;
  readonly clear: Rates;
  /** In radians, between the spaces that both projections span. */
  readonly largestAngle: number;
  /** Of one score, encrypted less clear, over all test rows and templates. */
  readonly largestDifference: number;
  /** Of the two-party computation, with its public wait. */
  readonly seconds: number;
  readonly waitSeconds: number;
}

export async function encryptedFigures(
  setting: Setting,
  final: Final,
  note: (text: string) => void,
): Promise<EncryptedFigures> {
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
  return {
    encrypted: equalErrorRates(encrypted),
    clear: equalErrorRates(clear),
    largestAngle: Math.max(...principalAngles(vectors, projectionOf(setting, people).vectors)),
    largestDifference: Math.max(...differences),
    seconds,
    waitSeconds,
  };
}
