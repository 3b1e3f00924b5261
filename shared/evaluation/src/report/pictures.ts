/** Pictures of rows, such as faces, apart from the report: they show people of data that may not be shared, and the report may be. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Picture } from '@eigenveil/report/document';
import { writeReport as writeFiles } from '@eigenveil/report/write';
import type { EvaluationResult } from '../result.ts';

/** Within the report's folder. */
const APART = 'not-to-be-shared';

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

/** In a folder of their own; those of an earlier run go. */
export async function writePictures(folder: string, pictures: readonly Picture[]): Promise<void> {
  const apart = join(folder, APART);
  await rm(apart, { recursive: true, force: true });
  if (pictures.length === 0) return;
  await writeFiles({
    folder: apart,
    report: {
      title: 'Pictures that are not to be shared',
      introduction: [
        'They show people of a data set whose licence or whose people do not allow that. Keep them as you keep the data.',
      ],
      sections: [{ title: 'Pictures', blocks: pictures }],
    },
    data: null,
  });
}
