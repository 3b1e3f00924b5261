/** All that can be measured, by the first word of `npm run study -- NAME`. */
import type { Groups } from './instrument/main.ts';

export const GROUPS: Groups = {
  speed: async () => (await import('./speed/index.ts')).speed,
  privacy: async () => (await import('./privacy/index.ts')).privacy,
  learners: async () => (await import('./learners/index.ts')).learners,
  ranges: async () => (await import('./ranges/index.ts')).ranges,
  recognition: async () => (await import('./recognition/index.ts')).recognition,
  faces: async () => (await import('./faces/index.ts')).faces,
  'faces-encrypted': async () => (await import('./faces/encrypted/index.ts')).facesEncrypted,
};
