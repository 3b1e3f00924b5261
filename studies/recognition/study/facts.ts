/** Figures of the study as facts of a measurement: flat names with slashes, rates in percent. What a name says is in `FACTS`, which the report prints. */
import type { Interval } from './resampling.ts';

export type Facts = Record<string, number | string>;

/** The shape of report.json beyond that of every benchmark's. */
export const FACTS: readonly (readonly [pattern: string, meaning: string])[] = [
  ['<arm>/setting', 'what validation chose'],
  ['<arm>/chosen/perSample, /overFive', 'EER in validation, mean of its trials'],
  ['<arm>/perSample, /overFive, /overTen', 'pooled EER of the test rows, and of means of 5 and 10 in a row'],
  ['…/low, …/high', 'ends of the 95 % interval, people resampled'],
  [
    '<arm>/perSample/lessRaw, /overFive/lessRaw',
    'that EER less that of the better raw arm, with low and high of the paired interval',
  ],
  ['<arm>/perUser', 'mean of the EER of each user, single rows'],
  ['<arm>/before', 'EER of single rows of the 20 % before the test'],
  ['<arm>/fmr, /fnmr, /fmrOverFive, /fnmrOverFive', 'at the threshold from the 20 % before'],
  ['<arm>/det/<FMR>', 'FNMR of single rows where FMR is at most this'],
  [
    'k/<method>/<family>/<k>/perSample, /overFive',
    'test EER by number of components, all else chosen by validation for that number',
  ],
  [
    'gap/<arm>/…, all/<arm>/…',
    'EER with a tenth of each person’s rows left out between the parts, and without',
  ],
  [
    'frame/victim/…, frame/own/…',
    'EER of DCA through frames: of impostors with the victim’s and with their own',
  ],
  ['lock/<engine>/…', 'shares of sessions, and median windows; a missing median was not reached'],
  ['unseen/…, seen/…', 'EER of people who joined later, and of the same had they been there; by split'],
  [
    'noise/<method>/<ε>/…',
    'EER under differential privacy, means over draws, and how many draws left nothing to decompose',
  ],
  [
    'shuffled/<arm>/…',
    'a control: EER where each person’s rows are in random order before they are split; by order',
  ],
  [
    'learning/<rule>/…',
    'EER, FMR and FNMR of templates that learn; FMR had they learnt from users alone; shares of windows learnt from, and of impostors who taught anything',
  ],
  [
    'encrypted/…, clear/…',
    'EER of DCA by the protocol and in double precision; largest angle in radians, largest difference of a score, and seconds of the two-party run with its public wait',
  ],
];

/** Percent, with four decimals. */
export const percent = (share: number): number => Number((100 * share).toFixed(4));

export function putInterval(facts: Facts, name: string, { low, high }: Interval): void {
  facts[`${name}/low`] = percent(low);
  facts[`${name}/high`] = percent(high);
}

export function numberOf(facts: Facts, name: string): number | undefined {
  const value = facts[name];
  return typeof value === 'number' ? value : undefined;
}
