/** The result that a sketch refines: what of it is looked at before anybody sums rows by its vectors. */
import { signedResult } from '@eigenveil/made-up/signed-result';
import { madeUpTask } from '@eigenveil/made-up/tasks';
import type { Task } from '@eigenveil/task';
import {
  digestProjection,
  generatePrivateJwk,
  importSigningKey,
  newSalt,
  type SignedLink,
  type SigningKey,
} from '@eigenveil/wire';
import { beforeAll, describe, expect, it } from 'vitest';
import { verifyBasis } from '../src/index.ts';

const D = 20;
const unit = (entries: Readonly<Record<number, number>>) =>
  Array.from({ length: D }, (_, i) => entries[i] ?? 0);
const VECTORS = [unit({ 0: 0.6, 1: 0.8 }), unit({ 0: 0.8, 1: -0.6 })];

let csp: SigningKey;
let dataUser: SigningKey;
beforeAll(async () => {
  const newKey = async () => importSigningKey(await generatePrivateJwk());
  [csp, dataUser] = await Promise.all([newKey(), newKey()]);
});

const parties = () => ({ csp: csp.thumbprint, dataUser: dataUser.thumbprint, minimumOwners: 2 });
const refinedTask = (changes: Partial<Task> = {}) =>
  madeUpTask('pca', D, { ...parties(), components: 2, ...changes });
/** A result of these vectors, signed and countersigned. */
const resultOf = (vectors: number[][], changes: Partial<Task> = {}): Promise<SignedLink> =>
  signedResult(csp, dataUser, refinedTask(changes), { vectors, eigenvalues: [2, 1] });
/** A task that refines it. */
const refining = ({ projection, provenance }: SignedLink, changes: Partial<Task> = {}) =>
  madeUpTask('pca', D, {
    ...parties(),
    id: 'u'.repeat(22) as Task['id'],
    components: 2,
    outputs: ['mean', 'sampleCount'],
    sketch: { columns: 12, refine: digestProjection(provenance.salt, projection) },
    ...changes,
  });
const verified = async (task: Task, links: readonly SignedLink[]) =>
  verifyBasis(task, links, csp.publicJwk).then(
    ([link]) => link!.projection.vectors,
    ({ code }: { code: string }) => code,
  );

describe('the result that a sketch refines', () => {
  it('is taken as the CSP has countersigned it', async () => {
    const link = await resultOf(VECTORS);
    expect(await verified(refining(link), [link])).toEqual(VECTORS);
    // Whatever it stands on or refines itself: that was for its owners to look at.
    const again = await resultOf(VECTORS, { id: 'v'.repeat(22) as Task['id'] });
    expect(await verified(refining(again), [again])).toEqual(VECTORS);
  });

  it.each<[string, number[][]]>([
    ['of another length', [unit({ 0: 0.6, 1: 0.7 }), VECTORS[1]!]],
    ['a thousand times as long', [unit({ 0: 600, 1: 800 }), VECTORS[1]!]],
    ['that are not orthogonal', [VECTORS[0]!, unit({ 0: 0.7, 1: Math.sqrt(1 - 0.49) })]],
    ['one of which comes twice', [VECTORS[0]!, VECTORS[0]!]],
    ['of other features', [VECTORS[0]!.slice(1), VECTORS[1]!.slice(1)]],
    ['fewer than the task has', [VECTORS[0]!]],
    ['more than the task has', [...VECTORS, unit({ 5: 1 })]],
  ])('has no vectors %s, also where that was countersigned', async (_, vectors) => {
    const link = await resultOf(vectors);
    expect(await verified(refining(link), [link])).toBe('ERR_PROJECTION_INVALID');
  });

  it('is no other than the one that the task names', async () => {
    const link = await resultOf(VECTORS);
    const other = await resultOf(VECTORS.toReversed());
    const task = refining(link);
    for (const [links, code] of [
      [[], 'ERR_BASIS_INVALID'],
      [[other], 'ERR_BASIS_INVALID'],
      [[link, link], 'ERR_BASIS_INVALID'],
      [[other, link], 'ERR_BASIS_INVALID'],
      [[{ ...link, projection: other.projection }], 'ERR_PROVENANCE_INVALID'],
      [[{ ...link, provenance: { ...link.provenance, salt: newSalt() } }], 'ERR_PROVENANCE_INVALID'],
      [[await signedResult(dataUser, csp, link.task, numbers())], 'ERR_AGREEMENT_INVALID'],
    ] as const)
      expect(await verified(task, links)).toBe(code);
    // Nor does a task without `refine` get any.
    expect(await verified(refining(link, { sketch: { columns: 12 } }), [link])).toBe('ERR_BASIS_INVALID');
  });

  it('is of the same features, with enough columns of signs beside', async () => {
    const link = await resultOf(VECTORS);
    const refine = refining(link).sketch!.refine!;
    const features = link.task.features.with(7, { name: 'f7', min: 0, max: 2, twoValued: false });
    for (const changes of [{ features }, { sketch: { columns: 11, refine } }])
      expect(await verified(refining(link, changes), [link])).toBe('ERR_BASIS_INVALID');
    const kept = await resultOf(VECTORS, { releaseToOwners: false });
    expect(await verified(refining(kept), [kept])).toBe('ERR_BASIS_INVALID');
  });
});

const numbers = () => ({ vectors: VECTORS, eigenvalues: [2, 1] });
