/** A proposal has one key, however often and however close together it comes, and tells nobody what others have proposed. */
import { PaillierPool } from '@eigenveil/paillier';
import type { Task } from '@eigenveil/task';
import { generatePrivateJwk, importSigningKey, type SigningKey } from '@eigenveil/wire';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CspDependencies, CspService } from '../src/service.ts';
import { cspWith, taskOf } from './csp.ts';

class CountingPool extends PaillierPool {
  keys = 0;

  override generateKeyPair(...input: Parameters<PaillierPool['generateKeyPair']>) {
    this.keys += 1;
    return super.generateKeyPair(...input);
  }
}

let csp: CspDependencies & { readonly paillier: CountingPool };
let service: CspService;

beforeEach(async () => {
  csp = await cspWith(new CountingPool({ threads: 0 }));
  service = new CspService(csp);
});
afterEach(async () => {
  await csp.paillier.close();
  csp.store.close();
});

const dataUser = async () => importSigningKey(await generatePrivateJwk());
const taskBy = ({ thumbprint }: SigningKey): Task => taskOf(csp.key.thumbprint, thumbprint);

test('the same proposal three times at once has one key and one agreement', async () => {
  const key = await dataUser();
  const task = taskBy(key);
  const agreements = await Promise.all([1, 2, 3].map(() => service.agree(task, key.publicJwk)));
  expect(new Set(agreements).size).toBe(1);
  expect(csp.paillier.keys).toBe(1);
});

test('who guesses an id of another data user hears what it would of its own, and no agreement', async () => {
  const [key, other] = [await dataUser(), await dataUser()];
  const task = taskBy(key);
  const refusalOf = (proposal: Task, by: SigningKey) =>
    service.agree(proposal, by.publicJwk).then(
      () => 'agreed',
      ({ code, message }) => `${code} ${message}`,
    );
  const wrong = { ...taskBy(other), id: task.id, csp: other.thumbprint };
  const before = await Promise.all([refusalOf(wrong, other), refusalOf(task, other)]);
  await service.agree(task, key.publicJwk);
  expect(await Promise.all([refusalOf(wrong, other), refusalOf(task, other)])).toEqual(before);
  const conflict = await refusalOf({ ...task, components: 1, maximumOwners: 9 }, key);
  expect(conflict).toMatch(/^ERR_TASK_CONFLICT /);
  const theirs = { ...taskBy(other), id: task.id };
  expect(await refusalOf(theirs, other)).toBe(conflict);
  await service.end(task.id, key.thumbprint);
  expect(await refusalOf(theirs, other)).toBe(conflict);
});

test.each([
  ['a negative ridge on the signal', -0.05, 1, 'ERR_PROGRAM_INVALID', 'garbled computes others'],
  ['components that would leave nothing unknown', 0, 2, 'ERR_FULL_RANK', 'garbled computes them'],
])(
  '%s by rotated has no key, whatever its data user checks',
  async (_, signalRidge, components, code, message) => {
    const key = await dataUser();
    const task: Task = {
      ...taskBy(key),
      method: { kind: 'dca', form: 'standard', ridge: 1, signalRidge },
      features: Array.from({ length: 4 }, (_unused, i) => ({ name: `f${i}`, min: -1, max: 1 })),
      labellings: [{ column: 'label', classes: ['a', 'b', 'c'] }],
      outputs: ['sampleCount', 'spectrum', 'classCounts'],
      components,
      allowFullRank: false,
      twoParty: 'rotated',
    };
    await expect(service.agree(task, key.publicJwk)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
    expect(csp.paillier.keys).toBe(0);
  },
);
