/** Differencing, repeated answers, spectrum, one-hot groups, collusion, and the references that are known to be broken. */
import type { Unworded } from '../../experiment.ts';
import type { Scene } from '../../scene.ts';
import { worded } from '../../worded.ts';
import * as answers from './answers.ts';
import * as chains from './chains.ts';
import * as rows from './differencing.ts';
import * as servers from './in-sight.ts';
import * as oneHot from './one-hot.ts';
import * as owners from './owners.ts';
import { unfit } from './scenes.ts';
import * as seed from './shared-seed.ts';
import * as spectrum from './spectrum.ts';

const ALL: readonly Unworded[] = [
  rows.declared,
  rows.rotated,
  rows.garbled,
  rows.withPrivacy,
  owners.differencingDeclared,
  owners.differencing,
  owners.lastOwner,
  owners.lastOwnerByVectors,
  owners.fewLeft,
  owners.ownersTogether,
  spectrum.beyondVectors,
  spectrum.numberOfRows,
  oneHot.withConsent,
  oneHot.withoutConsent,
  oneHot.mostAllowed,
  answers.bothProtocols,
  answers.repeated,
  answers.lowBits,
  chains.restOfScatter,
  seed.sharedSeed,
  seed.ownNoise,
  servers.simulatedInSight,
  servers.garbledInSight,
  servers.rotatedInSight,
  servers.cspWithOwners,
  servers.bothServers,
];

export const EXPERIMENTS = worded(new URL('../tasks.md', import.meta.url), ALL).map((experiment) => ({
  ...experiment,
  omits: (scene: Scene) => unfit(scene) ?? experiment.omits?.(scene),
}));
