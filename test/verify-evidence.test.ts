/**
 * The check of a result in a file by the CSP's thumbprint alone, as programs of another language use it.
 *
 * @claims S-270, S-271
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signedResult } from '@eigenveil/made-up/signed-result';
import type { SignedProjection } from '@eigenveil/projection';
import { Task, TaskProposal } from '@eigenveil/task';
import { generatePrivateJwk, importSigningKey, type SigningKey } from '@eigenveil/wire';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { jsonOf, problemOf, runInProcess } from './support/in-process.ts';

const FEATURES = [
  { name: 'age', min: 0, max: 100 },
  { name: 'pressure', min: 80, max: 200 },
];
const NUMBERS = {
  vectors: [[0.6, 0.8]],
  eigenvalues: [30],
  mean: [0.25, -0.125],
  trace: 40,
  sampleCount: 150,
};
const folder = await mkdtemp(join(tmpdir(), 'eigenveil-evidence-'));
const path = (name: string) => join(folder, name);
let csp: SigningKey;
let dataUser: SigningKey;
let evidence: SignedProjection;

const newKey = async () => importSigningKey(await generatePrivateJwk());
const taskOf = (changes: object) =>
  Task.parse({
    ...TaskProposal.parse({
      method: { kind: 'pca' },
      outputs: ['mean', 'trace', 'sampleCount'],
      components: 1,
      features: FEATURES,
      labellings: [],
      minimumOwners: 2,
      maximumOwners: 5,
      maximumSamplesPerOwner: 100,
      deadline: '2031-01-01T00:00:00Z',
      ...changes,
    }),
    protocol: 'eigenveil/1',
    id: 'A'.repeat(22),
    csp: csp.thumbprint,
    dataUser: dataUser.thumbprint,
  });

/** Verifies a file of this content, without the folder of an owner. */
async function verify(content: string, { by = csp.thumbprint as string, id = [] as string[] } = {}) {
  await writeFile(path('evidence.json'), content);
  const file = ['--evidence', path('evidence.json'), '--home', path('nobody')];
  return runInProcess('owner', '--json', 'verify', ...id, ...file, '--csp-thumbprint', by);
}

beforeAll(async () => {
  [csp, dataUser] = [await newKey(), await newKey()];
  evidence = await signedResult(csp, dataUser, taskOf({}), NUMBERS);
});
afterAll(() => rm(folder, { recursive: true }));

test('a result is verified by the thumbprint alone, and comes as it was signed', async () => {
  const { task } = evidence;
  const told = jsonOf(await verify(JSON.stringify(evidence)));
  expect(told).toEqual({
    task: JSON.parse(JSON.stringify(task)),
    signedBy: { csp: csp.thumbprint, dataUser: dataUser.thumbprint },
    provenance: {
      verifiedOwners: 3,
      contributionsRoot: expect.any(String),
      unblindingDigest: expect.any(String),
      projectionDigest: expect.any(String),
    },
    contributed: null,
    projection: expect.objectContaining({ taskId: task.id, ...NUMBERS }),
    basis: [],
    rows: { features: ['age', 'pressure'], columns: ['component_1'] },
    exactCount: 150,
    explained: {
      each: [{ share: 0.75, from: 0.75, to: 0.75 }],
      together: [{ share: 0.75, from: 0.75, to: 0.75 }],
    },
  });
  expect(jsonOf(await verify(JSON.stringify(evidence), { id: [task.id] }))).toEqual(told);
  const other = await verify(JSON.stringify(evidence), { id: ['B'.repeat(22)] });
  expect(problemOf(other)).toMatchObject({ exitCode: 2, code: 'ERR_CONFIGURATION' });
});

test.each([
  ['replace', 150],
  ['add-remove', null],
] as const)('a number of rows is exact unless it has noise, as with %s it has', async (neighbours, count) => {
  const differentialPrivacy = {
    ...{ epsilon: 1, delta: 1e-6, neighbours, clippingNorm: 1 },
    ...{ noise: 'servers', honestOwners: null, dataIndependentRanges: true },
  };
  const noisy = await signedResult(csp, dataUser, taskOf({ differentialPrivacy }), NUMBERS);
  expect(jsonOf(await verify(JSON.stringify(noisy)))).toMatchObject({
    exactCount: count,
    projection: { sampleCount: 150, differentialPrivacy: { neighbours } },
    explained: { each: ['wide'] },
  });
});

describe('refused is', () => {
  /** A signed statement with another content, under the same signature. */
  const altered = (jws: string, find: string, replace: string) => {
    const [header, payload, signature] = jws.split('.');
    const text = Buffer.from(payload!, 'base64url').toString();
    expect(text).toContain(find);
    return [header, Buffer.from(text.replace(find, replace)).toString('base64url'), signature].join('.');
  };

  test.each<[string, () => object, string]>([
    [
      'an entry of a vector that was changed',
      () => ({ ...evidence, projection: altered(evidence.projection, '0.6,0.8', '0.8,0.6') }),
      'ERR_PROJECTION_INVALID',
    ],
    [
      'a task with another range',
      () => ({
        ...evidence,
        task: { ...evidence.task, features: [{ ...evidence.task.features[0], max: 90 }, FEATURES[1]] },
      }),
      'ERR_AGREEMENT_INVALID',
    ],
    [
      'another number of owners',
      () => ({
        ...evidence,
        provenance: {
          ...evidence.provenance,
          statement: altered(evidence.provenance.statement, '"verifiedOwners":3', '"verifiedOwners":4'),
        },
      }),
      'ERR_PROVENANCE_INVALID',
    ],
  ])('%s', async (_, change, code) => {
    expect(problemOf(await verify(JSON.stringify(change())))).toMatchObject({ exitCode: 3, code });
  });

  test('a result that its data user has signed, and the CSP has not countersigned', async () => {
    const numbers = { ...NUMBERS, vectors: [[0.8, 0.6]] };
    const { projection } = await signedResult(csp, dataUser, evidence.task, numbers);
    const answer = await verify(JSON.stringify({ ...evidence, projection }));
    expect(problemOf(answer)).toMatchObject({ exitCode: 3, code: 'ERR_PROVENANCE_INVALID' });
  });

  test('a file under the thumbprint of another CSP', async () => {
    const answer = await verify(JSON.stringify(evidence), { by: dataUser.thumbprint });
    expect(problemOf(answer)).toMatchObject({ exitCode: 3, code: 'ERR_CSP_IDENTITY' });
  });

  test('a file that is cut off, and one that is not there', async () => {
    const text = JSON.stringify(evidence);
    const cut = await verify(text.slice(0, -100));
    expect(problemOf(cut)).toMatchObject({ exitCode: 2, code: 'ERR_CONFIGURATION' });
    const words = ['--evidence', path('none.json'), '--csp-thumbprint', csp.thumbprint];
    const none = await runInProcess('owner', '--json', 'verify', ...words);
    expect(problemOf(none)).toMatchObject({ exitCode: 2, code: 'ERR_CONFIGURATION' });
  });

  test('a projection without its signatures, under a code of its own', async () => {
    const [, payload] = evidence.projection.split('.');
    const answer = await verify(Buffer.from(payload!, 'base64url').toString());
    expect(problemOf(answer)).toMatchObject({ exitCode: 2, code: 'ERR_EVIDENCE_UNSIGNED' });
  });
});
