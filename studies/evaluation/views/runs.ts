/** Recorded runs of a scene's task, each recorded once for all experiments of the process. */
import { join } from 'node:path';
import type { TaskProposal } from '@eigenveil/task';
import type { Effort, Setting } from '../experiment.ts';
import type { Scene, SceneRow } from '../scene.ts';
import { isBundled } from '../scenes/bundled.ts';
import { variantOf } from '../scenes/split.ts';
import { writeBundles } from './bundle.ts';
import { type Recording, recordTask, viewsOf } from './record.ts';
import { type Secrets, secretsOf } from './secrets.ts';

/** With the owners' rows, and what must not be in its views. */
export interface RecordedRun extends Recording {
  readonly rows: readonly (readonly SceneRow[])[];
  readonly secrets: readonly Secrets[];
}

/** The most features of a garbled computation: some hundreds of megabytes pass already. */
const MOST_GARBLED_FEATURES = 14;

/** Returns why a scene's task is not recorded. */
export function tooLong({ proposal }: Scene): string | undefined {
  const { twoParty, features } = proposal;
  return twoParty === 'garbled' && features.length > MOST_GARBLED_FEATURES
    ? `a garbled computation of more than ${MOST_GARBLED_FEATURES} features is too long to record: --two-party rotated is not`
    : undefined;
}

/** Experiments on recorded runs share them. */
export const TOGETHER = 'recorded runs';

type TwoParty = TaskProposal['twoParty'];

/** The number of owners of a bundled scene: processes cost seconds, and three owners show what thirty would. */
const OWNERS = 3;
/** The most that a task may have: statistics of up to 50 bits, which no accident puts into a view. */
const FRACTION_BITS = 20;
const TIMES: Readonly<Record<Effort, Readonly<Record<TwoParty, number>>>> = {
  quick: { garbled: 1, rotated: 1, linear: 0, simulated: 0 },
  full: { garbled: 4, rotated: 4, linear: 0, simulated: 2 },
};

/** Zeros in place of blinding values. */
const UNBLINDED = new URL('./unblinded.ts', import.meta.url).href;

/**
 * Runs in which nothing is wrong: of a bundled scene a DCA by each protocol, of somebody's own its task as it is.
 * @throws as recordTask
 */
export async function honestRuns(setting: Setting): Promise<RecordedRun[]> {
  const { scene, effort } = setting;
  const times: readonly (readonly [TwoParty, number])[] = isBundled(scene.name)
    ? (Object.entries(TIMES[effort]) as [TwoParty, number][])
    : [[scene.proposal.twoParty, effort === 'quick' ? 1 : 2]];
  const runs: RecordedRun[] = [];
  for (const [twoParty, count] of times)
    for (let run = 0; run < count; run++) runs.push(await once(setting, { twoParty, run }));
  return runs;
}

/** One run by `simulated` whose data user does not blind: what two controls must find. */
export function faultyRun(setting: Setting): Promise<RecordedRun> {
  return once(setting, { twoParty: 'simulated', run: 0, plant: UNBLINDED });
}

interface Wanted {
  readonly twoParty: TwoParty;
  readonly run: number;
  readonly plant?: string;
}

const known = new Map<Scene, Map<string, Promise<RecordedRun>>>();
/** One after the other: processes that share the machine's cores would only be slower. */
let last: Promise<unknown> = Promise.resolve();

function once(setting: Setting, wanted: Wanted): Promise<RecordedRun> {
  const { scene } = setting;
  const runs = known.get(scene) ?? new Map<string, Promise<RecordedRun>>();
  known.set(scene, runs);
  const name = JSON.stringify(wanted);
  const run = runs.get(name) ?? last.then(() => recorded(setting, wanted));
  last = run.catch(() => undefined);
  runs.set(name, run);
  return run;
}

async function recorded({ scene, folder, note }: Setting, { twoParty, plant }: Wanted): Promise<RecordedRun> {
  const task = taskOf(scene, twoParty);
  const recording = await recordTask({ ...task, ...(plant !== undefined && { plant }) }, note);
  const views = viewsOf(recording);
  // A fault was planted by us, and says nothing about the task.
  if (folder !== undefined && plant === undefined)
    await writeBundles(views, join(folder, 'views', recording.id));
  return { ...recording, rows: task.owners, secrets: await secretsOf(views) };
}

/** Somebody's own task as it is, except for controls that take another protocol. */
function taskOf(
  scene: Scene,
  twoParty: TwoParty,
): { proposal: TaskProposal; owners: readonly (readonly SceneRow[])[] } {
  if (!isBundled(scene.name)) return { proposal: { ...scene.proposal, twoParty }, owners: scene.owners };
  const owners = scene.owners.slice(0, OWNERS);
  return {
    owners,
    proposal: {
      ...variantOf(scene, { method: 'dca', twoParty, allowFullRank: true }),
      ...{ minimumOwners: OWNERS, maximumOwners: OWNERS },
      fractionBits: FRACTION_BITS,
    },
  };
}
