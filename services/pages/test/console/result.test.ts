/** What the view of a result shows is what the reference, ml-matrix, finds of the rows; and its lines of NumPy are the documented ones. */
import { readFile } from 'node:fs/promises';
import { remarksOf } from '@eigenveil/data-user/result';
import { signedResult } from '@eigenveil/made-up/signed-result';
import { newTaskId, Task } from '@eigenveil/task';
import { generatePrivateJwk, importSigningKey, Projection } from '@eigenveil/wire';
import { EigenvalueDecomposition, Matrix } from 'ml-matrix';
import { beforeAll, describe, expect, it } from 'vitest';
import { dataFile, exampleOf, reference, split } from '../../../../test/support/tasks.ts';
import { ticksOf } from '../../src/common/format.ts';
import { NUMPY } from '../../src/console/result/numpy.ts';
import { checkResult } from '../../src/console/result/verify.ts';
import {
  arrowsOf,
  componentRows,
  largestEntry,
  loadingRows,
  longest,
  strengthOf,
  stretchOf,
  whyNoShares,
} from '../../src/methods/figures.ts';

const KEY = 'A'.repeat(43);

/** Iris, in clear: the task, its projection, and the scatter of the rows in doubles by the definition. */
async function iris(outputs: readonly string[]) {
  const { proposal, rows } = await exampleOf(dataFile('iris'), 'pca', { outputs, components: 2 });
  const task = Task.parse({ ...proposal, protocol: 'eigenveil/1', id: newTaskId(), csp: KEY, dataUser: KEY });
  const { method, twoParty, features, fractionBits } = task;
  const { decomposition } = reference(task, split(rows, 2));
  const projection = Projection.parse({
    ...{ taskId: task.id, taskDigest: KEY, method, twoParty, features, fractionBits, outputs },
    ...decomposition,
  });
  const scaled = rows.values.map((row) =>
    row.map((x, i) => (2 * (x - features[i]!.min)) / (features[i]!.max - features[i]!.min) - 1),
  );
  const centred = new Matrix(scaled).center('column');
  return { task, projection, scatter: centred.transpose().mmul(centred) };
}
let declared: Awaited<ReturnType<typeof iris>>;
beforeAll(async () => {
  declared = await iris(['trace']);
});

describe('a scree plot', () => {
  it('has the eigenvalues and shares that ml-matrix finds of the rows', () => {
    const { projection, scatter } = declared;
    const values = new EigenvalueDecomposition(scatter).realEigenvalues.sort((a, b) => b - a);
    const trace = values.reduce((sum, value) => sum + value, 0);
    const rows = componentRows(projection, [], 2);
    expect(rows.map(({ component }) => component)).toEqual([1, 2]);
    // Rows are rounded to 2^-14 before they are summed.
    for (const [j, { eigenvalue, share, sum }] of rows.entries()) {
      const together = values.slice(0, j + 1).reduce((so, value) => so + value, 0) / trace;
      expect(eigenvalue / values[j]!).toBeCloseTo(1, 3);
      expect(share).toMatchObject({ share: expect.closeTo(values[j]! / trace, 4) });
      expect(sum).toMatchObject({ share: expect.closeTo(together, 4) });
    }
    expect(whyNoShares(projection)).toBeNull();
  });

  it('has no shares of what nobody declared, and says why', async () => {
    const { projection } = await iris([]);
    expect(componentRows(projection, [], 2).every(({ share, sum }) => share === null && sum === null)).toBe(
      true,
    );
    expect(whyNoShares(projection)).toMatch(/neither "trace" nor "spectrum"/);
    expect(whyNoShares({ ...projection, method: { kind: 'lda', ridge: 1 } })).toMatch(/are of a PCA/);
  });

  it('goes on with a spectrum that was declared, without vectors', async () => {
    const { projection } = await iris(['spectrum']);
    const rows = componentRows(projection, [], 2);
    expect(rows.map(({ beyond }) => beyond)).toEqual([false, false, true, true]);
    expect(rows.map(({ eigenvalue }) => eigenvalue)).toEqual([
      ...projection.eigenvalues,
      ...projection.spectrum!.slice(2),
    ]);
    expect(rows[0]!.share).toMatchObject({
      share: expect.closeTo(
        projection.eigenvalues[0]! / projection.spectrum!.reduce((sum, value) => sum + value, 0),
        12,
      ),
    });
  });

  it('has the remarks of each component and whether it was found', () => {
    const { task, projection } = declared;
    const lost = { ...projection, converged: [true, false] };
    const rows = componentRows(lost, remarksOf(task, lost), 2);
    expect(rows.map(({ converged }) => converged)).toEqual([true, false]);
    expect(rows.map(({ remarks }) => remarks)).toEqual([[], ['not-found']]);
  });
});

describe('a biplot', () => {
  it("has arrows whose squares add up to a feature's scatter over all components", async () => {
    const { projection, scatter } = await iris(['spectrum']);
    const { vectors } = new EigenvalueReference(scatter);
    const whole = { ...projection, vectors, eigenvalues: projection.spectrum! };
    const pairs = [arrowsOf(whole, 0, 1), arrowsOf(whole, 2, 3)];
    for (const [i, { name }] of projection.features.entries()) {
      const squares = pairs.map((arrows) => arrows[i]!.x ** 2 + arrows[i]!.y ** 2);
      expect(squares[0]! + squares[1]!).toBeCloseTo(scatter.get(i, i), 1);
      expect(pairs[0]![i]!.feature).toBe(name);
    }
  });

  it('has arrows along the first two vectors that ml-matrix finds, times the roots of their eigenvalues', () => {
    const { projection, scatter } = declared;
    const { values, vectors } = new EigenvalueReference(scatter);
    for (const [i, { x, y }] of arrowsOf(projection, 0, 1).entries()) {
      expect(Math.abs(x)).toBeCloseTo(Math.abs(vectors[0]![i]! * Math.sqrt(values[0]!)), 2);
      expect(Math.abs(y)).toBeCloseTo(Math.abs(vectors[1]![i]! * Math.sqrt(values[1]!)), 2);
    }
  });

  const decomposed = {
    features: [{ name: 'a' }, { name: 'b' }],
    vectors: [
      [3, 0],
      [4, -1],
    ],
    eigenvalues: [4, -1],
  };
  it('takes no root of an eigenvalue that noise made negative, nor of a ratio', () => {
    expect(arrowsOf({ ...decomposed, method: { kind: 'pca' } }, 0, 1)).toEqual([
      { feature: 'a', x: 6, y: 0 },
      { feature: 'b', x: 0, y: -0 },
    ]);
    expect(arrowsOf({ ...decomposed, method: { kind: 'lda', ridge: 1 } }, 0, 1)).toEqual([
      { feature: 'a', x: 3, y: 4 },
      { feature: 'b', x: 0, y: -1 },
    ]);
  });

  it('stretches arrows to four fifths of the farthest point, and draws the longest', () => {
    const arrows = arrowsOf({ ...decomposed, method: { kind: 'lda', ridge: 1 } }, 0, 1);
    expect(stretchOf(arrows, 10)).toBeCloseTo(8 / 5, 12);
    expect(stretchOf(arrows, 0)).toBe(1);
    expect(stretchOf([], 3)).toBe(1);
    expect(longest(arrows, 1).map(({ feature }) => feature)).toEqual(['a']);
  });
});

/** Straight from the library, without our signs and checks. */
class EigenvalueReference {
  readonly values: number[];
  readonly vectors: number[][];
  constructor(matrix: Matrix) {
    const { realEigenvalues, eigenvectorMatrix } = new EigenvalueDecomposition(matrix, {
      assumeSymmetric: true,
    });
    const order = realEigenvalues.map((_, i) => i).sort((a, b) => realEigenvalues[b]! - realEigenvalues[a]!);
    this.values = order.map((i) => realEigenvalues[i]!);
    this.vectors = order.map((i) => eigenvectorMatrix.getColumn(i));
  }
}

describe('a heat map', () => {
  const projection = {
    features: ['a', 'b', 'c'].map((name) => ({ name })),
    vectors: [
      [0.1, -0.9, 0.4],
      [0.5, 0, -0.5],
    ],
  };
  it('keeps the order of the task, or begins with what counts most', () => {
    const rows = loadingRows(projection, { first: 0, count: 2, orderBy: null });
    expect(rows).toEqual([
      { feature: 'a', values: [0.1, 0.5] },
      { feature: 'b', values: [-0.9, 0] },
      { feature: 'c', values: [0.4, -0.5] },
    ]);
    const names = (orderBy: number) =>
      loadingRows(projection, { first: 1, count: 1, orderBy }).map(({ feature }) => feature);
    expect(names(0)).toEqual(['b', 'c', 'a']);
    expect(names(1)).toEqual(['a', 'c', 'b']);
  });

  it('colours by the largest entry of all components', () => {
    expect(largestEntry(projection.vectors)).toBe(0.9);
    expect([0, 0.45, -0.9, 2].map((value) => strengthOf(value, 0.9))).toEqual([0, 23, 45, 45]);
    expect(strengthOf(0, 0)).toBe(0);
  });
});

it('marks axes at round numbers', () => {
  const texts = (from: number, to: number, count: number) => ticksOf(from, to, count).map(({ text }) => text);
  expect(texts(-1, 1, 4)).toEqual(['-1.0', '-0.5', '0.0', '0.5', '1.0']);
  expect(texts(0.012, 0.055, 5)).toEqual(['0.02', '0.03', '0.04', '0.05']);
  expect(texts(-30, 170, 5)).toEqual(['0', '50', '100', '150']);
  expect(texts(0, 3e9, 3)).toEqual(['0', '1.0e+9', '2.0e+9', '3.0e+9']);
});

describe('signatures', () => {
  async function made() {
    const [csp, dataUser] = await Promise.all(
      [0, 1].map(async () => importSigningKey(await generatePrivateJwk())),
    );
    const { task, projection } = declared;
    const own = Task.parse({ ...task, csp: csp!.thumbprint, dataUser: dataUser!.thumbprint, outputs: [] });
    const { vectors, eigenvalues } = projection;
    const {
      agreement,
      projection: signed,
      provenance,
    } = await signedResult(csp!, dataUser!, own, {
      vectors,
      eigenvalues,
    });
    return { agreed: { task: own, agreement }, result: { projection: signed, provenance } };
  }

  it('are all checked, and who signed is told', async () => {
    const { agreed, result } = await made();
    const checked = await checkResult(agreed, result);
    expect(checked.projection.vectors).toEqual(declared.projection.vectors);
    expect(checked.provenance.verifiedOwners).toBe(3);
    expect(checked.csp).toBe(agreed.task.csp);
    expect(checked.plain).toEqual({
      ...checked.projection,
      provenance: { verifiedOwners: 3, ...result.provenance },
    });
    expect(checked.signed).toEqual({ ...agreed, ...result });
  });

  it.each([
    ['of another task', 'ERR_PROJECTION_INVALID', (a: Made, b: Made) => ({ ...a, result: b.result })],
    [
      'with the provenance of another',
      'ERR_PROVENANCE_INVALID',
      (a: Made, b: Made) => ({ ...a, result: { ...a.result, provenance: b.result.provenance } }),
    ],
    [
      'of a task that was changed',
      'ERR_AGREEMENT_INVALID',
      (a: Made) => ({ ...a, agreed: { ...a.agreed, task: { ...a.agreed.task, components: 1 } } }),
    ],
  ])('of a result %s are refused', async (_, code, change) => {
    const { agreed, result } = change(await made(), await made());
    await expect(checkResult(agreed, result)).rejects.toMatchObject({ code });
  });
  type Made = Awaited<ReturnType<typeof made>>;
});

it('has the lines of NumPy that the documents have, which a test of theirs runs', async () => {
  const page = await readFile(new URL('../../../../docs/library.md', import.meta.url), 'utf8');
  expect(/```python\n(.*?)```/s.exec(page)![1]).toBe(NUMPY);
});
