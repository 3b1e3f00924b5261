/** What all parts of the report read figures with, and what goals, data sets and kinds of scores are called. */
import { MISSING } from '../../../instrument/quantities.ts';
import type { Measurement } from '../../../instrument/unit.ts';
import { ARMS, type Family } from '../arms.ts';
import { type Facts, numberOf } from '../facts.ts';
import { GRIDS } from '../settings.ts';

/** Pooled EER in percent of users whom the projection was learnt from. */
export const GOALS: Readonly<Record<string, { perSample: number; overFive: number; components: number }>> = {
  meu_keystroke: { perSample: 5.5, overFive: 2.5, components: 20 },
  wisdm_walk_user: { perSample: 9.5, overFive: 9, components: 12 },
};
export const TITLES: Readonly<Record<string, string>> = {
  meu_keystroke: 'MEU keystrokes (56 users, 71 features)',
  wisdm_walk_user: 'WISDM walking (36 users, 39 features)',
};
export const FAMILIES: readonly { readonly family: Family; readonly title: string }[] = [
  { family: 'frames', title: 'a frame for each user: what a service can compute' },
  { family: 'insiders', title: 'one frame for all users, cohort scores, impostors who are users' },
  { family: 'outsiders', title: 'one frame for all users, cohort scores, impostors who are not users' },
];

/** All facts of a data set, whatever part of the study they are from. */
export type Find = (dataset: string) => Facts;

export const finder =
  (measurements: readonly Measurement[]): Find =>
  (dataset) =>
    Object.assign({}, ...of(measurements, dataset).map(({ facts }) => facts));

const of = (measurements: readonly Measurement[], dataset: string) =>
  measurements.filter(({ parameters }) => parameters.dataset === dataset);

export const sets = (measurements: readonly Measurement[]): string[] =>
  Object.keys(GRIDS).filter((dataset) => of(measurements, dataset).length > 0);

export const rate = (value: number | undefined): string => (value === undefined ? MISSING : value.toFixed(1));
export const signed = (value: number | undefined): string =>
  value === undefined ? MISSING : `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(1)}`;

export const withInterval = (facts: Facts, name: string, show = rate): string => {
  const [value, low, high] = ['', '/low', '/high'].map((end) => numberOf(facts, `${name}${end}`));
  return low === undefined ? show(value) : `${show(value)} [${show(low)}, ${show(high)}]`;
};

/** Of single rows / over five. */
export const pair = (facts: Facts, name: string): string =>
  `${rate(numberOf(facts, `${name}/perSample`))} / ${rate(numberOf(facts, `${name}/overFive`))}`;

export const titleOf = (name: string): string => {
  const { title, family } = ARMS.find((arm) => arm.name === name)!;
  return family === 'frames' ? title : `${title}, ${family}`;
};

/** Mean of the facts that are called so, and then by a number. */
export function meanOfSplits(facts: Facts, prefix: string): number | undefined {
  const values = Object.entries(facts).flatMap(([name, value]) =>
    name.startsWith(`${prefix}/`) && typeof value === 'number' ? [value] : [],
  );
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
}
