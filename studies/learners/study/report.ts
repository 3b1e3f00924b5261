/** The report of the study of learners: sections of each suite, and the few figures to take away. */

import type { Block, Line, Section, Table } from '../../instrument/report/document.ts';
import type { Measurement } from '../../instrument/unit.ts';
import { RANGES } from '../../privacy/data.ts';
import { LEVEL, MARGIN, VERDICTS } from '../../privacy/inference.ts';
import { inPoints, left, meanAndSpread, right, text } from '../../privacy/report/cells.ts';
import { momentsOf } from '../../speed/accuracy/scores.ts';
import { AUDITED_EPSILON, LEARNER_AUDITS, type LearnerAudit } from '../audits.ts';
import { ACCURACY_EPSILONS, CLASSIFIED, findAccuracy, forestSeries } from './accuracy.ts';
import { findAudit } from './audited.ts';
import { clusterSeries, findClusters, WAYS } from './clusters.ts';
import { ARMS, featureSeries, findFeatures, LEARNERS } from './features.ts';
import {
  AGGREGATED,
  ANSWERS,
  aggregated,
  findRegression,
  PARTS,
  privateForest,
  REGRESSED,
  SHOWN_PARTS,
} from './regression.ts';
import { STUDY_EPSILONS } from './settings.ts';
import { decidedOf } from './statements.ts';

type Measured = readonly Measurement[];

const meanIn = (unit: Measurement | undefined, series: string): number | undefined =>
  momentsOf(unit?.series[series]?.samples ?? [])?.mean;
const shown = (unit: Measurement | undefined, series: string): string =>
  meanAndSpread(unit?.series[series]?.samples);
const epsilonColumns = (epsilons: readonly number[]) => epsilons.map((epsilon) => right(`ε = ${epsilon}`));

export function accuracyHighlights(measurements: Measured): string[] {
  return CLASSIFIED.flatMap((source) => {
    const unit = findAccuracy(measurements, source);
    const [private100, plain, time] = [forestSeries(100), forestSeries(Infinity), 'time at 100'].map((name) =>
      meanIn(unit, name),
    );
    if (private100 === undefined || plain === undefined || time === undefined) return [];
    return [
      `Private forest, ${source}: ${private100.toFixed(1)} % at ε = 100, learnt in ${(time / 1000).toFixed(2)} s; without noise ${plain.toFixed(1)} %; always naming the most frequent class ${meanIn(unit, 'majority')!.toFixed(1)} %.`,
    ];
  });
}

export function accuracyReport(measurements: Measured): Section[] {
  if (measurements.length === 0) return [];
  return [
    {
      title: 'Random forests for classes',
      blocks: [
        text(
          'Accuracy in percent, mean ± standard deviation over splits, three tenths of the rows held out. Eight trees on disjoint rows; half of ε goes to splits, half to the counts of leaves. The plain algorithm is the same code at ε = Infinity. The library is ml-random-forest with 10 trees, three splits, at most 250 rows learnt on and 200 answered, since it takes minutes for a thousand. `tip` and `total` nearly tell the label of a taxi ride.',
        ),
        {
          kind: 'table',
          caption: 'Accuracy over ε',
          columns: [
            left('data'),
            ...epsilonColumns(ACCURACY_EPSILONS),
            right('plain'),
            right('library'),
            right('most frequent class'),
            right('ms at ε = 100'),
          ],
          rows: CLASSIFIED.flatMap((source) => {
            const unit = findAccuracy(measurements, source);
            if (unit === undefined) return [];
            return [
              [
                source,
                ...[...ACCURACY_EPSILONS, Infinity].map((epsilon) => shown(unit, forestSeries(epsilon))),
                shown(unit, 'library'),
                shown(unit, 'majority'),
                shown(unit, 'time at 100'),
              ],
            ];
          }),
        },
      ],
    },
  ];
}

export function regressionReport(measurements: Measured): Section[] {
  if (measurements.length === 0) return [];
  const sources = REGRESSED.filter((source) => findRegression(measurements, source));
  return [
    {
      title: 'Learners of numbers',
      blocks: [
        text(
          `R², mean ± standard deviation over splits, and the decimal logarithm of the mean squared error behind the stroke, of ${ANSWERS} rows that were held out, at most 1,500 learnt on. Boston is without \`b\`; taxi fares are without \`tip\` and \`total\`. Sample and aggregate answers one question at a time, and **each answer costs**: “each” has ε for every answer, as the thesis does, ${ANSWERS} times the ε of its column in all; “all” has one ε for all answers together, and is what can be set beside the forest.`,
        ),
        ...sources.flatMap((source): Block[] => {
          const unit = findRegression(measurements, source)!;
          const cell = (name: string) => {
            const errors = unit.series[`${name} MSE`]?.samples;
            const R2 = unit.series[`${name} R2`]?.samples;
            if (errors === undefined || R2 === undefined) return '';
            const { mean, deviation } = momentsOf(R2)!;
            return `${mean.toFixed(2)} ± ${(deviation ?? 0).toFixed(2)} / ${Math.log10(momentsOf(errors)!.mean).toFixed(2)}`;
          };
          const ways = AGGREGATED.flatMap((learner) =>
            (['all', 'each'] as const).map((of) => ({ learner, of })),
          );
          return [
            {
              kind: 'table',
              caption: `${source}, over ε, ${SHOWN_PARTS} samples: R² / log₁₀ MSE`,
              columns: [left('learner'), ...epsilonColumns(STUDY_EPSILONS), right('no noise')],
              rows: [
                ['forest', ...[...STUDY_EPSILONS, Infinity].map((epsilon) => cell(privateForest(epsilon)))],
                ...ways.map(({ learner, of }) => [
                  `${learner}, sample and aggregate, ${of}`,
                  ...STUDY_EPSILONS.map((epsilon) => cell(aggregated(learner, SHOWN_PARTS, epsilon, of))),
                  cell(aggregated(learner, SHOWN_PARTS, Infinity, 'all')),
                ]),
                ...['plain forest', 'plain boosted', 'library', 'mean'].map((name) => [
                  name,
                  ...STUDY_EPSILONS.map(() => ''),
                  cell(name),
                ]),
              ],
            },
            {
              kind: 'table',
              caption: `${source}, over the number of samples, ε = 1: R² / log₁₀ MSE`,
              columns: [left('learner'), ...PARTS.map((parts) => right(`${parts} samples`))],
              rows: [
                ...ways.map(({ learner, of }) => [
                  `${learner}, ${of}`,
                  ...PARTS.map((parts) => cell(aggregated(learner, parts, 1, of))),
                ]),
                ...AGGREGATED.map((learner) => [
                  `${learner}, no noise`,
                  ...PARTS.map((parts) => cell(aggregated(learner, parts, Infinity, 'all'))),
                ]),
              ],
            },
          ];
        }),
      ],
    },
  ];
}

export function clustersReport(measurements: Measured): Section[] {
  const unit = findClusters(measurements);
  if (unit === undefined) return [];
  return [
    {
      title: 'Clusters by density',
      blocks: [
        text(
          'Adjusted Rand index against the species of iris, in percent: 100 for the same partition, 0 on average for a random one. Petals alone. Plain DBSCAN is density-clustering. **The thesis’s version keeps no ε** (see the attacks); the one on a grid does.',
        ),
        {
          kind: 'table',
          caption: 'Adjusted Rand index over ε',
          columns: [left('method'), ...epsilonColumns(STUDY_EPSILONS), right('no noise'), right('library')],
          rows: WAYS.map((way) => [
            way,
            ...[...STUDY_EPSILONS, Infinity].map((epsilon) => shown(unit, clusterSeries(way, epsilon))),
            shown(unit, 'library'),
          ]),
        },
      ],
    },
  ];
}

export function featuresHighlights(measurements: Measured): string[] {
  return decidedOf(measurements)
    .filter(({ of, against, cases }) => of.startsWith('private') && against === 'raw' && cases.length > 0)
    .map(({ learner, of, cases, means }) => {
      const counted = VERDICTS.map(
        (wanted) => `${wanted} in ${cases.filter(({ verdict }) => verdict === wanted).length}`,
      ).join(', ');
      const over = means
        .map(({ epsilon, difference, verdict }) => `ε = ${epsilon}: ${inPoints(difference)}, ${verdict}`)
        .join('; ');
      return `**${of} before a private ${learner}**, less raw features at the same ε in all, margin ${MARGIN} point of accuracy: ${counted} of ${cases.length} cases. Mean over data sets: ${over}.`;
    });
}

export function featuresReport(measurements: Measured): Section[] {
  if (measurements.length === 0) return [];
  const datasets = Object.keys(RANGES).filter((dataset) =>
    measurements.some(({ parameters }) => parameters.dataset === dataset),
  );
  const all = decidedOf(measurements);
  return [
    {
      title: 'Which features serve a private learner best',
      blocks: [
        text(
          `Raw features spend all of ε on the learner. A private projection takes half of ε, with the noise of both servers, and leaves half. **The exact projection is no option**: nothing covers what it tells of the rows; it shows what noise on the projection costs. Up to four components, of at most 1,000 rows learnt on. Accuracy in percent. A case is a data set at one ε; splits are its samples, paired. **ahead**: above 0; **not behind**: above −${MARGIN}; **behind**: below 0, and not shown to be above −${MARGIN}; **open**: these samples do not decide. Each at ${100 * (LEVEL / 2)} % in its direction, with Holm’s correction over the cases of a line.`,
        ),
        ...LEARNERS.map((learner): Block => picture(measurements, datasets, learner)),
        {
          kind: 'table',
          caption:
            'What the samples decide: numbers of cases, and the mean over data sets at each ε with its 95 % interval, not corrected, and its corrected verdict',
          columns: [
            left('learner'),
            left('of'),
            left('against'),
            ...VERDICTS.map(right),
            ...epsilonColumns(STUDY_EPSILONS),
          ],
          rows: all.map(({ learner, of, against, cases, means }) => [
            learner,
            of,
            against,
            ...VERDICTS.map((wanted) => `${cases.filter(({ verdict }) => verdict === wanted).length}`),
            ...STUDY_EPSILONS.map((epsilon) => {
              const mean = means.find((it) => it.epsilon === epsilon);
              return mean === undefined ? '' : `${inPoints(mean.difference)} ${mean.verdict}`;
            }),
          ]),
        },
        ...LEARNERS.map(
          (learner): Table => ({
            kind: 'table',
            caption: `${learner}: accuracy in percent, mean ± standard deviation over splits`,
            columns: [left('data set'), left('features'), ...epsilonColumns(STUDY_EPSILONS)],
            rows: datasets.flatMap((dataset) =>
              ARMS.map((arm) => [
                dataset,
                arm,
                ...STUDY_EPSILONS.map((epsilon) =>
                  shown(findFeatures(measurements, dataset, epsilon), featureSeries(learner, arm)),
                ),
              ]),
            ),
          }),
        ),
      ],
    },
  ];
}

/** The mean over data sets of each arm. */
function picture(
  measurements: Measured,
  datasets: readonly string[],
  learner: (typeof LEARNERS)[number],
): Block {
  const lines = ARMS.map(
    (arm): Line => ({
      name: arm,
      style: arm.startsWith('exact') ? 'dashed' : 'solid',
      points: STUDY_EPSILONS.flatMap((epsilon) => {
        const means = datasets.map((dataset) =>
          meanIn(findFeatures(measurements, dataset, epsilon), featureSeries(learner, arm)),
        );
        const known = means.filter((mean) => mean !== undefined);
        // A mean over other data sets would be another quantity.
        if (known.length < datasets.length) return [];
        return [{ x: epsilon, y: known.reduce((a, b) => a + b, 0) / known.length }];
      }),
    }),
  );
  return {
    kind: 'chart',
    name: `features-${learner.toLowerCase()}`,
    caption: `Accuracy of a private ${learner} over ε in all, mean over ${datasets.length} data sets`,
    drawing: {
      kind: 'lines',
      x: { title: 'ε in all', scale: 'log' },
      y: { title: 'accuracy, %', scale: 'linear' },
      lines: lines.filter(({ points }) => points.length > 0),
    },
  };
}

export function auditsHighlights(measurements: Measured): string[] {
  const found = LEARNER_AUDITS.flatMap((audit) => findAudit(measurements, audit) ?? []);
  if (found.length === 0) return [];
  const kept = found.filter(
    ({ facts }) => facts.honest !== undefined && Number(facts.honest) <= AUDITED_EPSILON,
  );
  const refuted = found.filter(
    ({ facts }) => facts.honest !== undefined && Number(facts.honest) > AUDITED_EPSILON,
  );
  const caught = found.filter(({ facts }) => Number(facts.broken) > AUDITED_EPSILON);
  return [
    `Attacks refute ${refuted.length} of ${kept.length + refuted.length} claims of ε = ${AUDITED_EPSILON}, and ${caught.length} of ${found.length} broken twins, DBSCAN as the thesis has it among them.`,
  ];
}

export function auditsReport(measurements: Measured): Section[] {
  if (measurements.length === 0) return [];
  return [
    {
      title: 'Attacks from below',
      blocks: [
        text(
          `Neighbours are told apart by one event; the ε that its rates prove to be exceeded, by the bounds of Clopper and Pearson, is wrong with probability 2e-4. Every claim is ε = ${AUDITED_EPSILON}. A figure below it proves nothing of the learner but that this attack does not refute it.`,
        ),
        auditsTable('learner', LEARNER_AUDITS, measurements),
      ],
    },
  ];
}

/** What attacks prove of each, and of its broken twin. */
export function auditsTable(what: string, audits: readonly LearnerAudit[], measurements: Measured): Table {
  return {
    kind: 'table',
    caption: 'ε that is proven to be exceeded',
    columns: [left(what), right('runs'), right(what), left('broken twin'), right('twin')],
    rows: audits.flatMap((audit) => {
      const unit = findAudit(measurements, audit);
      if (unit === undefined) return [];
      const proven = (fact: number | string | undefined) =>
        fact === undefined ? '' : Number(fact).toFixed(2);
      return [
        [
          audit.name,
          `${unit.parameters.runs}`,
          proven(unit.facts.honest),
          audit.twin,
          proven(unit.facts.broken),
        ],
      ];
    }),
  };
}
