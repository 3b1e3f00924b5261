/** Decompositions of real data sets, each in two fresh processes over TLS, against the clear reference. */

import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { draftTask } from '@eigenveil/data-user';
import { methodOf, type ProjectionKind } from '@eigenveil/methods';
import { systemRandomness } from '@eigenveil/privacy';
import { decompose, pencil, principalAngles, varianceCaptured } from '@eigenveil/projection';
import { draw, sharesAtCsp, sharesAtDataUser } from '@eigenveil/protocol/servers';
import { addStatistics, flatten, layout, type Statistics } from '@eigenveil/statistics';
import { newTaskId, programOf, type Task, TaskProposal } from '@eigenveil/task';
import type { LineOptions } from '@eigenveil/testbed/proxies/line';
import { Thumbprint } from '@eigenveil/wire';
import { dealRows, OWNERS, sumRows } from './owners.ts';
import { decomposeBetweenProcesses, type Shares } from './processes.ts';
import { writeSynthetic, writeWide } from './synthetic.ts';
import type { Used } from './two-party.ts';

export interface Case {
  /** Between the two servers, if there is more than the loopback interface. */
  readonly line?: LineOptions;
  readonly countsTrips?: boolean;
  readonly twoParty: Task['twoParty'];
  readonly method: ProjectionKind;
  /** True for a PCA of the correlation matrix instead of the scatter matrix. */
  readonly scale?: 'correlation';
  readonly dataset: string;
  readonly components: number;
  /** Present for a task that is not exact: its noise enters before the first product, and the reference has none. */
  readonly floor?: 'yes';
  /** ρ of a discriminant method, if not that of a draft. */
  readonly ridge?: number;
}

export interface Measured extends Case {
  readonly features: number;
  readonly classes: number;
  readonly andGates: number;
  /** The bytes in both directions. */
  readonly bytes: number;
  /** Messages that wait for each other; only of a run that counts them, whose time then says less. */
  readonly trips?: number;
  readonly seconds: number;
  /** The part of these that the data user waited for no other reason than not to tell the CSP by time: see Pace. */
  readonly waitSeconds: number;
  /** The smallest among components whose eigenvalue is at least 5 % from its neighbours. */
  readonly minCosine: number;
  /** Variance of the total scatter within the subspace, over that of the reference's. */
  readonly varianceRatio: number;
  /** Sine of the largest angle between the subspaces, times the gap after component k over λ₁. */
  readonly maxSineGap: number;
  /** Largest |Δλ| over λ₁. */
  readonly maxEigenvalueError: number;
  /** The resources of the whole processes. */
  readonly garbler: Used;
  readonly evaluator: Used;
}

const SMALLEST_GAP = 0.05;
const BUNDLED = fileURLToPath(new URL('../../data', import.meta.url));
/** Read at each call: a test names another folder after this module is loaded. */
const others = () =>
  process.env.EIGENVEIL_DATA ?? fileURLToPath(new URL('../../../shared/data', import.meta.url));

/** A data set of this name and number of features is made by `writeSynthetic` or, where rows are few and features many, `writeWide`. */
const SYNTHETIC = /^(synthetic|wide)(\d+)$/;
/** Written once, however many suites ask for it: always the same rows. */
const synthetic = new Map<string, Promise<string>>();

/** The file of a data set, or undefined where it is neither bundled nor in EIGENVEIL_DATA. */
export async function dataFile(dataset: string): Promise<string | undefined> {
  const [, kind, features] = SYNTHETIC.exec(dataset) ?? [];
  if (features !== undefined) {
    const file = join(tmpdir(), `eigenveil-${dataset}.csv`);
    const write = kind === 'wide' ? writeWide : writeSynthetic;
    const written = synthetic.get(dataset) ?? write(file, Number(features)).then(() => file);
    synthetic.set(dataset, written);
    return written;
  }
  return [BUNDLED, others()]
    .flatMap((folder) => [`${folder}/${dataset}.csv`, `${folder}/${dataset}.csv.gz`])
    .find((file) => existsSync(file));
}

export async function measureCase(wanted: Case, file: string): Promise<Measured> {
  const { task, statistics } = await pooled(wanted, file);
  const evaluated = await decomposeBetweenProcesses(
    task,
    { ...sharesOf(task, statistics), verifiedOwners: OWNERS },
    wanted,
  );
  // `rotated` declares more than the reference has for every method.
  const program = { ...programOf(task), outputs: [] };
  const { vectors, eigenvalues } = evaluated.decomposition;
  const expected = decompose(program, statistics);
  const all = decompose(
    {
      ...program,
      components: Math.min(expected.vectors.length + 1, program.featureCount),
      allowFullRank: true,
    },
    statistics,
  );
  // The vectors of a correlation matrix are longer than 1.
  const cosines = expected.vectors.map((vector, i) => {
    const product = vector.reduce((sum, entry, j) => sum + entry * vectors[i]![j]!, 0);
    return Math.abs(product) / (Math.hypot(...vector) * Math.hypot(...vectors[i]!));
  });
  const separate = cosines.filter((_, i) => gapOf(all.eigenvalues, i) >= SMALLEST_GAP);
  const { A } = pencil(program, statistics);
  if (eigenvalues.length !== expected.eigenvalues.length) throw new Error('the number of components differs');
  const [largest, k] = [all.eigenvalues[0]!, vectors.length];
  const angle = Math.max(...principalAngles(vectors, expected.vectors));
  const gap = all.eigenvalues[k - 1]! - (all.eigenvalues[k] ?? 0);
  const errors = eigenvalues.map((value, i) => Math.abs(value - expected.eigenvalues[i]!));
  return {
    ...wanted,
    components: vectors.length,
    features: task.features.length,
    classes: task.labellings[0]?.classes.length ?? 1,
    andGates: evaluated.andGates,
    bytes: evaluated.bytes,
    ...(evaluated.trips !== undefined && { trips: evaluated.trips }),
    seconds: evaluated.seconds,
    waitSeconds: evaluated.waitSeconds,
    minCosine: Math.min(...separate),
    varianceRatio: varianceCaptured(vectors, A) / varianceCaptured(expected.vectors, A),
    maxSineGap: (Math.sin(angle) * gap) / largest,
    maxEigenvalueError: Math.max(...errors) / largest,
    garbler: evaluated.csp,
    evaluator: { peakMemoryBytes: evaluated.peakMemoryBytes, cpuSeconds: evaluated.cpuSeconds },
  };
}

/** Distance to the nearer neighbour over the eigenvalue itself. */
function gapOf(values: readonly number[], i: number): number {
  const neighbours = [values[i - 1], values[i + 1]].filter((value) => value !== undefined);
  return Math.min(...neighbours.map((value) => Math.abs(values[i]! - value) / values[i]!));
}

/** The statistics of all rows of a file, as OWNERS owners together would send them. */
async function pooled(
  { method, scale, components, twoParty, floor, ridge }: Case,
  file: string,
): Promise<{ task: Task; statistics: Statistics }> {
  const ignore = method === 'pca' ? ['label'] : [];
  const { rows, ...draft } = await draftTask(file, {
    method: scale === 'correlation' ? scale : method,
    labels: method === 'pca' ? [] : ['label'],
    ignore,
  });
  const thumbprint = Thumbprint.parse(randomBytes(32).toString('base64url'));
  const proposal = TaskProposal.parse({
    ...draft,
    ...(ridge !== undefined && { method: { ...draft.method, ridge } }),
    components,
    exact: floor === undefined,
    allowFullRank: true,
    minimumOwners: 2,
    maximumOwners: OWNERS,
    maximumSamplesPerOwner: Math.ceil(rows / OWNERS),
    twoParty,
    outputs: twoParty === 'rotated' ? methodOf(draft).revealedByRotation : [],
    deadline: new Date(Date.now() + 3_600_000).toISOString(),
  });
  const task: Task = {
    ...proposal,
    protocol: 'eigenveil/1',
    id: newTaskId(),
    csp: thumbprint,
    dataUser: thumbprint,
  };
  const owners = await dealRows(file, task, ignore);
  return { task, statistics: owners.map((rows) => sumRows(task, rows)).reduce(addStatistics) };
}

/** Both servers' shares of the statistics, as unblinding leaves them. */
export function sharesOf(task: Task, statistics: Statistics): Pick<Shares, 'csp' | 'dataUser'> {
  const drawn = draw({ task, packing: layout(task) }, systemRandomness);
  const slots = flatten(task, statistics).map((value, v) => value + drawn.blinding.at(v)!);
  return {
    csp: [...sharesAtCsp(task, slots, systemRandomness)],
    dataUser: [...sharesAtDataUser(task, drawn)],
  };
}
