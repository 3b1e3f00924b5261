/** `--only transform`: what reducing a row costs, in flat batches and by the definition, one row at a time. */
import { Projector, project } from '@eigenveil/projection';
import { Discretiser } from '@eigenveil/statistics';
import { generator } from '@eigenveil/testbed/random';
import { interleavedSamples } from '../../instrument/measure.ts';
import { formatRatios, formatSamples, samplesOf } from '../../instrument/quantities.ts';
import type { Measurement, Scale, Suite, Unit } from '../../instrument/unit.ts';
import { exampleProjection } from '../example-task.ts';

const NAME = 'transform';
/** Features and components: those of pima, ionosphere and a large task. */
const SIZES = [
  [8, 3],
  [34, 15],
  [100, 15],
] as const;
const SCALES = {
  quick: { rows: 2000, repetitions: 15 },
  full: { rows: 5000, repetitions: 31 },
} as const;
const DEFINITION = 'definition';
const BATCH = 'batch';

function unitOf(scale: Scale, features: number, components: number): Unit {
  const { rows, repetitions } = SCALES[scale];
  return {
    id: `${NAME}/${features}-${components}`,
    title: `reducing rows of ${features} features to ${components} components`,
    parameters: { features, components, rows, repetitions },
    expectedSeconds: (repetitions + 1) * rows * features * components * 2e-8,
    async measure() {
      const next = generator(1);
      const flat = Float64Array.from({ length: rows * features }, () => 2 * next() - 1);
      const list = Array.from({ length: rows }, (_, row) => [
        ...flat.subarray(row * features, (row + 1) * features),
      ]);
      const { task, projection } = exampleProjection(features, components);
      const projector = new Projector(task, projection);
      const discretiser = new Discretiser(task);
      const unit = 2 ** task.fractionBits;
      const times = await interleavedSamples(
        {
          [DEFINITION]: {
            run: () =>
              list.map((row) =>
                project(projection, [discretiser.discretise(row).map((cell) => cell / unit)]),
              ),
          },
          [BATCH]: { run: () => projector.transform(flat) },
        },
        repetitions,
      );
      const perRow = (samples: readonly number[] = []) => samples.map((sample) => sample / rows);
      return {
        series: {
          [DEFINITION]: { unit: 'ms', samples: perRow(times[DEFINITION]) },
          [BATCH]: { unit: 'ms', samples: perRow(times[BATCH]) },
        },
        facts: {},
      };
    },
  };
}

export const transform: Suite = {
  name: NAME,
  description: 'time to reduce a row by a projection: in flat batches, and by the definition',
  async plan(scale) {
    return { units: SIZES.map(([d, k]) => unitOf(scale, d, k)), omissions: [] };
  },
  highlights(measurements) {
    const [middle] = measurements.filter(({ parameters }) => parameters.features === 34);
    if (middle === undefined) return [];
    return [
      `A row of 34 features is reduced to 15 components in ${formatSamples(samplesOf(middle, BATCH), 'ms')}.`,
    ];
  },
  report(measurements) {
    if (measurements.length === 0) return [];
    const { rows, repetitions } = measurements[0]!.parameters;
    return [
      {
        title: 'Reducing rows',
        blocks: [
          {
            kind: 'table',
            caption: `Time for each row, of ${rows} raw rows clipped, scaled, rounded and multiplied: medians of ${repetitions} repetitions with quartiles. Definition: row by row through arrays, as the formula says; batch: \`Projector.transform\` of a Float64Array`,
            columns: [
              { title: 'features', align: 'right' },
              { title: 'components', align: 'right' },
              { title: 'definition', align: 'right' },
              { title: 'batch', align: 'right' },
              { title: 'definition / batch', align: 'right' },
            ],
            rows: measurements.map(rowOf),
          },
        ],
      },
    ];
  },
};

function rowOf(measurement: Measurement): string[] {
  const { features, components } = measurement.parameters;
  const [definition, batch] = [DEFINITION, BATCH].map((name) => samplesOf(measurement, name));
  return [
    `${features}`,
    `${components}`,
    formatSamples(definition, 'ms'),
    formatSamples(batch, 'ms'),
    formatRatios(definition, batch),
  ];
}
