/** Over which scenes membership cannot be tried. */
import type { Scene } from '../../scene.ts';
import { poolOf } from './worlds.ts';

export const rowsOf = ({ owners }: Pick<Scene, 'owners'>): number => owners.flat().length;

/** The fewer people the sample has, the less of a spread their results have. */
const LEAST_SAMPLE = 20;
const LEAST_ROWS = 8;

export function omits(scene: Scene): string | undefined {
  const largest = Math.max(...poolOf(scene).map((person) => person.length));
  if (scene.publicSample.length < LEAST_SAMPLE) return `a public sample of fewer than ${LEAST_SAMPLE} rows`;
  if (rowsOf(scene) < Math.max(LEAST_ROWS, 2 * largest)) return 'too few rows';
  if (scene.outsiders.length <= largest) return 'too few outsiders';
  return undefined;
}

/** Noise on the number of rows is about 15: with fewer rows than this, results are noise and refusals. */
const LEAST_PRIVATE = 150;

export const omitsPrivate = (scene: Scene): string | undefined =>
  rowsOf(scene) < LEAST_PRIVATE ? `fewer than ${LEAST_PRIVATE} rows` : omits(scene);

/** Of tasks over a few rows, one a person. */
export const omitsGroups = (scene: Scene): string | undefined =>
  poolOf(scene).some((person) => person.length > 1) ? 'people with several rows' : omits(scene);
