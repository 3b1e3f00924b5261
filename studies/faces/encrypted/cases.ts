/** What the parts of the report of the suite `encrypted` share: cases, which arms are compared, and curves. */

import type { Block, Line } from '../../instrument/report/document.ts';
import type { Measurement } from '../../instrument/unit.ts';
import { momentsOf } from '../../speed/accuracy/scores.ts';
import {
  ARMS,
  type ArmName,
  DCA_DIMENSIONS,
  ENCRYPTED_SETS,
  type Measured,
  PCA_DIMENSIONS,
  RAISED_SIGNAL_RIDGE,
  SIDES,
  seriesOf,
} from './suite.ts';

/** What is compared at each point: the second against the first. */
export interface Compared {
  readonly title: string;
  readonly reference: ArmName;
  readonly arm: ArmName;
  readonly dimensions: readonly number[];
}

export const COMPARED: readonly Compared[] = [
  {
    title: 'services beside the clear sketch, PCA',
    reference: 'pca sketch',
    arm: 'pca services',
    dimensions: PCA_DIMENSIONS,
  },
  {
    title: 'services beside the clear chain of a sketch, DCA',
    reference: 'dca sketch',
    arm: 'dca services',
    dimensions: DCA_DIMENSIONS,
  },
  {
    title: `services beside the clear chain of a sketch, DCA with ρ′ = ${RAISED_SIGNAL_RIDGE}`,
    reference: 'dca raised sketch',
    arm: 'dca raised services',
    dimensions: DCA_DIMENSIONS,
  },
  { title: 'sketch beside exact PCA', reference: 'pca exact', arm: 'pca sketch', dimensions: PCA_DIMENSIONS },
  {
    title: 'DCA on a sketch beside DCA on exact PCA',
    reference: 'dca exact',
    arm: 'dca sketch',
    dimensions: DCA_DIMENSIONS,
  },
  {
    title: 'DCA on exact PCA beside DCA on pixels',
    reference: 'dca pixels',
    arm: 'dca exact',
    dimensions: DCA_DIMENSIONS,
  },
  {
    title: `DCA on a sketch with ρ′ = ${RAISED_SIGNAL_RIDGE} beside the study’s ρ′`,
    reference: 'dca sketch',
    arm: 'dca raised sketch',
    dimensions: DCA_DIMENSIONS,
  },
];

/** A set at one size, and what was measured of it. */
export interface Case {
  readonly set: string;
  readonly side: number;
  readonly own: readonly Measurement[];
}

export const titleOf = ({ set, side }: Case): string => `${set}, ${side} × ${side}`;

/** Those of which something was measured. */
export function casesOf(measurements: readonly Measurement[]): Case[] {
  return ENCRYPTED_SETS.flatMap((set) =>
    SIDES.map((side) => ({
      set,
      side,
      own: measurements.filter(({ parameters }) => parameters.set === set && parameters.side === side),
    })),
  ).filter(({ own }) => own.length > 0);
}

export const METHODS = ['pca', 'dca'] as const;
type Method = (typeof METHODS)[number];

export const armsOf = (method: Method): ArmName[] =>
  (Object.keys(ARMS) as ArmName[]).filter((name) => name.startsWith(method));

export const samplesAt = ({ own }: Case, arm: ArmName, k: number, what: Measured): readonly number[] =>
  own.flatMap(({ series }) => series[seriesOf(arm, k, what)]?.samples ?? []);

/** Numbers of components at which any arm has it. */
export const measuredAt = (of: Case, method: Method, what: Measured): number[] =>
  (method === 'pca' ? PCA_DIMENSIONS : DCA_DIMENSIONS).filter((k) =>
    armsOf(method).some((arm) => samplesAt(of, arm, k, what).length > 0),
  );

/** Of all comparisons, in order. */
export const DIMENSIONS = [...new Set([...PCA_DIMENSIONS, ...DCA_DIMENSIONS])].sort((a, b) => a - b);

export function curves(
  of: Case,
  method: Method,
  what: Measured,
  { name, quantity }: { readonly name: string; readonly quantity: string },
): Block {
  return {
    kind: 'chart',
    name: `${name}-${method}-${of.set}-${of.side}`,
    caption: `${titleOf(of)}, ${method.toUpperCase()}: ${quantity} over components; whiskers are a standard deviation to either side`,
    drawing: {
      kind: 'lines',
      x: { title: 'components', scale: 'category' },
      y: { title: quantity, scale: 'linear' },
      lines: armsOf(method)
        .map(
          (arm): Line => ({
            name: ARMS[arm],
            style: 'solid',
            points: measuredAt(of, method, what).flatMap((k) => {
              const moments = momentsOf(samplesAt(of, arm, k, what));
              if (moments === undefined) return [];
              const { mean, deviation = 0 } = moments;
              return [{ x: k, y: mean, low: mean - deviation, high: mean + deviation }];
            }),
          }),
        )
        .filter(({ points }) => points.length > 0),
    },
  };
}
