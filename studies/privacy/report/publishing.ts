/** Reduced rows: why no guarantee covers them, and what is left of them once one does. */

import type { Section, Table } from '../../instrument/report/document.ts';
import type { Measurement } from '../../instrument/unit.ts';
import { scoreSeries } from '../held-out.ts';
import { type Difference, meanOf, pairedDifference, verdictsOf } from '../inference.ts';
import { findPublishing, WAYS } from '../publishing.ts';
import { DP_DELTA, EPSILONS } from '../utility.ts';
import { inPoints, left, measuredSets, right, scoresText, text } from './cells.ts';

export function publishingHighlights(measurements: readonly Measurement[]): string[] {
  if (measurements.length === 0) return [];
  const ways = beyondMajority(measurements, measuredSets(measurements)).map(
    ({ title, sets, of }) =>
      `${title}, on ${sets.join(', ')} of ${of} data sets at ε = ${EPSILONS.join(', ')}`,
  );
  return [
    `**No guarantee of any projection covers reduced rows that are published.** Where something covers them, an SVM that learns on them is ahead of always naming the most frequent class: ${ways.join('; ')}.`,
  ];
}

export function publishingReport(measurements: readonly Measurement[]): Section[] {
  if (measurements.length === 0) return [];
  const datasets = measuredSets(measurements);
  return [
    {
      title: 'Publishing reduced rows',
      blocks: [
        text(
          '**Warning.** To publish reduced rows Y = XV is what these methods are made for, and no guarantee in this report covers it. (ε, δ) holds for V. Y is computed from the rows themselves, without noise: whoever has Y and V has every row but for what lies across V, and can find a row that is known in part.',
        ),
        text(
          `Two ways that are covered, for rows of which one may be replaced with its class; ε and δ = ${DP_DELTA} are those of all that is published, projection and rows together. With Eigenveil’s projection half of both goes into it; random directions look at no row and leave all to the rows. **Noisy rows**: every row takes Gaussian noise for rows in a ball, its class goes through randomised response, half of what is left for each; nobody is trusted. **Synthetic rows**: nobody’s row is published; classes’ sums and second moments in the reduced space take the noise of an LDA task from both servers, and rows are drawn from Gaussians with these means and one covariance. An SVM learns on what is published and is scored on true rows that were held out. Nothing was tuned on these rows.`,
        ),
        overMajority(measurements, datasets),
        ...datasets.map((dataset): Table => {
          const units = EPSILONS.map((epsilon) => findPublishing(measurements, dataset, epsilon));
          return {
            kind: 'table',
            caption: `${dataset}: weighted F1, mean ± standard deviation over splits, and accuracy in percent, ${units.find((it) => it !== undefined)?.parameters.components} components`,
            columns: [
              left('published'),
              left('covered by'),
              ...EPSILONS.map((epsilon) => right(`ε = ${epsilon}`)),
            ],
            rows: WAYS.map(({ name, title, promise }) => [
              title,
              promise,
              ...units.map((unit) => scoresText(unit, name)),
            ]),
          };
        }),
      ],
    },
  ];
}

const PRIVATE = WAYS.filter(({ promise }) => promise.startsWith('(ε'));

/** In points of weighted F1, over splits. */
function lead(
  measurements: readonly Measurement[],
  dataset: string,
  epsilon: number,
  name: string,
): Difference | undefined {
  const unit = findPublishing(measurements, dataset, epsilon);
  const [own, majority] = [name, 'majority'].map(
    (way) => unit?.series[scoreSeries(way, 'F1')]?.samples ?? [],
  );
  return pairedDifference(own!, majority!);
}

/** All cases of a way are one family. */
function beyondMajority(measurements: readonly Measurement[], datasets: readonly string[]) {
  return PRIVATE.map(({ name, title }) => {
    const cases = datasets.flatMap((dataset) =>
      EPSILONS.flatMap((epsilon) => {
        const difference = lead(measurements, dataset, epsilon, name);
        return difference === undefined ? [] : [{ epsilon, difference }];
      }),
    );
    const verdicts = verdictsOf(cases.map(({ difference }) => [difference]));
    const ahead = cases.filter((_, i) => verdicts[i] === 'ahead');
    return {
      title,
      of: datasets.length,
      sets: EPSILONS.map((epsilon) => ahead.filter((it) => it.epsilon === epsilon).length),
    };
  });
}

function overMajority(measurements: readonly Measurement[], datasets: readonly string[]): Table {
  const sets = beyondMajority(measurements, datasets);
  return {
    kind: 'table',
    caption: `Weighted F1 less that of the most frequent class, in points: mean over data sets with its 95 % interval; and on how many of ${datasets.length} data sets it is ahead, with Holm’s correction`,
    columns: [left('published'), ...EPSILONS.map((epsilon) => right(`ε = ${epsilon}`))],
    rows: PRIVATE.map(({ name, title }, way) => [
      title,
      ...EPSILONS.map((epsilon, i) => {
        const difference = meanOf(
          datasets.flatMap((dataset) => lead(measurements, dataset, epsilon, name)?.mean ?? []),
        );
        return difference === undefined ? '' : `${inPoints(difference)}; ${sets[way]!.sets[i]}`;
      }),
    ]),
  };
}
