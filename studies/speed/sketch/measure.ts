/** One sketched PCA beside the clear one: what an owner's contribution takes, what both servers take, and how much variance is lost. */

import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { draftTask } from '@eigenveil/data-user';
import { methodOf } from '@eigenveil/methods';
import type { PublicKey } from '@eigenveil/paillier';
import { type Components, decompose, symmetricEigen } from '@eigenveil/projection';
import {
  addStatistics,
  Discretiser,
  layout,
  StatisticsAccumulator,
  sketchMatrix,
} from '@eigenveil/statistics';
import { newTaskId, programOf, type Task, TaskProposal } from '@eigenveil/task';
import { checkComputable } from '@eigenveil/two-party';
import { Thumbprint } from '@eigenveil/wire';
import { splitAmongOwners } from '../../demo/dataset.ts';
import { sharesOf } from '../decompositions.ts';
import { dealRows, OWNERS } from '../owners.ts';
import { decomposeBetweenProcesses } from '../processes.ts';
import type { Used } from '../two-party.ts';
import type { Contributed, OwnerAssignment } from './owner-process.ts';

/** The case of a measured sketch. */
export interface SketchCase {
  readonly dataset: string;
  /** l. */
  readonly columns: number;
  /** k. */
  readonly components: number;
  /** Asked for; where it refuses, accuracy is that of `simulated`. */
  readonly twoParty: Task['twoParty'];
}

export interface SketchMeasured extends SketchCase {
  readonly features: number;
  readonly rows: number;
  /** Processor time of one owner's process, which has one thread: seconds on a core of its own. */
  readonly ownerSeconds: number;
  readonly ownerWallSeconds: number;
  readonly ownerPeakMemoryBytes: number;
  /** The bytes of its contribution. */
  readonly ownerBytes: number;
  readonly ciphertexts: number;
  /** From the request for a connection to the result, both directions; null where the protocol refuses the task. */
  readonly twoPartySeconds: number | null;
  readonly twoPartyBytes: number | null;
  readonly csp: Used | null;
  readonly dataUser: Used | null;
  /** The message of the protocol where it refuses the task; null where it computes it. */
  readonly refused: string | null;
  /** Shares of what exact components capture: of the result, and of the clear sketch by the same signs. */
  readonly varianceLost: number;
  readonly varianceLostClear: number;
}

const LABEL = 'label';
const SEED_BYTES = 32;
export const KEY_BITS = 2048;

/** A task over a file with the column `label`, by DJN with keys of 2048 bits; without columns a PCA of the whole scatter. */
export async function sketchTask(
  file: string,
  {
    columns,
    components,
    twoParty,
  }: Pick<SketchCase, 'components' | 'twoParty'> & { readonly columns?: number },
): Promise<{ readonly task: Task; readonly rows: number }> {
  const { rows, ...draft } = await draftTask(file, { method: 'pca', labels: [], ignore: [LABEL] });
  const sketch = columns === undefined ? undefined : { columns };
  const thumbprint = Thumbprint.parse(randomBytes(32).toString('base64url'));
  const proposal = TaskProposal.parse({
    ...draft,
    ...(sketch && { sketch }),
    components,
    minimumOwners: 2,
    maximumOwners: OWNERS,
    maximumSamplesPerOwner: Math.ceil(rows / OWNERS),
    keyBits: KEY_BITS,
    encryption: 'djn',
    twoParty,
    outputs: methodOf({ method: draft.method, sketch: sketch }).revealedByRotation,
    exact: true,
    allowFullRank: true,
    deadline: new Date(Date.now() + 3_600_000).toISOString(),
  });
  const task = {
    ...proposal,
    protocol: 'eigenveil/1',
    id: newTaskId(),
    csp: thumbprint,
    dataUser: thumbprint,
  };
  return { task: task as Task, rows };
}

/** Returns the message of the protocol that refuses a task; undefined where it computes it. */
export function refusalOf(task: Task): string | undefined {
  try {
    checkComputable(task);
    return undefined;
  } catch (error) {
    const { code, message } = error as { readonly code?: string; readonly message: string };
    if (code === undefined) throw error;
    return `${code}: ${message}`;
  }
}

/**
 * Over a file with a column `label`, dealt to as many owners as the published tables have. Ω comes from a fixed seed: a figure repeats.
 * @throws ERR_TASK_INVALID, ERR_FULL_RANK for columns that are too many or too few
 */
export async function measureSketch(
  wanted: SketchCase,
  file: string,
  { publicKey, note }: { readonly publicKey: PublicKey; readonly note?: (text: string) => void },
): Promise<SketchMeasured> {
  const { task, rows } = await sketchTask(file, wanted);
  const seed = new Uint8Array(SEED_BYTES).fill(1);
  note?.('owner');
  const { seconds, bytes, ...owner } = await contributed(task, { file, publicKey, seed });
  note?.('servers');
  const refused = refusalOf(task);
  const by: Task = refused === undefined ? task : { ...task, twoParty: 'simulated' };
  const { statistics, cells } = await pooled(by, file, seed);
  const signs = sketchMatrix(seed, task);
  const evaluated = await decomposeBetweenProcesses(by, {
    ...sharesOf(by, statistics),
    signs,
    verifiedOwners: OWNERS,
  });
  note?.('clear');
  const lost = varianceLost(cells, wanted.components);
  const clear = decompose(programOf(task), statistics, signs);
  return {
    ...wanted,
    features: task.features.length,
    rows,
    ownerSeconds: owner.cpuSeconds,
    ownerWallSeconds: seconds,
    ownerPeakMemoryBytes: owner.peakMemoryBytes,
    ownerBytes: bytes,
    ciphertexts: layout(task).plaintexts.length,
    twoPartySeconds: refused === undefined ? evaluated.seconds : null,
    twoPartyBytes: refused === undefined ? evaluated.bytes : null,
    csp: refused === undefined ? evaluated.csp : null,
    dataUser:
      refused === undefined
        ? { cpuSeconds: evaluated.cpuSeconds, peakMemoryBytes: evaluated.peakMemoryBytes }
        : null,
    refused: refused ?? null,
    varianceLost: lost(evaluated.decomposition),
    varianceLostClear: lost(clear),
  };
}

type ExactMeasured = Pick<
  SketchMeasured,
  'dataset' | 'components' | 'features' | 'ownerSeconds' | 'ownerBytes' | 'varianceLost'
> & { readonly twoPartySeconds: number; readonly twoPartyBytes: number };

/** Measures the same rows by `rotated` without a sketch, which takes up to 400 features. */
export async function measureExact(
  { dataset, components }: Pick<SketchCase, 'dataset' | 'components'>,
  file: string,
  publicKey: PublicKey,
): Promise<ExactMeasured> {
  const { task } = await sketchTask(file, { components, twoParty: 'rotated' });
  const seed = new Uint8Array(SEED_BYTES);
  const owner = await contributed(task, { file, publicKey, seed });
  const { statistics, cells } = await pooled(task, file, seed);
  const shares = { ...sharesOf(task, statistics), verifiedOwners: OWNERS };
  const evaluated = await decomposeBetweenProcesses(task, shares);
  return {
    dataset,
    components,
    features: task.features.length,
    ownerSeconds: owner.cpuSeconds,
    ownerBytes: owner.bytes,
    twoPartySeconds: evaluated.seconds,
    twoPartyBytes: evaluated.bytes,
    varianceLost: varianceLost(cells, components)(evaluated.decomposition),
  };
}

/** The contribution of the first of the owners, by a process of its own. */
async function contributed(
  task: Task,
  {
    file,
    publicKey,
    seed,
  }: { readonly file: string; readonly publicKey: PublicKey; readonly seed: Uint8Array },
): Promise<Contributed> {
  const folder = await mkdtemp(join(tmpdir(), 'eigenveil-sketch-'));
  const child = fork(fileURLToPath(new URL('./owner-process.ts', import.meta.url)), {
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  try {
    const [own] = await splitAmongOwners(file, OWNERS, folder);
    const ended = once(child, 'exit').then(([code, signal]) => {
      throw new Error(`the owner's process ended with ${code ?? signal}`);
    });
    ended.catch(() => undefined); // after its message it is what is expected
    const assignment: OwnerAssignment = {
      task,
      publicKey: publicKey.toJSON(),
      seed,
      file: own!,
      ignoredColumns: [LABEL],
      out: join(folder, 'contribution'),
    };
    child.send(assignment);
    const [message] = (await Promise.race([once(child, 'message'), ended])) as [Contributed];
    return message;
  } finally {
    child.kill();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The sums of all owners, and the discretised rows themselves. */
async function pooled(task: Task, file: string, seed: Uint8Array) {
  const discretiser = new Discretiser(task);
  const signs = task.sketch && sketchMatrix(seed, task);
  const cells: Float64Array[] = [];
  const owners = (await dealRows(file, task, [LABEL])).map((rows) => {
    const sums = new StatisticsAccumulator(task, signs);
    for (const { values, classes } of rows) {
      const row = Float64Array.from(discretiser.discretise(values));
      sums.add(row, classes);
      cells.push(row);
    }
    return sums.statistics();
  });
  return { statistics: owners.reduce(addStatistics), cells };
}

/** A share of the variance that as many exact components of these rows capture: the part that others do not. */
export function varianceLost(
  rows: readonly Float64Array[],
  components: number,
): (of: Pick<Components, 'vectors'>) => number {
  const centred = centredRows(rows);
  const features = centred[0]!.length;
  const columns = () =>
    Array.from({ length: features }, (_, i) => Float64Array.from(centred, (row) => row[i]!));
  // The products are those of rows or of columns, whichever are fewer: they have the same eigenvalues.
  const fewer = centred.length < features ? centred : columns();
  const { values } = symmetricEigen(fewer.map((one) => fewer.map((other) => inner(one, other))));
  const exact = values.slice(0, components).reduce((sum, value) => sum + value, 0);
  return ({ vectors }) => {
    let captured = 0;
    for (const vector of vectors) for (const row of centred) captured += inner(row, vector) ** 2;
    return 1 - captured / exact;
  };
}

function centredRows(rows: readonly Float64Array[]): Float64Array[] {
  const mean = new Float64Array(rows[0]!.length);
  for (const row of rows) for (const [i, cell] of row.entries()) mean[i]! += cell / rows.length;
  return rows.map((row) => row.map((cell, i) => cell - mean[i]!));
}

function inner(one: ArrayLike<number>, other: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < one.length; i += 1) sum += one[i]! * other[i]!;
  return sum;
}
