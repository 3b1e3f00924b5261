/** Rows through a chain: against the composition by hand, within the ranges that the tasks say; and chains in which something was changed. */

import { signedResult } from '@eigenveil/made-up/signed-result';
import { madeUpTask } from '@eigenveil/made-up/tasks';
import type { Feature } from '@eigenveil/methods';
import { basisFeatures, type Task } from '@eigenveil/task';
import {
  digestProjection,
  generatePrivateJwk,
  importSigningKey,
  newSalt,
  type SignedLink,
  type SigningKey,
} from '@eigenveil/wire';
import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type Link,
  Projector,
  type SignedProjection,
  statisticsThrough,
  verifyProjection,
} from '../src/index.ts';

const FEATURES: readonly Feature[] = [
  { name: 'age', min: 0, max: 100, twoValued: false, grain: 'cell' },
  { name: 'pulse', min: 40, max: 200, twoValued: false, grain: 'cell' },
  { name: 'weight', min: -50, max: 150, twoValued: false, grain: 'cell' },
  { name: 'height', min: 100, max: 220, twoValued: false, grain: 'cell' },
  { name: 'ward', min: 0, max: 1, twoValued: false, grain: 'cell' },
];

/** Vectors of length 1, at right angles, their largest entries positive. */
const FIRST = {
  vectors: [
    [0.6, 0.8, 0, 0, 0],
    [-0.48, 0.36, 0, 0.8, 0],
    [0, 0, 1, 0, 0],
  ],
  eigenvalues: [3, 2, 1],
  mean: [0.25, -0.125, 0, 0.5, -0.75],
};
const SECOND = {
  vectors: [
    [0.8, 0, -0.6],
    [0.36, 0.8, 0.48],
  ],
  eigenvalues: [2, 1],
  mean: [0.125, 0, -0.0625],
};

const firstTask = (changes: Partial<Task> = {}) =>
  madeUpTask('pca', 5, { features: [...FEATURES], components: 3, outputs: ['mean'], ...changes });
const taskOn = (earlier: Task, changes: Partial<Task> = {}) =>
  madeUpTask('pca', 3, {
    features: [...basisFeatures(earlier)],
    components: 2,
    outputs: ['mean'],
    basis: 'd'.repeat(43),
    id: 'u'.repeat(22) as Task['id'],
    ...changes,
  });
const linkOf = (
  task: Task,
  numbers: { vectors: number[][]; eigenvalues: number[]; mean: number[] },
): Link => ({
  task,
  projection: { ...task, ...numbers },
});

const rows = fc.array(
  fc.tuple(...FEATURES.map(({ min, max }) => fc.double({ min: min - 20, max: max + 20, noNaN: true }))),
  { maxLength: 5 },
);

describe('rows', () => {
  const [first, second] = [firstTask(), taskOn(firstTask())];
  const before = linkOf(first, FIRST);
  const chained = () => new Projector(second, linkOf(second, SECOND).projection, [before]);

  it('go through every link, each over the range that the next task says', () => {
    const projector = new Projector(before.task, before.projection);
    const range = 2 * Math.ceil(Math.sqrt(5));
    expect(second.features[0]).toMatchObject({ min: -range, max: range });
    fc.assert(
      fc.property(rows, (cells) => {
        const expected = projector
          .transform(cells)
          .map((components) =>
            SECOND.vectors.map((vector) =>
              vector.reduce((sum, entry, c) => sum + entry * (components[c]! / range - SECOND.mean[c]!), 0),
            ),
          );
        const got = chained().transform(cells);
        expect(got).toHaveLength(cells.length);
        for (const [r, row] of got.entries())
          for (const [c, value] of row.entries()) // to the rounding of three components
            expect(Math.abs(value - expected[r]![c]!)).toBeLessThan(3 * 2 ** -14);
        expect(Array.from(chained().transform(Float64Array.from(cells.flat())))).toEqual(got.flat());
      }),
    );
  });

  it('have the columns of the first link, whose clipped cells are counted', () => {
    const projector = chained();
    expect(projector.featureNames).toEqual(FEATURES.map(({ name }) => name));
    expect(projector.componentNames).toEqual(['component_1', 'component_2']);
    projector.transform([[101, 60, 0, 150, 1]]);
    expect(projector.clippedCells).toEqual([1, 0, 0, 0, 0]);
    expect(() => projector.transform([[1, 2, 3]])).toThrow(/expected 5 numbers, got 3/);
  });

  it('lead back to what reduces to them', () => {
    const projector = chained();
    const back = projector.inverseTransform([[0.05, -0.1]]);
    expect(back[0]).toHaveLength(5);
    for (const [c, value] of projector.transform(back)[0]!.entries())
      expect(Math.abs(value - [0.05, -0.1][c]!)).toBeLessThan(2 ** -11);
  });

  it('are summed as rows of the components', async () => {
    const cells = [
      [12, 60, 0, 150, 1],
      [70, 180, 99, 200, 0],
      [33, 90, -20, 120, 1],
    ];
    const reduced = new Projector(before.task, before.projection).transform(cells);
    const source = (values: readonly number[][]) =>
      async function* () {
        yield values.map((row) => ({ values: row, classes: [] }));
      };
    const through = await statisticsThrough(second, [before], {}, (columns) => {
      expect(columns).toEqual({ features: FEATURES, labellings: [] });
      return source(cells)();
    });
    const { basis: _, ...plain } = second;
    const byHand = await statisticsThrough(plain, [], {}, source(reduced));
    expect(through.statistics).toEqual(byHand.statistics);
    expect(through.rows).toBe(3);
  });

  it('never leave the range, whatever unit vectors and mean there are', () => {
    const number = fc.double({ min: -1, max: 1, noNaN: true });
    fc.assert(
      fc.property(
        fc.array(number, { minLength: 5, maxLength: 5 }),
        fc.array(number, { minLength: 5, maxLength: 5 }),
        fc.boolean(),
        fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
        (entries, mean, declared, corner) => {
          const length = Math.hypot(...entries);
          fc.pre(length > 1e-3);
          const largest = entries.reduce((a, b) => (Math.abs(b) > Math.abs(a) ? b : a));
          const vector = entries.map((entry) => (entry / length) * Math.sign(largest));
          const task = firstTask({ components: 1, outputs: declared ? ['mean'] : [] });
          const projection = { ...task, vectors: [vector], eigenvalues: [1], ...(declared && { mean }) };
          const [{ max } = { max: 0 }] = basisFeatures(task);
          // Farthest along the vector, and any corner.
          const along = FEATURES.map(({ min, max }, i) => (vector[i]! > 0 ? max : min));
          const any = FEATURES.map(({ min, max }, i) => (corner[i] ? max : min));
          for (const [value] of new Projector(task, projection).transform([along, any]))
            expect(Math.abs(value!)).toBeLessThanOrEqual(max);
        },
      ),
    );
  });

  it('are not reduced without the links, or by others', () => {
    const projection = linkOf(second, SECOND).projection;
    const refusal = expect.objectContaining({ code: 'ERR_BASIS_INVALID' });
    expect(() => new Projector(second, projection)).toThrow(refusal);
    expect(() => new Projector(first, before.projection, [before])).toThrow(refusal);
    expect(() => new Projector(second, projection, [linkOf(second, SECOND)])).toThrow(refusal);
    const narrow = firstTask({ components: 2 });
    const two = linkOf(narrow, { ...FIRST, vectors: FIRST.vectors.slice(1), eigenvalues: [2, 1] });
    expect(() => new Projector(second, projection, [two])).toThrow(refusal);
    expect(() => new Projector(second, { ...projection, basis: 'e'.repeat(43) }, [before])).toThrow(
      expect.objectContaining({ code: 'ERR_PROJECTION_INVALID' }),
    );
  });
});

describe('the signatures of a chain', () => {
  let csp: SigningKey;
  let dataUser: SigningKey;
  let links: SignedLink[];
  let signed: SignedProjection;

  const parties = () => ({ csp: csp.thumbprint, dataUser: dataUser.thumbprint, minimumOwners: 2 });
  const digestOf = ({ projection, provenance }: SignedLink) => digestProjection(provenance.salt, projection);
  /** PCA of five features, PCA of its three components, PCA of those two. */
  const chain = async (changes: readonly Partial<Task>[] = []) => {
    const tasks = [firstTask({ ...parties(), ...changes[0] })];
    const made: SignedLink[] = [await signedResult(csp, dataUser, tasks[0]!, FIRST)];
    const numbers = [SECOND, { vectors: [[0.6, 0.8]], eigenvalues: [1], mean: [0, 0] }];
    for (const [i, its] of numbers.entries()) {
      const own = { id: `${i}`.repeat(22) as Task['id'], components: its.vectors.length };
      const basis = digestOf(made.at(-1)!);
      tasks.push(taskOn(tasks.at(-1)!, { ...parties(), ...own, basis, ...changes[i + 1] }));
      made.push(await signedResult(csp, dataUser, tasks.at(-1)!, its));
    }
    return { made, signed: { ...made.at(-1)!, basis: made.slice(0, -1) } };
  };

  beforeAll(async () => {
    const newKey = async () => importSigningKey(await generatePrivateJwk());
    [csp, dataUser] = await Promise.all([newKey(), newKey()]);
    ({ made: links, signed } = await chain());
  });

  it('open a projector that applies all of it', async () => {
    const { basis } = await verifyProjection(signed, csp.publicJwk);
    expect(basis.map(({ provenance }) => provenance.projectionDigest)).toEqual(
      links.slice(0, 2).map(digestOf),
    );
    const projector = await Projector.open(JSON.parse(JSON.stringify(signed)), csp.thumbprint);
    expect(projector.features).toEqual(FEATURES);
    expect(projector.transform([[12, 60, 0, 150, 1]])[0]).toHaveLength(1);
  });

  it('are all looked at: nothing of a link may be another', async () => {
    const [first, second] = links as [SignedLink, SignedLink, SignedLink];
    const strange = await chain();
    const resalted = { ...first, provenance: { ...first.provenance, salt: newSalt() } };
    const other = { ...FIRST, vectors: FIRST.vectors.toReversed().map((v) => [...v]) };
    const unsigned = {
      ...first,
      projection: (await signedResult(csp, dataUser, first.task, other)).projection,
    };
    const byStranger = await signedResult(dataUser, csp, first.task, FIRST);
    const wrong = (basis: readonly SignedLink[]) => ({ ...signed, basis: [...basis] });
    const refused: [string, SignedProjection, string][] = [
      ['no links', { ...links.at(-1)! }, 'ERR_BASIS_INVALID'],
      ['a link left out', wrong([second]), 'ERR_BASIS_INVALID'],
      ['links in another order', wrong([second, first]), 'ERR_BASIS_INVALID'],
      ['a link twice', wrong([first, first, second]), 'ERR_BASIS_INVALID'],
      ['a genuine link of another chain', wrong([strange.made[0]!, second]), 'ERR_BASIS_INVALID'],
      ['the last link of another chain', wrong([first, strange.made[1]!]), 'ERR_BASIS_INVALID'],
      ['another salt', wrong([resalted, second]), 'ERR_PROVENANCE_INVALID'],
      ['a projection that was not countersigned', wrong([unsigned, second]), 'ERR_PROVENANCE_INVALID'],
      [
        'the countersignature of the next link',
        wrong([{ ...first, provenance: second.provenance }, second]),
        'ERR_PROVENANCE_INVALID',
      ],
      ['a link that another CSP has signed', wrong([byStranger, second]), 'ERR_AGREEMENT_INVALID'],
      [
        'a task with other ranges',
        wrong([{ ...first, task: { ...first.task, features: first.task.features.toReversed() } }, second]),
        'ERR_AGREEMENT_INVALID',
      ],
    ];
    for (const [what, changed, code] of refused)
      await expect(verifyProjection(changed, csp.publicJwk), what).rejects.toMatchObject({ code });
  });

  it('do not make up for a task that may not stand on the link', async () => {
    const narrow = taskOn(firstTask()).features.map((it) => ({ ...it, max: it.max / 2 }));
    for (const changes of [[{}, { features: narrow }], [{ releaseToOwners: false }]])
      await expect(verifyProjection((await chain(changes)).signed, csp.publicJwk)).rejects.toMatchObject({
        code: 'ERR_BASIS_INVALID',
      });
  });
});
