/** What an SVM makes of rows that each method reduced: over ε, over sites and over components. */

import type { Section, Table } from '../../instrument/report/document.ts';
import type { Measurement } from '../../instrument/unit.ts';
import {
  AXIS_EPSILON,
  CLASSIFICATION_SITES,
  CLASSIFIED,
  classifiedComponents,
  findClassification,
} from '../classification.ts';
import { RANGES } from '../data.ts';
import { scoreSeries } from '../held-out.ts';
import { meanOf, pairedDifference } from '../inference.ts';
import type { PcaMethod } from '../methods/index.ts';
import { RELEASED } from '../statements.ts';
import { componentsOf, EPSILONS, SITES } from '../utility.ts';
import { inPoints, left, measuredSets, right, scoresText, text } from './cells.ts';

const shownOf = (dataset: string) => ({
  dataset,
  sites: CLASSIFICATION_SITES,
  components: classifiedComponents(RANGES[dataset]!.ranges.length),
});

export function classificationReport(measurements: readonly Measurement[]): Section[] {
  if (measurements.length === 0) return [];
  const datasets = measuredSets(measurements);
  return [
    {
      title: 'An SVM on reduced rows',
      blocks: [
        text(
          `Seven tenths of the rows, on ${CLASSIFICATION_SITES} sites that grow in size, give the components; an SVM (RBF kernel, C and γ fixed beforehand) learns on at most 560 of them, reduced, and is scored on at most 240 of the others. Cells are weighted F1, mean ± standard deviation over splits, and accuracy after the stroke, in percent. A run in which a method gave up scores 0, as it does in captured energy. **No guarantee covers the reduced rows that the SVM learns on**: these figures judge projections. What it costs to cover rows is in the next section.`,
        ),
        differences(measurements, datasets),
        ...datasets.map((dataset): Table => {
          const shown = shownOf(dataset);
          const units = EPSILONS.map((epsilon) => findClassification(measurements, { ...shown, epsilon }));
          return {
            kind: 'table',
            caption: `${dataset}: weighted F1 and accuracy in percent, ${shown.components} components`,
            columns: [left('method'), ...EPSILONS.map((epsilon) => right(`ε = ${epsilon}`))],
            rows: CLASSIFIED.map(({ name, title }) => [
              title,
              ...units.map((unit) => scoresText(unit, name)),
            ]),
          };
        }),
        axis(measurements, datasets, {
          caption: 'over the number of sites',
          methods: CLASSIFIED.filter(({ dependsOnSites }) => dependsOnSites),
          values: SITES,
          title: (sites) => `${sites} sites`,
          at: (sites) => ({ sites }),
        }),
        axis(measurements, datasets, {
          caption: 'over the number of components',
          methods: CLASSIFIED,
          values: componentsOf(Number.POSITIVE_INFINITY),
          title: (components) => `k = ${components}`,
          at: (components) => ({ components }),
        }),
      ],
    },
  ];
}

/** Data sets are the samples; splits of a data set are paired. */
function differences(measurements: readonly Measurement[], datasets: readonly string[]): Table {
  const accuracy = (dataset: string, epsilon: number, name: string) =>
    findClassification(measurements, { ...shownOf(dataset), epsilon })?.series[scoreSeries(name, 'accuracy')]
      ?.samples ?? [];
  return {
    kind: 'table',
    caption:
      'Accuracy with Eigenveil less that with another method, in points: mean over data sets with its 95 % interval, not corrected',
    columns: [left('of'), left('against'), ...EPSILONS.map((epsilon) => right(`ε = ${epsilon}`))],
    rows: CLASSIFIED.filter(({ name }) => RELEASED.includes(name)).flatMap((subject) =>
      CLASSIFIED.filter(({ name }) => !RELEASED.includes(name)).map(({ name, title }) => [
        subject.title,
        title,
        ...EPSILONS.map((epsilon) => {
          const means = datasets.flatMap((dataset) => {
            const [own, others] = [subject.name, name].map((of) => accuracy(dataset, epsilon, of));
            return own!.length === others!.length ? (pairedDifference(own!, others!)?.mean ?? []) : [];
          });
          const difference = meanOf(means);
          return difference === undefined ? '' : inPoints(difference);
        }),
      ]),
    ),
  };
}

interface Axis {
  readonly caption: string;
  readonly methods: readonly PcaMethod[];
  readonly values: readonly number[];
  readonly title: (value: number) => string;
  readonly at: (value: number) => { readonly sites?: number; readonly components?: number };
}

/** Rows without any figure are left out. */
function axis(
  measurements: readonly Measurement[],
  datasets: readonly string[],
  { caption, methods, values, title, at }: Axis,
): Table {
  const unitOf = (dataset: string, value: number) =>
    findClassification(measurements, { ...shownOf(dataset), epsilon: AXIS_EPSILON, ...at(value) });
  return {
    kind: 'table',
    caption: `Weighted F1 and accuracy in percent at ε = ${AXIS_EPSILON}, ${caption}`,
    columns: [left('data set'), left('method'), ...values.map((value) => right(title(value)))],
    rows: datasets.flatMap((dataset) =>
      methods
        .filter(
          ({ name }) =>
            values.filter((value) => unitOf(dataset, value)?.series[scoreSeries(name, 'F1')]).length > 1,
        )
        .map((method) => [
          dataset,
          method.title,
          ...values.map((value) => scoresText(unitOf(dataset, value), method.name)),
        ]),
    ),
  };
}
