/** Cells and columns that reports share. */

import { MISSING } from '../../instrument/quantities.ts';
import type { Block, Column } from '../../instrument/report/document.ts';
import { momentsOf } from '../../speed/accuracy/scores.ts';
import { type Difference, intervalOf } from '../inference.ts';

export const left = (title: string): Column => ({ title, align: 'left' });
export const right = (title: string): Column => ({ title, align: 'right' });
export const text = (content: string): Block => ({ kind: 'text', text: content });
export const meanAndSpread = (samples: readonly number[] | undefined): string => {
  const moments = momentsOf(samples ?? []);
  if (moments === undefined) return MISSING;
  const { mean, deviation } = moments;
  return deviation === undefined ? mean.toFixed(1) : `${mean.toFixed(1)} ± ${deviation.toFixed(1)}`;
};

const signed = (value: number): string => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(1)}`;
/** A difference with its interval. */
export const inPoints = (difference: Difference): string => {
  const [low, high] = intervalOf(difference);
  return `${signed(difference.mean)} [${signed(low)}, ${signed(high)}]`;
};
