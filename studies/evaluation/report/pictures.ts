/** Pictures of rows, such as faces, apart from the report: they show people of data that may not be shared, and the report may be. */
import { APART } from '../../instrument/report/apart.ts';
import type { Picture } from '../../instrument/report/document.ts';
import type { EvaluationResult } from '../result.ts';

/** The result with a sentence in place of each picture, and the pictures, under names that differ. */
export function withoutPictures(result: EvaluationResult): {
  readonly shared: EvaluationResult;
  readonly pictures: readonly Picture[];
} {
  const pictures: Picture[] = [];
  const experiments = result.experiments.map((experiment) => ({
    ...experiment,
    cases: experiment.cases.map((one) => ({
      ...one,
      blocks: one.blocks.map((block) => {
        if (block.kind !== 'picture') return block;
        pictures.push({ ...block, name: `${experiment.id}-${pictures.length}` });
        return {
          kind: 'text' as const,
          text: `The picture of this shows people, and is not in what may be shared: whoever ran this finds it in \`${APART}\` beside the report.`,
        };
      }),
    })),
  }));
  return { shared: { ...result, experiments }, pictures };
}
