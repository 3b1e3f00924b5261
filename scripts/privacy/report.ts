/** The laboratory's report: promises, captured energy by panel, what the samples decide, and the attack. */
import { calibrateAnalyticGaussian, calibrateClassicGaussian, rhoOfBudget } from '@eigenveil/privacy';
import { PCA_METHODS, type PcaMethod } from '@eigenveil/privacy/pca';
import { momentsOf } from '../bench/accuracy/scores.ts';
import { MISSING } from '../bench/cells.ts';
import type { Measurement } from '../bench/unit.ts';
import type { Block, Chart, Column, Line, Section, Table } from '../report/document.ts';
import { ATTACK_EPSILON, ATTACK_SERIES, ATTACK_SITES } from './attack.ts';
import { CLASSIFICATION_SITES, CLASSIFIED, findClassification } from './classification.ts';
import { RANGES } from './data.ts';
import { type Statement, type StatementCase, statements, verdictOf } from './statements.ts';
import {
  componentsOf,
  DP_DELTA,
  distanceSeries,
  EPSILONS,
  energySeries,
  findUtility,
  POOLED,
  refusedFact,
  SITES,
} from './utility.ts';

/** Of charts, and of what is stated. */
export const SHOWN_COMPONENTS = 2;
const SHOWN_SITES = 10;
/** Of tables over sites and over components. */
const SHOWN_EPSILON = 1;
const DATASETS = Object.keys(RANGES);

/** As many as can be told apart in one chart. */
const CHARTED: readonly string[] = [
  'central',
  'eigenveil',
  'analyze-gauss',
  'wishart',
  'elfedpca-corrected',
  'dpdispca',
  'noisy-power',
];

const left = (title: string): Column => ({ title, align: 'left' });
const right = (title: string): Column => ({ title, align: 'right' });
const text = (content: string): Block => ({ kind: 'text', text: content });
const meanAndSpread = (samples: readonly number[] | undefined): string => {
  const moments = momentsOf(samples ?? []);
  if (moments === undefined) return MISSING;
  const { mean, deviation } = moments;
  return deviation === undefined ? mean.toFixed(1) : `${mean.toFixed(1)} ± ${deviation.toFixed(1)}`;
};

/** Where a method is measured: with all rows pooled, or with this number of sites. */
function unitWith(
  measurements: readonly Measurement[],
  { dependsOnSites }: PcaMethod,
  dataset: string,
  epsilon: number,
  sites = SHOWN_SITES,
): Measurement | undefined {
  return findUtility(measurements, dataset, dependsOnSites ? sites : POOLED, epsilon);
}

const measuredSets = (measurements: readonly Measurement[]): string[] =>
  DATASETS.filter((dataset) => measurements.some(({ parameters }) => parameters.dataset === dataset));

export function utilityReport(measurements: readonly Measurement[]): Section[] {
  if (measurements.length === 0) return [];
  const datasets = measuredSets(measurements);
  return [
    decided(measurements, datasets),
    promises(),
    energySection(measurements, datasets, {
      title: 'Captured energy under (ε, δ) for all rows together',
      methods: PCA_METHODS.filter(({ panel }) => panel === 'approximate'),
      charted: CHARTED,
      chartName: 'energy',
    }),
    energySection(measurements, datasets, {
      title: 'Captured energy under δ = 0, or without any trust',
      methods: PCA_METHODS.filter(({ panel }) => panel !== 'approximate'),
      charted: PCA_METHODS.filter(({ panel }) => panel !== 'approximate').map(({ name }) => name),
      chartName: 'energy-other-promises',
    }),
    sitesSection(measurements, datasets),
    componentsSection(measurements, datasets),
    distanceSection(measurements, datasets),
    dataSection(datasets),
  ];
}

function decided(measurements: readonly Measurement[], datasets: readonly string[]): Section {
  const all = statements(measurements, datasets, SHOWN_COMPONENTS);
  const rows = all.map((statement, i) => {
    const count = (verdict: StatementCase['verdict']) =>
      `${statement.cases.filter((it) => it.verdict === verdict).length}`;
    return [
      `${i + 1}`,
      statement.text,
      verdictOf(statement),
      count('holds'),
      count('open'),
      count('does not hold'),
    ];
  });
  const table: Table = {
    kind: 'table',
    caption: `Statements, decided by the samples, for ${SHOWN_COMPONENTS} components`,
    columns: [
      right('no.'),
      left('statement'),
      left('verdict'),
      right('holds'),
      right('open'),
      right('does not hold'),
    ],
    rows,
  };
  return {
    title: 'What the samples decide',
    blocks: [
      text(
        'Cases are data sets, ε and opponents. "Ahead", "behind" and "within 1 %" are decided where they hold beyond two standard errors of the difference; what these samples do not decide is open. A statement holds if all its cases do. Where noise drowns everything, all methods capture what random directions capture, and nothing can be decided.',
      ),
      table,
      ...all.flatMap((statement, i) => notHolding(statement, i + 1)),
    ],
  };
}

function notHolding(statement: Statement, number: number): Block[] {
  const cases = statement.cases.filter(({ verdict }) => verdict !== 'holds');
  if (cases.length === 0) return [];
  return [
    {
      kind: 'table',
      caption: `Statement ${number}: cases that do not hold or stay open; mean captured energy in percent`,
      columns: [
        left('data set'),
        right('ε'),
        left('against'),
        right('Eigenveil'),
        right('other'),
        right('difference ± standard error'),
        left('verdict'),
      ],
      rows: cases.map(({ dataset, epsilon, against, verdict, comparison }) => [
        dataset,
        `${epsilon}`,
        against,
        comparison.mean.toFixed(2),
        comparison.otherMean.toFixed(2),
        `${comparison.difference.toFixed(2)} ± ${comparison.error.toFixed(2)}`,
        verdict,
      ]),
    },
  ];
}

function promises(): Section {
  return {
    title: 'What each method promises',
    blocks: [
      text(
        `Rows are scaled by public ranges and divided by √d, so that ‖x‖₂ ≤ 1; δ = ${DP_DELTA}. All methods have the same rows, budgets and seeds. Captured energy is that of the scatter around the mean, in percent of what the best components of that number capture. A method that gives no components, since the noisy number of rows is not positive, captures nothing. Methods whose mean is not protected get it exactly and for free, which flatters them.`,
      ),
      {
        kind: 'table',
        caption: 'Promises, trust, and what of the computation they cover',
        columns: [
          left('method'),
          left('neighbours'),
          left('ε'),
          left('trusts'),
          left('mean'),
          left('number of rows'),
          left('remarks'),
          left('after'),
        ],
        rows: PCA_METHODS.map(({ title, reference, promise }) => [
          title,
          promise.neighbours,
          promise.epsilon,
          promise.trust,
          promise.means,
          promise.counts,
          promise.remarks,
          reference,
        ]),
      },
      {
        kind: 'table',
        caption: `Deviation of Gaussian noise for sensitivity 1 and δ = ${DP_DELTA}, by calibration`,
        columns: [right('ε'), right('analytic'), right('by zCDP'), right('classic')],
        rows: EPSILONS.map((epsilon) => {
          const budget = { epsilon, dpDelta: DP_DELTA };
          return [
            `${epsilon}`,
            calibrateAnalyticGaussian({ sensitivity: 1, ...budget }).toFixed(2),
            Math.sqrt(1 / (2 * rhoOfBudget(budget))).toFixed(2),
            epsilon <= 1
              ? calibrateClassicGaussian({ sensitivity: 1, ...budget }).toFixed(2)
              : 'does not hold',
          ];
        }),
      },
    ],
  };
}

interface EnergyPanel {
  readonly title: string;
  readonly methods: readonly PcaMethod[];
  readonly charted: readonly string[];
  readonly chartName: string;
}

function energySection(
  measurements: readonly Measurement[],
  datasets: readonly string[],
  { title, methods, charted, chartName }: EnergyPanel,
): Section {
  const blocks = datasets.flatMap((dataset): Block[] => {
    const chart = energyChart(measurements, dataset, {
      methods: methods.filter(({ name }) => charted.includes(name)),
      name: `${chartName}-${dataset.replaceAll('_', '-')}`,
    });
    return [...chart, energyTable(measurements, dataset, methods)];
  });
  return { title, blocks };
}

function energyChart(
  measurements: readonly Measurement[],
  dataset: string,
  { methods, name }: { readonly methods: readonly PcaMethod[]; readonly name: string },
): Chart[] {
  const lines = methods.map((method): Line => {
    const points = EPSILONS.flatMap((epsilon) => {
      const unit = unitWith(measurements, method, dataset, epsilon);
      const moments = momentsOf(unit?.series[energySeries(method.name, SHOWN_COMPONENTS)]?.samples ?? []);
      return moments === undefined ? [] : [{ x: epsilon, y: moments.mean }];
    });
    return { name: method.title, style: 'solid', points };
  });
  const drawn = lines.filter(({ points }) => points.length > 1);
  if (drawn.length === 0) return [];
  return [
    {
      kind: 'chart',
      name,
      caption: `${dataset}: captured energy over ε, ${SHOWN_COMPONENTS} components, ${SHOWN_SITES} sites; means (their spread is in the table)`,
      drawing: {
        kind: 'lines',
        x: { title: 'ε', scale: 'log' },
        y: { title: 'captured energy, % of the best', scale: 'linear' },
        lines: drawn,
      },
    },
  ];
}

function energyTable(
  measurements: readonly Measurement[],
  dataset: string,
  methods: readonly PcaMethod[],
): Table {
  return {
    kind: 'table',
    caption: `${dataset}: captured energy in percent of the best, mean ± standard deviation over seeds, ${SHOWN_COMPONENTS} components, ${SHOWN_SITES} sites`,
    columns: [left('method'), ...EPSILONS.map((epsilon) => right(`ε = ${epsilon}`)), right('gave up')],
    rows: methods.map((method) => {
      const units = EPSILONS.map((epsilon) => unitWith(measurements, method, dataset, epsilon));
      const refused = units.reduce(
        (sum, unit) => sum + Number(unit?.facts[refusedFact(method.name)] ?? 0),
        0,
      );
      return [
        method.title,
        ...units.map((unit) =>
          meanAndSpread(unit?.series[energySeries(method.name, SHOWN_COMPONENTS)]?.samples),
        ),
        refused === 0 ? '' : `${refused} runs`,
      ];
    }),
  };
}

function sitesSection(measurements: readonly Measurement[], datasets: readonly string[]): Section {
  const methods = PCA_METHODS.filter(({ dependsOnSites }) => dependsOnSites);
  return {
    title: 'Over the number of sites',
    blocks: [
      text(
        'The other methods do not depend on how rows are spread. Sites differ in size: site i has about i times the rows of the first.',
      ),
      {
        kind: 'table',
        caption: `Captured energy in percent at ε = ${SHOWN_EPSILON}, ${SHOWN_COMPONENTS} components, mean ± standard deviation`,
        columns: [left('data set'), left('method'), ...SITES.map((sites) => right(`${sites} sites`))],
        rows: datasets.flatMap((dataset) =>
          methods.map((method) => [
            dataset,
            method.title,
            ...SITES.map((sites) =>
              meanAndSpread(
                findUtility(measurements, dataset, sites, SHOWN_EPSILON)?.series[
                  energySeries(method.name, SHOWN_COMPONENTS)
                ]?.samples,
              ),
            ),
          ]),
        ),
      },
    ],
  };
}

function componentsSection(measurements: readonly Measurement[], datasets: readonly string[]): Section {
  const counts = componentsOf(Number.POSITIVE_INFINITY);
  return {
    title: 'Over the number of components',
    blocks: [
      {
        kind: 'table',
        caption: `Captured energy in percent at ε = ${SHOWN_EPSILON}, ${SHOWN_SITES} sites, mean ± standard deviation`,
        columns: [left('data set'), left('method'), ...counts.map((k) => right(`k = ${k}`))],
        rows: datasets.flatMap((dataset) =>
          PCA_METHODS.filter(({ name }) => CHARTED.includes(name)).map((method) => [
            dataset,
            method.title,
            ...counts.map((k) =>
              meanAndSpread(
                unitWith(measurements, method, dataset, SHOWN_EPSILON)?.series[energySeries(method.name, k)]
                  ?.samples,
              ),
            ),
          ]),
        ),
      },
    ],
  };
}

function distanceSection(measurements: readonly Measurement[], datasets: readonly string[]): Section {
  return {
    title: 'Distance of subspaces',
    blocks: datasets.map((dataset) => ({
      kind: 'table',
      caption: `${dataset}: √(Σ sin² θ/k) over the principal angles to the best subspace, in percent, k = ${SHOWN_COMPONENTS}, ${SHOWN_SITES} sites, mean ± standard deviation`,
      columns: [left('method'), ...EPSILONS.map((epsilon) => right(`ε = ${epsilon}`))],
      rows: PCA_METHODS.map((method) => [
        method.title,
        ...EPSILONS.map((epsilon) =>
          meanAndSpread(
            unitWith(measurements, method, dataset, epsilon)?.series[
              distanceSeries(method.name, SHOWN_COMPONENTS)
            ]?.samples,
          ),
        ),
      ]),
    })),
  };
}

function dataSection(datasets: readonly string[]): Section {
  return {
    title: 'Public ranges',
    blocks: [
      {
        kind: 'table',
        caption: 'Ranges that the features are scaled by: from what they are, not from the rows',
        columns: [left('data set'), right('features'), left('ranges')],
        rows: datasets.map((dataset) => [dataset, `${RANGES[dataset]!.ranges.length}`, RANGES[dataset]!.why]),
      },
    ],
  };
}

export function classificationReport(measurements: readonly Measurement[]): Section[] {
  if (measurements.length === 0) return [];
  return [
    {
      title: 'Weighted F1 on reduced rows',
      blocks: [
        text(
          `Seven tenths of the rows, on ${CLASSIFICATION_SITES} sites, give the components; an SVM (RBF kernel, C and γ fixed beforehand) learns on the same rows reduced by them and is scored on the others. Runs in which a method gave up are left out.`,
        ),
        ...measuredSets(measurements).map((dataset): Table => {
          const units = EPSILONS.map((epsilon) => findClassification(measurements, dataset, epsilon));
          const k = units.find((unit) => unit !== undefined)?.parameters.components;
          return {
            kind: 'table',
            caption: `${dataset}: weighted F1 in percent, ${k} components, mean ± standard deviation over splits`,
            columns: [left('method'), ...EPSILONS.map((epsilon) => right(`ε = ${epsilon}`))],
            rows: CLASSIFIED.map(({ name, title }) => [
              title,
              ...units.map((unit) => meanAndSpread(unit?.series[name]?.samples)),
            ]),
          };
        }),
      ],
    },
  ];
}

export function attackReport(measurements: readonly Measurement[]): Section[] {
  if (measurements.length === 0) return [];
  const keys = Object.keys(ATTACK_SERIES) as (keyof typeof ATTACK_SERIES)[];
  const worst = (key: string) =>
    measurements.flatMap(({ series }) => series[key]?.samples ?? []).reduce((a, b) => Math.max(a, b), 0);
  const least = (key: string) =>
    measurements
      .flatMap(({ series }) => series[key]?.samples ?? [])
      .reduce((a, b) => Math.min(a, b), Infinity);
  return [
    {
      title: 'Who knows the seed knows the rest',
      blocks: [
        text(
          `In ELFedPCA all sites draw the same noise E from a seed that they share, and each adds E/s. A site that sees the messages, as the server does, draws E again and subtracts it: what is left of the noise on the others’ covariances is a rounding error, at most ${worst('recovered').toExponential(0)} %. Without the seed the difference of two messages is free of noise already: at most ${worst('difference').toExponential(0)} %. In Eigenveil each server adds noise of its own. One that subtracts it still faces the other’s: an error of at least ${least('attempted').toPrecision(2)} %, with which (ε, δ) is kept.`,
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
