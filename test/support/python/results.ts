/**
 * Writes signed results of every kind, with rows and what Eigenveil's own projector makes of them, for the tests of
 * the Python package: `node test/support/python/results.ts FOLDER ROWS [NAME…]`.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { signedResult } from '@eigenveil/made-up/signed-result';
import type { ProjectionKind } from '@eigenveil/methods';
import {
  explainedVariance,
  openProjection,
  Predictor,
  Projector,
  type SignedProjection,
} from '@eigenveil/projection';
import { basisFeatures, newTaskId, Task, type TaskProposal } from '@eigenveil/task';
import {
  digestProjection,
  generatePrivateJwk,
  importSigningKey,
  type SigningKey,
  thumbprintOf,
} from '@eigenveil/wire';
import { dataFile, exampleOf, type LabelledRows, reference, split } from '../tasks.ts';

const [folder, count, ...names] = process.argv.slice(2);

/** A PCA that declares all that shares of the variance need, with a guarantee. */
const privatePca = (epsilon: number, neighbours: string): [ProjectionKind, Record<string, unknown>] => [
  'pca',
  {
    components: 3,
    outputs: ['mean', 'trace', 'sampleCount'],
    // As long as a row of the eight features can be: none is clipped.
    differentialPrivacy: {
      ...{ epsilon, delta: 1e-6, neighbours, clippingNorm: 3 },
      dataIndependentRanges: true,
    },
  },
];

/** Results by name: of which method, and with which changes of the proposal. */
const RESULTS: Readonly<Record<string, readonly [ProjectionKind, Record<string, unknown>]>> = {
  pca: ['pca', { components: 5, outputs: ['mean', 'trace', 'sampleCount'] }],
  bare: ['pca', { components: 3 }],
  correlation: [
    'pca',
    {
      method: { kind: 'pca', scale: 'correlation' },
      ...{
        components: 3,
        twoParty: 'rotated',
        outputs: ['mean', 'trace', 'sampleCount', 'spectrum', 'variances'],
      },
    },
  ],
  lda: ['lda', { components: 1, outputs: ['mean', 'sampleCount'] }],
  // Shares can be told of the first two, of which the first has an exact number of rows, and not of the third.
  replace: privatePca(20, 'replace'),
  private: privatePca(8, 'add-remove'),
  noisy: privatePca(0.1, 'replace'),
  ridge: ['pca', { method: { kind: 'ridge', ridge: 1 }, components: 0, outputs: [] }],
  pcr: ['pca', { method: { kind: 'pcr', ridge: 0 }, components: 3, outputs: [] }],
};

interface Written {
  readonly task: Task;
  readonly signed: SignedProjection;
  readonly csp: SigningKey;
  readonly dataUser: SigningKey;
}

const newKey = async () => importSigningKey(await generatePrivateJwk());
const parties = async () => ({ csp: await newKey(), dataUser: await newKey() });

async function signedBy(
  { csp, dataUser }: Pick<Written, 'csp' | 'dataUser'>,
  proposal: TaskProposal,
  parts: readonly LabelledRows[],
): Promise<Written> {
  const ids = { csp: await thumbprintOf(csp.publicJwk), dataUser: await thumbprintOf(dataUser.publicJwk) };
  const task = Task.parse({ ...proposal, ...ids, protocol: 'eigenveil/1', id: newTaskId() });
  const { decomposition } = reference(proposal, parts);
  const { vectors, eigenvalues, mean, ...others } = decomposition;
  const numbers = { ...others, vectors: vectors.map((it) => [...it]), eigenvalues: [...eigenvalues] };
  const signed = await signedResult(csp, dataUser, task, { ...numbers, ...(mean && { mean: [...mean] }) });
  return { task, signed, csp, dataUser };
}

/** Numbers of mulberry32: the same in every run. */
function* uniform(state: number): Generator<number, never> {
  for (let at = state; ; ) {
    at = (at + 0x6d2b79f5) | 0;
    let t = Math.imul(at ^ (at >>> 15), 1 | at);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    yield ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }
}

/** Rows around the ranges, some cells of which lie outside, at an end, or halfway between two integers of the grid. */
function rowsFor(features: Projector['features'], fractionBits: number, rows: number): Float64Array {
  const random = uniform(54);
  const next = () => random.next().value;
  const flat = new Float64Array(rows * features.length);
  for (let at = 0; at < flat.length; at += 1) {
    const { min, max } = features[at % features.length]!;
    const kind = next();
    const place = next() * 1.2 - 0.1;
    const half = (Math.floor(place * 2 ** fractionBits) + 0.5) / 2 ** fractionBits;
    flat[at] = kind < 0.02 ? min : kind < 0.04 ? max : min + (max - min) * (kind < 0.1 ? half : place);
  }
  return flat;
}

async function write(name: string, { signed, csp }: Written): Promise<void> {
  const thumbprint = await thumbprintOf(csp.publicJwk);
  const opened = await openProjection(signed, thumbprint);
  const { task, projection, basis, provenance } = opened;
  const by =
    projection.regression === undefined
      ? new Projector(task, projection, basis)
      : new Predictor(task, projection);
  const flat = rowsFor(by.features, task.fractionBits, Number(count));
  const width = by.features.length;
  const rows = () =>
    Array.from({ length: flat.length / width }, (_, n) => flat.subarray(n * width, (n + 1) * width));
  const reduced = by instanceof Projector ? by.transform(flat) : Float64Array.from(by.predict(rows()));
  const back = by instanceof Projector ? by.inverseTransform(reduced) : undefined;
  const into = join(folder!, name);
  await mkdir(into, { recursive: true });
  await writeFile(join(into, 'evidence.json'), `${JSON.stringify(signed)}\n`);
  await writeFile(join(into, 'projection.json'), `${JSON.stringify(projection, null, 2)}\n`);
  await writeFile(join(into, 'rows.f64'), flat);
  await writeFile(join(into, 'reduced.f64'), reduced);
  if (back !== undefined) await writeFile(join(into, 'back.f64'), back);
  await writeFile(
    join(into, 'facts.json'),
    JSON.stringify({
      ...{ thumbprint, features: by.featureNames, clipped: by.clippedCells, taskId: task.id },
      explained: explainedVariance(projection, provenance.verifiedOwners) ?? null,
    }),
  );
}

const isWanted = (name: string) => names.length === 0 || names.includes(name);

for (const [name, [kind, changes]] of Object.entries(RESULTS)) {
  if (!isWanted(name)) continue;
  const { proposal, rows } = await exampleOf(dataFile('pima'), kind, changes);
  await write(name, await signedBy(await parties(), proposal, split(rows, 2)));
}

if (isWanted('chain')) {
  const { proposal, rows } = await exampleOf(dataFile('pima'), 'pca', { components: 4, outputs: ['mean'] });
  const keys = await parties();
  const first = await signedBy(keys, proposal, split(rows, 2));
  const opened = await openProjection(first.signed, await thumbprintOf(keys.csp.publicJwk));
  const values = new Projector(opened.task, opened.projection).transform(rows.values);
  const basis = digestProjection(first.signed.provenance.salt, first.signed.projection);
  const later = { ...proposal, features: [...basisFeatures(first.task)], components: 2, basis };
  const second = await signedBy(keys, later, split({ ...rows, values: values.map((row) => [...row]) }, 2));
  await write('chain', {
    ...second,
    signed: { ...second.signed, basis: [first.signed] } as SignedProjection,
  });
}
