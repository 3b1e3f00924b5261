/** Pictures of rows, such as faces, apart from a report: they show people of data that may not be shared, and the report may be. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Picture } from './document.ts';
import { writeReport } from './write.ts';

/** Within the report's folder; git ignores it. */
export const APART = 'not-to-be-shared';

/** Writes them in a folder of their own; those of an earlier run go. */
export async function writePictures(folder: string, pictures: readonly Picture[]): Promise<void> {
  const apart = join(folder, APART);
  await rm(apart, { recursive: true, force: true });
  if (pictures.length === 0) return;
  await writeReport({
    folder: apart,
    report: {
      title: 'Pictures that must not be shared',
      introduction: [
        'They show people of a data set whose licence or whose people do not allow that. Keep them as you keep the data.',
      ],
      sections: [{ title: 'Pictures', blocks: pictures }],
    },
    data: null,
  });
}
