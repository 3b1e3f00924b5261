/** Points of the book's experiments on faces through the services. */
import type { StudyGroup } from '../../instrument/study.ts';
import { points } from './points.ts';

export const facesEncrypted: StudyGroup = {
  name: 'faces-encrypted',
  title: 'Eigenveil: compressive privacy on faces, through the services',
  studies: [points],
  words: new URL('faces-encrypted.md', import.meta.url),
  usual: 'full',
  kept: 'faces-encrypted',
};
