/** The choice of settings by validation: the least mean of both equal error rates, of single rows and of five together, over the trials of choice. */
import { setImmediate } from 'node:timers/promises';
import { mean } from '@eigenveil/testbed/goodness/mean';
import { equalErrorRates } from '@eigenveil/testbed/recognition/error-rates';
import type { People } from '../people.ts';
import { normalised } from './comparisons.ts';
import { distancesOf, learn, trialsOfChoice } from './protocol.ts';
import { type Grid, type Method, normalisationsOf, type Setting, spacesOf } from './settings.ts';

export interface Chosen {
  readonly setting: Setting;
  /** Mean over trials, in [0, 1]. */
  readonly perSample: number;
  readonly overFive: number;
}

/** All settings of a method that the grid has, the best first; the first of equal ones wins. */
export async function rank(
  people: People,
  method: Method,
  grid: Grid,
  note: (text: string) => void = () => undefined,
): Promise<Chosen[]> {
  const trials = trialsOfChoice(people);
  const spaces = spacesOf(method, people.features.length, grid);
  const ranked: Chosen[] = [];
  for (const [i, space] of spaces.entries()) {
    note(`choosing by validation: ${method}, ${i} of ${spaces.length}`);
    await setImmediate(); // so that an interruption is heard
    const distances = trials.map((trial) => distancesOf(learn(space, trial.learn), trial.learn, trial.probe));
    for (const normalisation of normalisationsOf(space, grid)) {
      const rates = distances.map((each) => equalErrorRates(normalised(each, normalisation)));
      ranked.push({
        setting: { ...space, ...normalisation },
        perSample: mean(rates.map(({ perSample }) => perSample)),
        overFive: mean(rates.map(({ overFive }) => overFive)),
      });
    }
  }
  return ranked.sort((a, b) => a.perSample + a.overFive - b.perSample - b.overFive);
}
