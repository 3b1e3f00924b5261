/** What the parts of the laboratory's report share: cells, columns, and what of the measurements they show. */

import { MISSING } from '../../instrument/quantities.ts';
import type { Block, Column } from '../../instrument/report/document.ts';
import type { Measurement } from '../../instrument/unit.ts';
import { momentsOf } from '../../speed/accuracy/scores.ts';
import { RANGES } from '../data.ts';
import { scoreSeries } from '../held-out.ts';
import { type Difference, intervalOf } from '../inference.ts';
import type { PcaMethod } from '../methods/index.ts';
import { type Dealing, dealingTitle, findUtility, POOLED } from '../utility.ts';

/** Of charts, and of what is stated. */
export const SHOWN_COMPONENTS = 2;
/** Of growing size. Tables have the equal ones, too. */
export const SHOWN_SITES = 10;
/** Of tables over sites and over components. */
export const SHOWN_EPSILON = 1;

export const left = (title: string): Column => ({ title, align: 'left' });
export const right = (title: string): Column => ({ title, align: 'right' });
export const text = (content: string): Block => ({ kind: 'text', text: content });
export const meanAndSpread = (samples: readonly number[] | undefined): string => {
  const moments = momentsOf(samples ?? []);
  if (moments === undefined) return MISSING;
  const { mean, deviation } = moments;
  return deviation === undefined ? mean.toFixed(1) : `${mean.toFixed(1)} ± ${deviation.toFixed(1)}`;
};

/** Weighted F1 with its spread, and accuracy. */
export const scoresText = (unit: Measurement | undefined, name: string): string => {
  const accuracy = momentsOf(unit?.series[scoreSeries(name, 'accuracy')]?.samples ?? []);
  if (accuracy === undefined) return MISSING;
  return `${meanAndSpread(unit?.series[scoreSeries(name, 'F1')]?.samples)} / ${accuracy.mean.toFixed(1)}`;
};

const signed = (value: number): string => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(1)}`;
/** A difference with its interval. */
export const inPoints = (difference: Difference): string => {
  const [low, high] = intervalOf(difference);
  return `${signed(difference.mean)} [${signed(low)}, ${signed(high)}]`;
};

/** Names a dealing after what was said at it, where there is one. */
export const at = (dealing: Dealing): string => (dealing === POOLED ? '' : ` at ${dealingTitle(dealing)}`);

/** Where a method is measured: with all rows pooled, or dealt so. */
export function unitWith(
  measurements: readonly Measurement[],
  { dependsOnSites }: PcaMethod,
  dataset: string,
  epsilon: number,
  dealing: Dealing = SHOWN_SITES,
): Measurement | undefined {
  return findUtility(measurements, dataset, dependsOnSites ? dealing : POOLED, epsilon);
}

export const measuredSets = (measurements: readonly Measurement[]): string[] =>
  Object.keys(RANGES).filter((dataset) =>
    measurements.some(({ parameters }) => parameters.dataset === dataset),
  );
