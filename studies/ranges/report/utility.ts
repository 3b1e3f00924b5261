/** Sections of the report: what private ranges are worth at one ε in all. */

import { MISSING } from '../../instrument/quantities.ts';
import type { Block, Line, Section } from '../../instrument/report/document.ts';
import type { Measurement } from '../../instrument/unit.ts';
import { STUDY_EPSILONS } from '../../learners/study/settings.ts';
import { RANGES } from '../../privacy/data.ts';
import { LEVEL, MARGIN, VERDICTS } from '../../privacy/inference.ts';
import { inPoints, left, meanAndSpread, right, text } from '../../privacy/report/cells.ts';
import { momentsOf } from '../../speed/accuracy/scores.ts';
import { ASKED, WIDENED } from '../private-ranges.ts';
import { decidedOf, JUDGED_SHARE } from '../statements.ts';
import {
  ARM_NAMES,
  armName,
  findRanges,
  GIVEN,
  KINDS,
  type Kind,
  MOST_FOR_DCA,
  PRIVATE_ARMS,
  RANDOM,
  refusedFact,
  SCORES,
  type Score,
  seriesOf,
  UTILITY_DELTA,
} from '../utility.ts';

type Measured = readonly Measurement[];
const TITLES: Readonly<Record<Kind, string>> = { pca: 'PCA', dca: 'DCA' };
const WORDS: Readonly<Record<Score, string>> = {
  captured: 'captured variance, % of the best',
  F1: 'weighted F1, %',
};
const columnsOfEpsilon = STUDY_EPSILONS.map((epsilon) => right(`ε = ${epsilon}`));

const measuredSets = (measurements: Measured): string[] =>
  Object.keys(RANGES).filter((dataset) =>
    STUDY_EPSILONS.some((epsilon) => findRanges(measurements, dataset, epsilon) !== undefined),
  );

const setsText = (datasets: readonly string[]): string =>
  datasets.length === 1 ? 'one data set' : `${datasets.length} data sets`;
const samplesOf = (unit: Measurement | undefined, arm: string, kind: Kind, score: Score) =>
  unit?.series[seriesOf(arm, kind, score)]?.samples;

/** Over data sets; undefined unless all of them were measured, as a mean over others would be another quantity. */
function meanOver(
  measurements: Measured,
  datasets: readonly string[],
  of: { readonly arm: string; readonly kind: Kind; readonly score: Score; readonly epsilon: number },
): number | undefined {
  const means = datasets.map((dataset) => {
    const unit = findRanges(measurements, dataset, of.epsilon);
    return momentsOf(samplesOf(unit, of.arm, of.kind, of.score) ?? [])?.mean;
  });
  const known = means.filter((mean) => mean !== undefined);
  if (known.length < datasets.length || known.length === 0) return undefined;
  return known.reduce((a, b) => a + b, 0) / known.length;
}

export function rangesHighlights(measurements: Measured): string[] {
  const datasets = measuredSets(measurements);
  const judged = armName({ stages: 'one stage', share: JUDGED_SHARE });
  return [1, 10].flatMap((epsilon) => {
    const mean = (arm: string) =>
      meanOver(measurements, datasets, { arm, kind: 'pca', score: 'captured', epsilon });
    const [found, wide, exact] = [mean(judged), mean('wide guess'), mean('true')];
    if (found === undefined || wide === undefined || exact === undefined) return [];
    return [
      `PCA, ε = ${epsilon} in all, mean over ${setsText(datasets)}: private ranges (a quarter of ε) capture ${found.toFixed(1)} % of what the best components do, wide guesses ${wide.toFixed(1)} %, true ranges, which are no option, ${exact.toFixed(1)} %.`,
    ];
  });
}

export function rangesReport(measurements: Measured): Section[] {
  const datasets = measuredSets(measurements);
  if (datasets.length === 0) return [];
  return [
    {
      title: 'Private ranges before a projection, at one ε in all',
      blocks: [
        text(
          `ε and δ = ${UTILITY_DELTA} cover ranges and projection together; the ranges have a share of ε and half of δ. Their quantiles are ${ASKED.lower} and ${ASKED.upper}, or what the noise allows; a range is widened by ${100 * WIDENED} % at each end. One stage has 1,024 bins of the wide guess; two stages have 32 bins of it, then 32 between the ends that were found, with half of the share each. **Where the rows are too few for the noise, the share is spent for nothing and the wide guess stays**: the table of refusals says how often. A wide guess is a power of ten to either side, at least ten times the largest documented magnitude. A DCA task takes an ε of ${MOST_FOR_DCA} at most; what is above it stays unspent. True minima and maxima are **no option**: nothing covers what they tell. Random directions, in documented ranges, are what is left without any task. PCA has two components, or four of more than 20 features; DCA as many as there are classes less one, up to that. Captured variance is measured in the frame of the true ranges, for all alike; F1 is that of an SVM on reduced rows that were held out.`,
        ),
        refusals(measurements, datasets),
        ...KINDS.flatMap((kind) =>
          SCORES.flatMap((score) => [
            overview(measurements, datasets, kind, score),
            ...picture(measurements, datasets, kind, score),
          ]),
        ),
        verdicts(measurements),
      ],
    },
    {
      title: 'Private ranges, data set by data set',
      blocks: datasets.flatMap((dataset) =>
        KINDS.flatMap((kind) => SCORES.map((score) => detail(measurements, dataset, kind, score))),
      ),
    },
  ];
}

const refusals = (measurements: Measured, datasets: readonly string[]): Block => ({
  kind: 'table',
  caption: 'Splits in percent in which the noise left no range',
  columns: [left('data set'), right('rows'), right('features'), left('ranges'), ...columnsOfEpsilon],
  rows: datasets.flatMap((dataset) =>
    PRIVATE_ARMS.map((arm) => {
      const units = STUDY_EPSILONS.map((epsilon) => findRanges(measurements, dataset, epsilon));
      const any = units.find((unit) => unit !== undefined)!;
      return [
        dataset,
        `${any.facts.rows}`,
        `${any.facts.features}`,
        armName(arm),
        ...units.map((unit) =>
          unit === undefined
            ? MISSING
            : `${Math.round((100 * Number(unit.facts[refusedFact(arm)])) / Number(unit.parameters.seeds))}`,
        ),
      ];
    }),
  ),
});

const overview = (measurements: Measured, datasets: readonly string[], kind: Kind, score: Score): Block => ({
  kind: 'table',
  caption: `${TITLES[kind]}, ${WORDS[score]}: mean over ${setsText(datasets)}`,
  columns: [left('ranges'), ...columnsOfEpsilon],
  rows: ARM_NAMES.map((arm) => [
    arm,
    ...STUDY_EPSILONS.map(
      (epsilon) => meanOver(measurements, datasets, { arm, kind, score, epsilon })?.toFixed(1) ?? MISSING,
    ),
  ]),
});

function picture(measurements: Measured, datasets: readonly string[], kind: Kind, score: Score): Block[] {
  const shown = [
    ...GIVEN,
    ...PRIVATE_ARMS.filter(({ share }) => share === JUDGED_SHARE).map(armName),
    RANDOM,
  ];
  const lines = shown.map(
    (arm): Line => ({
      name: arm,
      style: arm === 'true' || arm === RANDOM ? 'dashed' : 'solid',
      points: STUDY_EPSILONS.flatMap((epsilon) => {
        const y = meanOver(measurements, datasets, { arm, kind, score, epsilon });
        return y === undefined ? [] : [{ x: epsilon, y }];
      }),
    }),
  );
  if (lines.some(({ points }) => points.length === 0)) return [];
  return [
    {
      kind: 'chart',
      name: `ranges-${kind}-${score.toLowerCase()}`,
      caption: `${TITLES[kind]}: ${WORDS[score]}, over ε in all, mean over ${setsText(datasets)}`,
      drawing: {
        kind: 'lines',
        x: { title: 'ε in all', scale: 'log' },
        y: { title: WORDS[score], scale: 'linear' },
        lines,
      },
    },
  ];
}

const verdicts = (measurements: Measured): Block => ({
  kind: 'table',
  caption: `What the samples decide, margin ${MARGIN} point, level ${LEVEL}: numbers of cases, and the mean over data sets at each ε with its 95 % interval, not corrected, and its corrected verdict`,
  columns: [
    left('method'),
    left('score'),
    left('of'),
    left('against'),
    ...VERDICTS.map(right),
    ...columnsOfEpsilon,
  ],
  rows: decidedOf(measurements).map(({ kind, score, of, against, cases, means }) => [
    TITLES[kind],
    score,
    of,
    against,
    ...VERDICTS.map((wanted) => `${cases.filter(({ verdict }) => verdict === wanted).length}`),
    ...STUDY_EPSILONS.map((epsilon) => {
      const mean = means.find((it) => it.epsilon === epsilon);
      return mean === undefined ? '' : `${inPoints(mean.difference)} ${mean.verdict}`;
    }),
  ]),
});

const detail = (measurements: Measured, dataset: string, kind: Kind, score: Score): Block => ({
  kind: 'table',
  caption: `${dataset}, ${TITLES[kind]}: ${WORDS[score]}, mean ± standard deviation over splits`,
  columns: [left('ranges'), ...columnsOfEpsilon],
  rows: ARM_NAMES.map((arm) => [
    arm,
    ...STUDY_EPSILONS.map((epsilon) =>
      meanAndSpread(samplesOf(findRanges(measurements, dataset, epsilon), arm, kind, score)),
    ),
  ]),
});
