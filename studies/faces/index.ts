/** The book's experiments of compressive privacy on faces, in the clear. */
import { writePictures } from '../instrument/report/apart.ts';
import type { StudyGroup } from '../instrument/study.ts';
import { allRows } from './all-rows.ts';
import { dimensions } from './dimensions.ts';
import { hidden } from './hidden.ts';
import { ridge } from './ridge.ts';
import { faceSheets } from './sheets.ts';
import { signalRidge } from './signal-ridge.ts';
import { solver } from './solver.ts';

export const faces: StudyGroup = {
  name: 'faces',
  title: 'Eigenveil: compressive privacy on faces, in the clear',
  studies: [dimensions, allRows, solver, signalRidge, ridge, hidden],
  words: new URL('faces.md', import.meta.url),
  usual: 'full',
  kept: 'faces-study',
  beside: async (folder, { own }) => {
    if (own === undefined) await writePictures(folder, await faceSheets());
  },
};
