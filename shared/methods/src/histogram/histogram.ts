/** Noisy counts of features by bins: all of a histogram task that is not its bins. */
import { checkAll } from '@eigenveil/platform';
import { z } from 'zod';
import { rule } from '../codes.ts';
import { COMPONENT_WORDS } from '../common.ts';
import { LIMITS } from '../limits.ts';
import { checkLinear, linear } from '../linear.ts';
import { defineMethod, type Proposed, type Shape, type Summed } from '../method.ts';
import { COUNTS_FORM } from '../result.ts';
import { edgesOf, type Histogram, histogramsOf, LINEAR_RING_BITS } from './bins.ts';
import { HistogramParameters } from './parameters.ts';

/** Noise below this would have a scale beyond the ring. */
const LEAST_EPSILON = 1e-6;

export const histogram = defineMethod({
  labellings: 0,
  revealedByRotation: [],
  isLinear: true,
  parameters: HistogramParameters,
  result: COUNTS_FORM,
  of: ({ method }) => ({
    ...linear('histogram'),
    sums: ({ features }) => ({
      R: false,
      columns: 0,
      // Every histogram has its bins, and then its cells that are no number.
      counts: histogramsOf({ features }).map((it) => ({
        values: 2 ** method.height + 1,
        features: it.features,
        edges: () => edgesOf(method, it),
      })),
      classes: [],
    }),
    weights: undefined, // its noise is on sums of counts: `releaseNoiseOf`
    check: checkHistogram,
    checkSums: (task) => checkCounts(method, task),
    checkLast: (task) => checkBins(method, task),
    words: {
      ...COMPONENT_WORDS,
      title: 'Histogram',
      size: () => `${2 ** method.height} bins`,
      opened: 'histograms: noisy counts of every feature by bins',
      result: 'noisy counts and what follows from them',
      tells: (task) => tells(method, task),
    },
  }),
  draft: {
    purpose: 'counts the values of every feature by bins: quantiles and ranges where nobody knows them',
    details: `Counts are noisy: 2^h of every feature, for --epsilon (docs/histograms.md). The strategy is the one with the least expected error for --workload. Give a wide --range,
or --logarithmic where only magnitudes are known: ranges that come from the rows void the guarantee.`,
    example: "--ignore label --range '[-1000, 1000]' --epsilon 1",
    flags: {
      height: {
        schema: HistogramParameters.shape.height,
        description: 'h, for 2^h bins of each feature',
        default: 10,
        placeholder: 'NUMBER',
      },
      workload: {
        schema: z.enum(['prefixes', 'ranges', 'counts']),
        description: 'what its strategy shall suit: prefixes (quantiles), ranges, or counts of single bins',
        default: 'prefixes',
        placeholder: 'NAME',
      },
      logarithmic: {
        schema: z.number().positive().optional(),
        description: 'logarithmic bins on both sides of 0, down to this magnitude',
        placeholder: 'NUMBER',
      },
    },
    async parameters({ height, workload }, drafted) {
      const { draftStrategy } = await import('./strategy.ts');
      return {
        method: { kind: 'histogram' as const, height, ...draftStrategy({ height, workload }, drafted) },
      };
    },
    features: (sampled, { logarithmic }) =>
      sampled.map(({ name, min, max }) => {
        if (logarithmic === undefined) return { name, min, max };
        const most = Math.max(Math.abs(min), Math.abs(max), 2 * logarithmic);
        return { name, min: -most, max: most, logarithmic };
      }),
    hasComponents: false,
    takesEpsilon: true,
    countsValues: true,
    clippingNorm: () => null,
  },
});

/** Says what histograms tell: noisy sums of counts, and what follows from them. */
function tells({ height, strategy }: HistogramParameters, { features }: Shape): string[] {
  const all = histogramsOf({ features });
  const shared = all.filter((it) => it.features.length > 1).length;
  return [
    `counts with the noise of both servers: of ${2 ** height} bins of each of ${all.length} histograms (strategy ${strategy}), and so quantiles and ranges`,
    'how many cells of each are no number, and the number of rows, both with that noise',
    ...(shared === 0 ? [] : [`of ${shared} histograms only what their features have together`]),
  ];
}

/** Checks what a histogram task has and has not beyond its counts. */
function checkHistogram(task: Proposed): void {
  const { differentialPrivacy: setting } = task;
  checkLinear('histogram', task, {
    'noise of servers': setting?.noise === 'servers',
    'clippingNorm null': setting?.clippingNorm === null,
    [`epsilon from ${LEAST_EPSILON}`]: setting !== null && setting.epsilon >= LEAST_EPSILON,
  });
}

const placeOf = (feature: string) => `features[${JSON.stringify(feature)}]`;

/** Checks what counts and their slots rest on. */
function checkCounts(method: HistogramParameters, task: Summed): void {
  const { features } = task;
  const bins = 2 ** method.height;
  const histograms = histogramsOf(task);
  const rows = task.maximumOwners * task.maximumSamplesPerOwner;
  const largest = Math.max(...histograms.map((it) => it.features.length));
  checkAll(
    strategyRule(method, bins),
    ...features.map(({ name, min, max, logarithmic = 0 }) => {
      const isMirrored = min === -max && logarithmic <= max / 2 && logarithmic / max >= 2 ** -1000;
      return rule(
        min < max && (logarithmic === 0 || isMirrored),
        placeOf(name),
        'min < max, and logarithmic at most half of max with min = −max',
        min,
      );
    }),
    rule(
      histograms.length * bins <= LIMITS.bins,
      'method.height',
      `at most ${LIMITS.bins} bins in all`,
      bins,
    ),
    ...histograms.map(({ name, features: indices, min, max, logarithmic }) =>
      rule(
        indices.every((i) => {
          const it = features[i]!;
          const isNamed = it.histogram === name || indices.length === 1;
          return isNamed && it.min === min && it.max === max && it.logarithmic === logarithmic;
        }),
        `${placeOf(features[indices[0]!]!.name)}.histogram`,
        'features of one range, and no other name',
        indices.length,
      ),
    ),
    rule(
      rows * largest < 2 ** (LINEAR_RING_BITS - 1),
      'maximumSamplesPerOwner',
      'fewer than 2^53 cells',
      rows * largest,
    ),
  );
}

function strategyRule({ strategy, fanouts }: HistogramParameters, bins: number) {
  const product = fanouts?.reduce((size, fanout) => size * fanout, 1);
  // Two levels at least: see bins.ts.
  const isTree =
    product === bins && fanouts!.length >= 2 && fanouts!.every((it) => Number.isInteger(it) && it >= 2);
  return rule(
    strategy === 'tree' ? isTree : fanouts === undefined,
    'method.fanouts',
    `of tree alone, two or more whose product is ${bins}`,
    `${fanouts}`,
  );
}

/** Checks that bins differ. */
function checkBins(method: HistogramParameters, task: Proposed): void {
  const ascends = (own: Histogram) =>
    edgesOf(method, own).every((edge, i, edges) => i === 0 || edge > edges[i - 1]!);
  rule(histogramsOf(task).every(ascends), 'method.height', 'bins that differ', method.height)();
}
