/** Captured energy and distances of all methods: by panel, over sites and over components. */

import type { Block, Chart, Line, Section, Table } from '../../instrument/report/document.ts';
import type { Measurement } from '../../instrument/unit.ts';
import { momentsOf } from '../../speed/accuracy/scores.ts';
import { type Panel, PCA_METHODS, type PcaMethod } from '../methods/index.ts';
import { RELEASED } from '../statements.ts';
import {
  componentsOf,
  DEALINGS,
  type Dealing,
  DISTANCE_COMPONENTS,
  dealingTitle,
  distanceSeries,
  EPSILONS,
  EQUAL,
  energySeries,
  findUtility,
  POOLED,
  refusedFact,
} from '../utility.ts';
import {
  left,
  meanAndSpread,
  measuredSets,
  right,
  SHOWN_COMPONENTS,
  SHOWN_EPSILON,
  SHOWN_SITES,
  text,
  unitWith,
} from './cells.ts';
import { decided } from './decided.ts';
import { noiseSection, unkeptBlocks } from './noise.ts';
import { dataSection, promises } from './promises.ts';

/** As many as can be told apart in one chart. */
const CHARTED: readonly string[] = [
  'central',
  'eigenveil',
  'eigenveil-around',
  'analyze-gauss',
  'elfedpca-repaired',
  'elfedpca-corrected',
  'dpdispca-recalibrated',
  'noisy-power',
];

export { utilityHighlights } from './decided.ts';

/** With what no noise gives and what chance gives. */
const inPanel = (wanted: Panel) =>
  PCA_METHODS.filter(({ panel }) => panel === wanted || panel === 'baseline');

export function utilityReport(measurements: readonly Measurement[]): Section[] {
  if (measurements.length === 0) return [];
  const datasets = measuredSets(measurements);
  return [
    decided(measurements, datasets),
    promises(),
    energySection(measurements, datasets, {
      title: 'Captured energy under (ε, δ) for all rows together',
      methods: inPanel('approximate'),
      charted: CHARTED,
      chartName: 'energy',
    }),
    energySection(measurements, datasets, {
      title: 'Captured energy under δ = 0 for all rows together',
      methods: inPanel('pure'),
      charted: inPanel('pure').map(({ name }) => name),
      chartName: 'energy-pure',
    }),
    energySection(measurements, datasets, {
      title: 'Captured energy where every row protects itself',
      methods: inPanel('local'),
      charted: inPanel('local').map(({ name }) => name),
      chartName: 'energy-local',
    }),
    energySection(measurements, datasets, {
      title: 'Captured energy of methods that do not keep their ε',
      blocks: unkeptBlocks(measurements, datasets),
      methods: inPanel('unkept'),
      charted: inPanel('unkept').map(({ name }) => name),
      chartName: 'energy-unkept',
    }),
    noiseSection(measurements, datasets),
    sitesSection(measurements, datasets),
    componentsSection(measurements, datasets),
    distanceSection(measurements, datasets),
    dataSection(datasets),
  ];
}

interface EnergyPanel {
  readonly title: string;
  /** Before the figures. */
  readonly blocks?: readonly Block[];
  readonly methods: readonly PcaMethod[];
  readonly charted: readonly string[];
  readonly chartName: string;
}

function energySection(
  measurements: readonly Measurement[],
  datasets: readonly string[],
  { title, blocks = [], methods, charted, chartName }: EnergyPanel,
): Section {
  const figures = datasets.flatMap((dataset): Block[] => {
    const chart = energyChart(measurements, dataset, {
      methods: methods.filter(({ name }) => charted.includes(name)),
      name: `${chartName}-${dataset.replaceAll('_', '-')}`,
    });
    return [...chart, energyTable(measurements, dataset, methods)];
  });
  return { title, blocks: [...blocks, ...figures] };
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
      caption: `${dataset}: captured energy over ε, ${SHOWN_COMPONENTS} components, ${SHOWN_SITES} sites that grow in size; means (their spread is in the table)`,
      drawing: {
        kind: 'lines',
        x: { title: 'ε', scale: 'log' },
        y: { title: 'captured energy, % of the best', scale: 'linear' },
        lines: drawn,
      },
    },
  ];
}

const SHOWN_DEALINGS: readonly Dealing[] = [SHOWN_SITES, EQUAL];

function energyTable(
  measurements: readonly Measurement[],
  dataset: string,
  methods: readonly PcaMethod[],
): Table {
  return {
    kind: 'table',
    caption: `${dataset}: captured energy in percent of the best, mean ± standard deviation over seeds, ${SHOWN_COMPONENTS} components, ${SHOWN_SITES} sites, which grow in size unless they are equal`,
    columns: [left('method'), ...EPSILONS.map((epsilon) => right(`ε = ${epsilon}`)), right('gave up')],
    rows: methods.flatMap((method) =>
      (method.dependsOnSites ? SHOWN_DEALINGS : [POOLED as Dealing]).map((dealing) => {
        const units = EPSILONS.map((epsilon) => findUtility(measurements, dataset, dealing, epsilon));
        const refused = units.reduce(
          (sum, unit) => sum + Number(unit?.facts[refusedFact(method.name)] ?? 0),
          0,
        );
        return [
          `${method.title}${dealing === EQUAL ? ', equal sites' : ''}`,
          ...units.map((unit) =>
            meanAndSpread(unit?.series[energySeries(method.name, SHOWN_COMPONENTS)]?.samples),
          ),
          refused === 0 ? '' : `${refused} runs`,
        ];
      }),
    ),
  };
}

function sitesSection(measurements: readonly Measurement[], datasets: readonly string[]): Section {
  const methods = PCA_METHODS.filter(
    ({ dependsOnSites, panel, name }) => dependsOnSites || panel === 'baseline' || RELEASED.includes(name),
  );
  return {
    title: 'Over sites',
    blocks: [
      text(
        'An axis of this project’s choice. Eigenveil, no noise and random directions do not depend on how rows are spread, nor do the methods that are left out. Sites differ in size: site i has about i times the rows of the first. Equal sites have one size, which suits methods that weigh sites alike or whose noise follows from the smallest.',
      ),
      {
        kind: 'table',
        caption: `Captured energy in percent at ε = ${SHOWN_EPSILON}, ${SHOWN_COMPONENTS} components, mean ± standard deviation`,
        columns: [
          left('data set'),
          left('method'),
          ...DEALINGS.map((dealing) => right(dealingTitle(dealing))),
        ],
        rows: datasets.flatMap((dataset) =>
          methods.map((method) => [
            dataset,
            method.title,
            ...DEALINGS.map((dealing) =>
              meanAndSpread(
                unitWith(measurements, method, dataset, SHOWN_EPSILON, dealing)?.series[
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
      text('An axis of this project’s choice.'),
      {
        kind: 'table',
        caption: `Captured energy in percent at ε = ${SHOWN_EPSILON}, ${SHOWN_SITES} sites that grow in size, mean ± standard deviation`,
        columns: [left('data set'), left('method'), ...counts.map((k) => right(`k = ${k}`))],
        rows: datasets.flatMap((dataset) =>
          PCA_METHODS.filter(({ name, panel }) => panel === 'baseline' || CHARTED.includes(name)).map(
            (method) => [
              dataset,
              method.title,
              ...counts.map((k) =>
                meanAndSpread(
                  unitWith(measurements, method, dataset, SHOWN_EPSILON)?.series[energySeries(method.name, k)]
                    ?.samples,
                ),
              ),
            ],
          ),
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
      caption: `${dataset}: √(Σ sin² θ/k) over the principal angles to the best subspace, in percent, k = ${DISTANCE_COMPONENTS}, ${SHOWN_SITES} sites that grow in size, mean ± standard deviation`,
      columns: [left('method'), ...EPSILONS.map((epsilon) => right(`ε = ${epsilon}`))],
      rows: PCA_METHODS.map((method) => [
        method.title,
        ...EPSILONS.map((epsilon) =>
          meanAndSpread(
            unitWith(measurements, method, dataset, epsilon)?.series[distanceSeries(method.name)]?.samples,
          ),
        ),
      ]),
    })),
  };
}
