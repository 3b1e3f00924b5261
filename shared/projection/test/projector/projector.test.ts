/** Rows through the projector and back, and the file that it is loaded from. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signedResult } from '@eigenveil/made-up/signed-result';
import { Discretiser } from '@eigenveil/statistics';
import { Task, TaskProposal, type Thumbprint } from '@eigenveil/task';
import { generatePrivateJwk, importSigningKey, type SigningKey } from '@eigenveil/wire';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Projector, project, type SignedProjection, saveProjection } from '../../src/index.ts';

const FEATURES = [
  { name: 'age', min: 0, max: 100, twoValued: false },
  { name: 'pulse', min: 40, max: 200, twoValued: false },
  { name: 'ward', min: 3, max: 3, twoValued: false },
  { name: 'weight', min: -50, max: 150, twoValued: false },
];
const VECTORS = [
  [0.6, 0.8, 0, 0],
  [-0.48, 0.36, 0, 0.8],
];
const MEAN = [0.25, -0.125, 0, 0.5];

function proposalOf(method: object, outputs: readonly string[], components: number) {
  return TaskProposal.parse({
    method,
    outputs,
    components,
    features: FEATURES,
    labellings: [],
    minimumOwners: 2,
    maximumOwners: 5,
    maximumSamplesPerOwner: 100,
    deadline: '2031-01-01T00:00:00Z',
  });
}

/** A projector of these vectors; the task is one of a PCA. */
function projectorOf(vectors: readonly (readonly number[])[], mean?: readonly number[]): Projector {
  const task = proposalOf({ kind: 'pca' }, mean === undefined ? [] : ['mean'], vectors.length);
  const eigenvalues = vectors.map((_, c) => 2 - c / 4);
  return new Projector(task, { ...task, vectors, eigenvalues, mean });
}

const row = fc.tuple(
  ...FEATURES.map(({ min, max }) => fc.double({ min: min - 20, max: max + 20, noNaN: true })),
);
const coordinates = fc.array(fc.double({ min: -3, max: 3, noNaN: true }), { minLength: 2, maxLength: 2 });

describe('rows', () => {
  it('become what the definition says, to the last bit', () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 5 }), fc.integer({ min: 0, max: 2 }), (rows, extra) => {
        // One to four components, so that the last pass is full or not.
        const vectors = [...VECTORS, [0, 0, 1, 0], [0.64, -0.48, 0, 0.6]].slice(0, 2 + extra);
        const projector = projectorOf(vectors, MEAN);
        const discretiser = new Discretiser(projector.task);
        const scaled = rows.map((cells) => discretiser.discretise(cells).map((cell) => cell / 2 ** 14));
        const expected = project({ vectors, mean: MEAN }, scaled);
        expect(projector.transform(rows)).toEqual(expected);
        expect([...projector.transform(Float64Array.from(rows.flat()))]).toEqual(expected.flat());
        expect(projector.clippedCells).toEqual(
          // Both forms have counted.
          discretiser.clippedCells.map((cells) => 2 * cells),
        );
      }),
    );
  });

  it('known by hand: clipped to the range, scaled, centred', () => {
    const projector = projectorOf(VECTORS, MEAN);
    // Scaled: 1 (clipped from 1.4), 0, 0, -0.5.
    const [reduced] = projector.transform([[120, 120, 3, 0]]);
    expect(reduced![0]).toBeCloseTo(0.6 * 0.75 + 0.8 * 0.125, 14);
    expect(reduced![1]).toBeCloseTo(-0.48 * 0.75 + 0.36 * 0.125 - 0.8 * 1, 14);
    expect(projector.clippedCells).toEqual([1, 0, 0, 0]);
    expect(projector.featureNames).toEqual(['age', 'pulse', 'ward', 'weight']);
    expect(projector.componentNames).toEqual(['component_1', 'component_2']);
  });

  it('of another width, or with what is no number, are told by their place', () => {
    const projector = projectorOf(VECTORS);
    const good = [1, 50, 3, 2];
    const told = (name: string, text: RegExp) =>
      expect.objectContaining({ name, message: expect.stringMatching(text) });
    expect(() => projector.transform([good, [1, 2, 3]])).toThrow(
      told('RangeError', /rows\[1\].* 4 numbers, got 3/),
    );
    expect(() => projector.transform(new Float64Array(9))).toThrow(told('RangeError', /4 numbers, got 9 /));
    for (const bad of [Number.NaN, Infinity, -Infinity])
      for (const transform of [
        () => projector.transform([good, [1, 50, 3, bad]]),
        () => projector.transform(Float64Array.from([...good, 1, 50, 3, bad])),
      ])
        expect(transform).toThrow(
          expect.objectContaining({
            code: 'ERR_NOT_FINITE',
            message: expect.stringMatching(/rows\[1\].*"weight"/),
          }),
        );
    // As programs in plain JavaScript give them; by itself each becomes a number, null and a blank text 0.
    for (const bad of [null, '', '2', true, undefined]) {
      const rows = JSON.parse(JSON.stringify([good, [1, bad ?? null, 3, 2]])) as number[][];
      expect(() => projector.transform(rows)).toThrow(
        expect.objectContaining({
          code: 'ERR_NOT_FINITE',
          message: expect.stringMatching(/rows\[1\].*"pulse"/),
        }),
      );
    }
    expect(() => projector.inverseTransform([[1, 2, 3]])).toThrow(told('RangeError', /2 numbers, got 3/));
    expect(() => projector.inverseTransform([[1, Number.NaN]])).toThrow(
      expect.objectContaining({ code: 'ERR_NOT_FINITE' }),
    );
  });
});

describe('the way back', () => {
  it('leads to rows that reduce to the same coordinates, in both forms', () => {
    fc.assert(
      fc.property(fc.array(coordinates, { minLength: 1, maxLength: 4 }), (points) => {
        const projector = projectorOf(VECTORS, MEAN);
        const rows = projector.inverseTransform(points);
        expect([...projector.inverseTransform(Float64Array.from(points.flat()))]).toEqual(rows.flat());
        const scaled = rows.map((cells) =>
          cells.map((cell, i) => {
            const { min, max } = FEATURES[i]!;
            return min === max ? 0 : (2 * cell - min - max) / (max - min);
          }),
        );
        for (const [n, point] of project({ vectors: VECTORS, mean: MEAN }, scaled).entries())
          for (const [c, value] of point.entries()) expect(value).toBeCloseTo(points[n]![c]!, 12);
        for (const cells of rows) expect(cells[2]).toBe(3);
      }),
    );
  });

  it('leads to the row closest to the mean, though vectors are not orthogonal', () => {
    const task = {
      ...proposalOf({ kind: 'lda', ridge: 1 }, [], 2),
      labellings: [{ column: 'l', classes: ['a', 'b', 'c'] }],
    };
    const vectors = [
      [1, 0, 0, 0],
      [0.6, 0.8, 0, 0],
    ];
    const projector = new Projector(task, { ...task, vectors, eigenvalues: [2, 1] });
    // Scaled (1, -0.5, 0, 0): the last feature, which no vector has, stays in the middle of its range.
    const [back] = projector.inverseTransform([[1, 0.6 - 0.4]]);
    for (const [i, cell] of [100, 80, 3, 50].entries()) expect(back![i]).toBeCloseTo(cell, 12);
  });
});

describe('a file', () => {
  let folder: string;
  let csp: SigningKey;
  let dataUser: SigningKey;
  let signed: SignedProjection;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'eigenveil-projector-'));
    [csp, dataUser] = await Promise.all([newKey(), newKey()]);
    signed = await sign(csp, dataUser);
  });
  afterAll(() => rm(folder, { recursive: true }));

  const load = async (changed: unknown, thumbprint: Thumbprint = csp.thumbprint) => {
    const file = join(folder, 'changed.json');
    await writeFile(file, JSON.stringify(changed));
    return Projector.load(file, thumbprint);
  };

  it('keeps all that was signed, and is loaded without a service', async () => {
    const file = join(folder, 'saved.json');
    await saveProjection(file, signed);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(signed);
    const projector = await Projector.load(file, csp.thumbprint);
    const rows = [[12, 60, 3, 70]];
    expect(projector.transform(rows)).toEqual(projectorOf(VECTORS, MEAN).transform(rows));
  });

  it('of another CSP, or with anything changed, is refused', async () => {
    const stranger = await newKey();
    const other = await sign(stranger, dataUser);
    const widened = { ...signed.task, features: FEATURES.map((it) => ({ ...it, max: it.max + 1 })) };
    const refused: [string, unknown, string][] = [
      ['another CSP', other, 'ERR_CSP_IDENTITY'],
      ['a task with other ranges', { ...signed, task: widened }, 'ERR_AGREEMENT_INVALID'],
      [
        'a projection of somebody else',
        { ...signed, projection: (await sign(csp, stranger)).projection },
        'ERR_PROJECTION_INVALID',
      ],
      [
        'a projection of another task',
        { ...signed, projection: (await sign(csp, dataUser, { id: 'B'.repeat(22) })).projection },
        'ERR_PROJECTION_INVALID',
      ],
      [
        'a second projection that the CSP has not countersigned',
        { ...(await sign(csp, dataUser, {}, [VECTORS[1]!, VECTORS[0]!])), provenance: signed.provenance },
        'ERR_PROVENANCE_INVALID',
      ],
      ['no provenance', { ...signed, provenance: null }, 'ERR_PROJECTION_INVALID'],
      ['no agreement', { ...signed, agreement: undefined }, 'ERR_PROJECTION_INVALID'],
      [
        'the projection alone',
        JSON.parse(Buffer.from(signed.projection.split('.')[1]!, 'base64url').toString()),
        'ERR_PROJECTION_INVALID',
      ],
    ];
    for (const [what, changed, code] of refused)
      await expect(load(changed), what).rejects.toMatchObject({ code });
    await expect(load(signed, stranger.thumbprint)).rejects.toMatchObject({ code: 'ERR_CSP_IDENTITY' });
    await load(signed);
  });
});

async function newKey(): Promise<SigningKey> {
  return importSigningKey(await generatePrivateJwk());
}

/** As both servers sign the result of a task. */
async function sign(
  csp: SigningKey,
  dataUser: SigningKey,
  changes: object = {},
  vectors = VECTORS,
): Promise<SignedProjection> {
  const task = Task.parse({
    ...proposalOf({ kind: 'pca' }, ['mean'], 2),
    protocol: 'eigenveil/1',
    id: 'A'.repeat(22),
    csp: csp.thumbprint,
    dataUser: dataUser.thumbprint,
    ...changes,
  });
  return signedResult(csp, dataUser, task, { vectors, eigenvalues: [2, 1.75], mean: MEAN });
}
