/** The attack on the shared seed. */

import { MISSING } from '../../instrument/quantities.ts';
import type { Section } from '../../instrument/report/document.ts';
import type { Measurement } from '../../instrument/unit.ts';
import { momentsOf } from '../../speed/accuracy/scores.ts';
import { ATTACK_EPSILON, ATTACK_SERIES, ATTACK_SITES } from '../attack.ts';
import { left, right, text } from './cells.ts';

const extreme = (
  measurements: readonly Measurement[],
  key: keyof typeof ATTACK_SERIES,
  of: (...values: number[]) => number,
): number => of(...measurements.flatMap(({ series }) => series[key]?.samples ?? []));

export function attackHighlights(measurements: readonly Measurement[]): string[] {
  if (measurements.length === 0) return [];
  return [
    `In ELFedPCA a site that subtracts the noise of the shared seed has every other site’s covariance to ${extreme(measurements, 'recovered', Math.max).toExponential(0)} % or better. In Eigenveil a server that subtracts its own noise is left with an error of ${extreme(measurements, 'attempted', Math.min).toPrecision(2)} % or more.`,
  ];
}

export function attackReport(measurements: readonly Measurement[]): Section[] {
  if (measurements.length === 0) return [];
  const keys = Object.keys(ATTACK_SERIES) as (keyof typeof ATTACK_SERIES)[];
  return [
    {
      title: 'Who knows the seed knows the rest',
      blocks: [
        text(
          `In ELFedPCA all sites draw the same noise E from a seed that they share, and each adds E/s. A site that sees the messages, as the server does, draws E again and subtracts it: what is left of the noise on the others’ covariances is a rounding error, at most ${extreme(measurements, 'recovered', Math.max).toExponential(0)} %. Without the seed the difference of two messages is free of noise already: at most ${extreme(measurements, 'difference', Math.max).toExponential(0)} %. In Eigenveil each server adds noise of its own. One that subtracts it still faces the other’s: an error of at least ${extreme(measurements, 'attempted', Math.min).toPrecision(2)} %, with which (ε, δ) is kept.`,
        ),
        {
          kind: 'table',
          caption: `Error of what an attacker has, root mean square over entries relative to the truth in percent; ${ATTACK_SITES} sites, ε = ${ATTACK_EPSILON}, mean over seeds`,
          columns: [left('data set'), ...keys.map((key) => right(ATTACK_SERIES[key]))],
          rows: measurements.map(({ parameters, series }) => [
            `${parameters.dataset}`,
            ...keys.map((key) => {
              const mean = momentsOf(series[key]?.samples ?? [])?.mean;
              return mean === undefined ? MISSING : mean >= 0.1 ? mean.toFixed(1) : mean.toExponential(1);
            }),
          ]),
        },
      ],
    },
  ];
}
