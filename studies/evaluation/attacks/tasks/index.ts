/** Differencing, repeated answers, spectrum, one-hot groups, collusion, and the references that are known to be broken. */
import type { Scene } from '../../scene.ts';
import { worded } from '../../worded.ts';
import { ANSWERS } from './answers.ts';
import { CHAINS } from './chains.ts';
import { ROWS } from './differencing.ts';
import { SERVERS } from './in-sight.ts';
import { ONE_HOTS } from './one-hot.ts';
import { OWNERS } from './owners.ts';
import { unfit } from './scenes.ts';
import { SEEDS } from './shared-seed.ts';
import { SPECTRA } from './spectrum.ts';

const ALL = [...ROWS, ...OWNERS, ...SPECTRA, ...ONE_HOTS, ...ANSWERS, ...CHAINS, ...SEEDS, ...SERVERS];

export const EXPERIMENTS = worded(new URL('../tasks.md', import.meta.url), ALL).map((experiment) => ({
  ...experiment,
  omits: (scene: Scene) => unfit(scene) ?? experiment.omits?.(scene),
}));
