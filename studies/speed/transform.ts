/** The cost of reducing a row, in flat batches and by the definition, one row at a time. */
import { Projector, project } from '@eigenveil/projection';
import { Discretiser } from '@eigenveil/statistics';
import { generator } from '@eigenveil/testbed/random';
import { median, middleOf } from '../instrument/figure.ts';
import { interleavedSamples } from '../instrument/measure.ts';
import { defineStudy } from '../instrument/study.ts';
import { exampleProjection } from './example-task.ts';

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

export const transform = defineStudy({
  id: 'speed/transform',
  plan({ scale }) {
    return { cases: SIZES.map(([features, components]) => ({ features, components, ...SCALES[scale] })) };
  },
  titleOf: ({ features, components }) => `${features} features to ${components} components`,
  expectedSeconds: ({ features, components, rows, repetitions }) =>
    (repetitions + 1) * rows * features * components * 2e-8,
  async measure({ features, components, rows, repetitions }) {
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
        definition: {
          run: () =>
            list.map((row) => project(projection, [discretiser.discretise(row).map((cell) => cell / unit)])),
        },
        batch: { run: () => projector.transform(flat) },
      },
      repetitions,
    );
    return times.batch.map((milliseconds, i) => {
      const [definition, batch] = [times.definition[i]! / rows, milliseconds / rows];
      return { repetition: i + 1, definition, batch, times: definition / batch };
    });
  },
  tables: {
    times: {
      caption:
        'Time for each row, raw rows clipped, scaled, rounded and multiplied: medians with quartiles of all repetitions, and of their ratios',
      rows: ['features', 'components'],
      cells: {
        definition: median('definition', { unit: 'ms' }),
        batch: median('batch', { unit: 'ms' }),
        'definition / batch': median('times', { unit: '×' }),
      },
    },
  },
  facts: {
    batch: { where: { features: 34 }, figure: middleOf('batch', { unit: 'ms' }) },
  },
  words: new URL('transform.md', import.meta.url),
});
