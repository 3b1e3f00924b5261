/** How long rows may be: captured energy over the clipping norm. */

import { MISSING } from '../../instrument/quantities.ts';
import type { Section, Table } from '../../instrument/report/document.ts';
import type { Measurement } from '../../instrument/unit.ts';
import { momentsOf } from '../../speed/accuracy/scores.ts';
import {
  ALL_METHODS_EPSILON,
  CLIPPING_COMPONENTS,
  CLIPPING_EPSILONS,
  CLIPPING_NORMS,
  clippedMethods,
  clippingSeries,
  findClipping,
} from '../clipping.ts';
import { DRAFTED_NORM } from '../utility.ts';
import { left, measuredSets, right, text } from './cells.ts';

const meanAt = (unit: Measurement | undefined, method: string, clippingNorm: number): number | undefined =>
  momentsOf(unit?.series[clippingSeries(method, clippingNorm)]?.samples ?? [])?.mean;

function headingOf(clippingNorm: number): string {
  if (clippingNorm === DRAFTED_NORM) return 'C = 1/√3';
  return clippingNorm === Infinity ? 'never' : `C = ${clippingNorm}`;
}

const NORM_COLUMNS = CLIPPING_NORMS.map((clippingNorm) => right(headingOf(clippingNorm)));

function rowOf(unit: Measurement | undefined, method: string): string[] {
  return CLIPPING_NORMS.map((clippingNorm) => meanAt(unit, method, clippingNorm)?.toFixed(1) ?? MISSING);
}

/** Eigenveil at every ε, and every method at one. */
function tablesOf(measurements: readonly Measurement[], dataset: string): Table[] {
  const units = CLIPPING_EPSILONS.map((epsilon) => ({
    epsilon,
    unit: findClipping(measurements, dataset, epsilon),
  })).filter(({ unit }) => unit !== undefined);
  const ofOne = findClipping(measurements, dataset, ALL_METHODS_EPSILON);
  return [
    {
      kind: 'table',
      caption: `${dataset}: captured energy of ${CLIPPING_COMPONENTS} components in percent, Eigenveil`,
      columns: [left('method'), right('ε'), ...NORM_COLUMNS],
      rows: units.flatMap(({ epsilon, unit }) =>
        clippedMethods(epsilon)
          .filter(({ name }) => name.startsWith('eigenveil'))
          .map(({ name, title }) => [title, `${epsilon}`, ...rowOf(unit, name)]),
      ),
    },
    {
      kind: 'table',
      caption: `${dataset}: the same of every method that keeps its budget, ε = ${ALL_METHODS_EPSILON}`,
      columns: [left('method'), ...NORM_COLUMNS],
      rows:
        ofOne === undefined
          ? []
          : clippedMethods(ALL_METHODS_EPSILON).map(({ name, title }) => [title, ...rowOf(ofOne, name)]),
    },
  ];
}

export function clippingReport(measurements: readonly Measurement[]): Section[] {
  if (measurements.length === 0) return [];
  return [
    {
      title: 'How long rows may be',
      blocks: [
        text(
          'Rows on [−1, 1]^d are divided by √d, so that none is longer than 1. Longer ones than C are scaled down to it, and noise is made for rows of that length; C = 0 scales all rows to one length. Energy is measured on the rows as they are. Methods that centre by an exact mean do so before they clip; Eigenveil around a private mean clips to C/2 then, at most 1. Drafts take C = 1/√3, whatever the number of features. All of a line has the same noise but for its size. Methods that depend on sites have ten that grow in size.',
        ),
        ...measuredSets(measurements).flatMap((dataset) => tablesOf(measurements, dataset)),
      ],
    },
  ];
}
