/**
 * What data sets have spent: the ledger against the accountant, what is refused, and what can be charged at
 * once, after a crash and from an old copy.
 *
 * @claims S-566, S-567, S-720, P-131, P-136, P-137
 */
import { spawn } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { madeUpTask } from '@eigenveil/made-up/tasks';
import { BudgetAccountant, calibrateRoundedGaussian, epsilonOfZcdp, rhoOfBudget } from '@eigenveil/privacy';
import { newTaskId, noisePlanOf, type Task } from '@eigenveil/task';
import { type Counted, type CounterRequest, NO_ENTRY } from '@eigenveil/wire';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { budgetStatus } from '../../src/budget/budget.ts';
import { charge, checkCharge, confirmLedger, leftAfter, setElsewhere } from '../../src/budget/charging.ts';
import type { Elsewhere } from '../../src/budget/ledger.ts';
import { partInWords, sumOfParts } from '../../src/budget/parts.ts';
import { MemoryOwnerState, OwnerHome, OwnerPolicy } from '../../src/index.ts';
import { planOwnFloor } from '../../src/owner/own-floor.ts';

const EXHAUSTED = expect.objectContaining({ code: 'ERR_BUDGET_EXHAUSTED' });
const RESTORED = expect.objectContaining({ code: 'ERR_BUDGET_RESTORED' });
const NOTHING: Elsewhere = { epsilon: 0, delta: 0, neighbours: 'replace', rotated: 0, part: '0' };

type Guarantee = NonNullable<Task['differentialPrivacy']>;
const guarantee = (changes: Partial<Guarantee> = {}): Guarantee => ({
  epsilon: 1,
  delta: 1e-6,
  neighbours: 'add-remove',
  clippingNorm: 1,
  noise: 'servers',
  honestOwners: null,
  dataIndependentRanges: true,
  ...changes,
});
const made = madeUpTask('pca', 3);
/** Of values that are 0 or 1. */
const features = made.features.map((feature) => ({ ...feature, grain: 1 }));
const FLOORED = { features, exact: false, allowFullRank: false } as const;
const task = (changes: Partial<Task> = {}): Task => ({ ...made, ...FLOORED, id: newTaskId(), ...changes });
const costing = (changes: Partial<Guarantee> = {}) => task({ differentialPrivacy: guarantee(changes) });
const policyOf = (changes: object) => OwnerPolicy.parse(changes);
/** Which counts ε alone. */
const inEpsilon = (changes: object) => policyOf({ answers: { wholes: 10 ** 6 }, ...changes });

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eigenveil-budget-'));
});
afterAll(() => rm(folder, { recursive: true }));
let homes = 0;
const newHome = () => join(folder, `home-${++homes}`);

describe('the results that a data set can still give', () => {
  test.each([
    ['exact', { wholes: 2 }, { exact: true }, 1],
    ['of three parts', { wholes: 1 }, { releases: 3 }, 2],
    ['by rotated', { rotated: 2, wholes: 100 }, { twoParty: 'rotated' }, 1],
    ['more than are counted', { wholes: 100 }, { exact: true }, 20],
  ] as const)('are as many as can be charged: %s', async (_, answers, changes, left) => {
    const state = new MemoryOwnerState();
    const policy = policyOf({ answers });
    const asked = task(changes);
    expect((await leftAfter(state, policy, 'rows', asked)).left).toBe(left);
    await charge(state, policy, 'rows', asked);
    expect((await leftAfter(state, policy, 'rows', asked)).left).toBe(left);
    if (left === 20) return;
    for (let more = 0; more < left; more++) await charge(state, policy, 'rows', task(changes));
    expect((await leftAfter(state, policy, 'rows', asked)).left).toBe(0);
    await expect(charge(state, policy, 'rows', task(changes))).rejects.toEqual(EXHAUSTED);
  });
});

describe('under differential privacy', () => {
  test('in any order of tasks, what is spent is what the accountant says, within the total, and no less than each task alone', async () => {
    const some = fc.record({
      epsilon: fc.double({ min: 0.01, max: 2, noNaN: true }),
      delta: fc.constantFrom(1e-9, 1e-7, 1e-6),
      neighbours: fc.constantFrom('add-remove' as const, 'replace' as const),
      noise: fc.constantFrom('servers' as const, 'csp' as const, 'owners' as const),
    });
    const totals = fc.record({ totalEpsilon: fc.double({ min: 0.5, max: 6, noNaN: true }) });
    await fc.assert(
      fc.asyncProperty(fc.array(some, { minLength: 1, maxLength: 8 }), totals, async (guarantees, total) => {
        const policy = inEpsilon(total);
        const state = new MemoryOwnerState();
        const taken: typeof guarantees = [];
        for (const one of guarantees) {
          try {
            await charge(
              state,
              policy,
              'rows',
              costing({ ...one, honestOwners: one.noise === 'owners' ? 1 : null }),
            );
            taken.push(one);
          } catch (error) {
            expect(error).toEqual(EXHAUSTED);
          }
        }
        const [status] = budgetStatus(policy, await state.ledger());
        expect(status?.tasks ?? 0).toBe(taken.length);
        if (status === undefined) return;
        // The same by hand: replace from add-remove, and ρ from the noise that is drawn.
        const factor = ({ neighbours }: { neighbours: string }) => (neighbours === 'replace' ? 1 : 2);
        const rhos = taken.map((it) => {
          const budget = { epsilon: it.epsilon, dpDelta: it.delta };
          const rho =
            it.noise === 'owners'
              ? rhoOfBudget(budget)
              : 1 / (2 * calibrateRoundedGaussian({ sensitivity: 1, ...budget }) ** 2);
          return rho * factor(it) ** 2;
        });
        const basic = taken.map((it) => ({
          epsilon: it.epsilon * factor(it),
          dpDelta: it.neighbours === 'replace' ? it.delta : (1 + Math.exp(it.epsilon)) * it.delta,
        }));
        const byZcdp = status.composition === 'zcdp';
        const accountant = new BudgetAccountant({
          composition: status.composition,
          epsilon: total.totalEpsilon,
          dpDelta: policy.totalDelta,
        });
        for (const [i, rhoZcdp] of rhos.entries()) accountant.spend(byZcdp ? { rhoZcdp } : basic[i]!);
        expect(status.spent!.epsilon).toBeCloseTo(accountant.spent().epsilon, 12);
        expect(status.spent!.delta).toBeCloseTo(accountant.spent().dpDelta, 18);
        expect(status.spent!.epsilon).toBeLessThanOrEqual(total.totalEpsilon * (1 + 1e-9));
        expect(status.spent!.delta).toBeLessThanOrEqual(policy.totalDelta * (1 + 1e-9));
        if (byZcdp)
          for (const rho of rhos)
            expect(status.spent!.epsilon).toBeGreaterThanOrEqual(epsilonOfZcdp(rho, policy.totalDelta));
      }),
      { numRuns: 30 },
    );
  });

  test('one task may have the whole total, and leaves nothing', async () => {
    const policy = inEpsilon({ totalEpsilon: 1, neighbours: 'add-remove' });
    const state = new MemoryOwnerState();
    await charge(state, policy, 'rows', costing());
    await expect(charge(state, policy, 'rows', costing({ epsilon: 0.01 }))).rejects.toEqual(
      expect.objectContaining({ message: expect.stringContaining('nothing is left') }),
    );
    await charge(state, policy, 'others', costing());
    const status = budgetStatus(policy, await state.ledger());
    expect(status.map(({ dataset, left }) => [dataset, left])).toEqual([
      ['others', { epsilon: 0, delta: 1e-6 }],
      ['rows', { epsilon: 0, delta: 1e-6 }],
    ]);
  });

  test('several tasks cost less than their sum, and the refusal says what is left', async () => {
    const policy = inEpsilon({ totalEpsilon: 1, neighbours: 'add-remove' });
    const state = new MemoryOwnerState();
    for (let i = 0; i < 12; i++) await charge(state, policy, 'rows', costing({ epsilon: 0.2 }));
    const refusal = await charge(state, policy, 'rows', costing()).catch((error: unknown) => error as Error);
    const left = Number(/epsilon (\d[\d.e-]*) is left/.exec((refusal as Error).message)![1]);
    expect(budgetStatus(policy, await state.ledger())[0]!.left).toEqual({ epsilon: left, delta: 1e-6 });
    expect(
      budgetStatus({ ...policy, totalEpsilon: 1000 }, await state.ledger())[0]!.left!.epsilon,
    ).toBeGreaterThan(900);
    expect(budgetStatus(inEpsilon({}), await state.ledger())[0]!.left).toBeNull();
    await expect(charge(state, policy, 'rows', costing({ epsilon: 1.02 * left }))).rejects.toEqual(EXHAUSTED);
    await charge(state, policy, 'rows', costing({ epsilon: left }));
  });

  test('add-remove costs twice its epsilon in replace, and replace has no price in add-remove', async () => {
    const policy = inEpsilon({ totalEpsilon: 1 });
    const state = new MemoryOwnerState();
    await expect(charge(state, policy, 'rows', costing({ epsilon: 0.6, delta: 1e-7 }))).rejects.toEqual(
      EXHAUSTED,
    );
    await charge(state, policy, 'rows', costing({ epsilon: 0.6, delta: 1e-7, neighbours: 'replace' }));
    const inAddRemove = inEpsilon({ totalEpsilon: 1, neighbours: 'add-remove' });
    await expect(charge(state, inAddRemove, 'rows', costing({ epsilon: 0.1 }))).rejects.toMatchObject({
      code: 'ERR_POLICY',
      message: expect.stringContaining('none of add-remove'),
    });
  });
});

describe('by rotated', () => {
  test('there is one answer without differential privacy, unless the policy says otherwise', async () => {
    const state = new MemoryOwnerState();
    const policy = inEpsilon({ answers: { wholes: 10 } });
    await charge(state, policy, 'rows', task({ twoParty: 'garbled' }));
    await charge(state, policy, 'rows', task({ twoParty: 'rotated' }));
    const rotated = task({ twoParty: 'rotated' });
    await expect(charge(state, policy, 'rows', rotated)).rejects.toEqual(EXHAUSTED);
    await charge(state, inEpsilon({ answers: { rotated: 2, wholes: 10 } }), 'rows', rotated);
    await charge(state, policy, 'more', task({ twoParty: 'rotated' }));
  });

  test('a guarantee that the policy bounds nowhere counts as none: an epsilon may hide nothing', async () => {
    const state = new MemoryOwnerState();
    const nominal = () =>
      task({ twoParty: 'rotated', differentialPrivacy: guarantee({ epsilon: 3 }), releases: 100 });
    await charge(state, policyOf({}), 'rows', nominal());
    await expect(charge(state, policyOf({}), 'rows', nominal())).rejects.toThrow(/"totalEpsilon"/);
    for (const bound of [{ maximumEpsilon: 3 }, { totalEpsilon: 1000 }])
      await charge(state, policyOf(bound), 'rows', nominal());
  });
});

describe('of a whole', () => {
  const all = async (policy: OwnerPolicy, tasks: readonly Task[], dataset = 'rows') => {
    const state = new MemoryOwnerState();
    for (const one of tasks) await charge(state, policy, dataset, one);
    return state;
  };
  const wholesOf = async (policy: OwnerPolicy, state: MemoryOwnerState) =>
    budgetStatus(policy, await state.ledger())[0]!.answers.wholes;

  test('as many tasks fit as their releases say, to the last one, and not one more', async () => {
    const policy = policyOf({});
    for (const releases of [1, 2, 3, 7, 10, 49]) {
      const state = await all(
        policy,
        Array.from({ length: releases }, () => task({ releases })),
      );
      expect(await wholesOf(policy, state)).toEqual({ given: '1', of: 1, left: '0' });
      const finest = task({ releases: 1000 });
      await expect(charge(state, policy, 'rows', finest)).rejects.toEqual(EXHAUSTED);
      await charge(state, policy, 'others', finest);
      await charge(state, policyOf({ answers: { wholes: 2 } }), 'rows', finest);
    }
  });

  test('a PCA and a DCA after it fit, as they are proposed where nothing else is said', async () => {
    const dca = { ...madeUpTask('dca', 3), ...FLOORED, id: newTaskId() };
    const state = await all(policyOf({}), [task(), dca]);
    expect(await wholesOf(policyOf({}), state)).toEqual({ given: '1', of: 1, left: '0' });
  });

  test('a refusal says what is left, and which task would fit', async () => {
    const policy = policyOf({});
    const state = await all(policy, [task({ releases: 3 })]);
    const refusal = charge(state, policy, 'rows', task({ releases: 1 }));
    await expect(refusal).rejects.toThrow(
      /1\/3 of the whole .* takes 1: 2\/3 is left.* at least 2\..*none of which was used/,
    );
    await charge(state, policy, 'rows', task());
    await expect(charge(state, policy, 'rows', task({ releases: 5 }))).rejects.toThrow(
      /5\/6.*1\/6 is left.* at least 6\./,
    );
    await expect(charge(state, policy, 'rows', task({ releases: 6 }))).resolves.toBeUndefined();
    await expect(charge(state, policy, 'rows', task({ releases: 6 }))).rejects.toThrow(/nothing is left/);
  });

  test('what is left is written by the side of a fraction on which it is', () => {
    expect(
      ['1/2', '3/7', '524289/1048576', '524287/1048576', '1/1048576', '1048575/1048576'].map(partInWords),
    ).toEqual([
      '1/2',
      '3/7',
      'a little more than 1/2',
      'a little less than 1/2',
      'less than 0.001',
      'a little less than 1',
    ]);
    expect(partInWords('474749/1048576')).toBe('about 0.453');
  });

  test('a guarantee that takes a little leaves less than the half that another task takes', async () => {
    const policy = policyOf({});
    const state = await all(policy, [task()]);
    const little = { epsilon: 0, delta: 0, neighbours: 'replace', rotated: 0, part: '1/1048576' } as const;
    await setElsewhere(state, 'rows', little, undefined);
    await expect(charge(state, policy, 'rows', task())).rejects.toThrow(
      /a little more than 1\/2 of the whole .* takes 1\/2: a little less than 1\/2 is left/,
    );
  });

  test('an exact task takes all of it, once', async () => {
    const exact = () => task({ exact: true, allowFullRank: true });
    const policy = policyOf({});
    const state = await all(policy, [exact()]);
    await expect(charge(state, policy, 'rows', exact())).rejects.toEqual(EXHAUSTED);
    const floored = await all(policy, [task({ releases: 1000 })]);
    await expect(charge(floored, policy, 'rows', exact())).rejects.toEqual(EXHAUSTED);
  });

  test('each task of a series counts', async () => {
    const first = task({ releases: 3 });
    const renewal = (number: number) =>
      task({ releases: 3, series: { id: first.id, number, previous: NO_ENTRY } });
    const state = await all(policyOf({}), [first, renewal(1), renewal(2)]);
    await expect(charge(state, policyOf({}), 'rows', renewal(3))).rejects.toEqual(EXHAUSTED);
  });

  test('a histogram takes nothing, and noise for differential privacy as much as a floor of its size', async () => {
    const method = { kind: 'histogram', height: 2, strategy: 'privelet' } as const;
    const counts = task({ method, exact: false, differentialPrivacy: guarantee({ clippingNorm: null }) });
    const noisy = costing({ epsilon: 0.1 });
    // Features are 2 long in [−1, 1], so that a product of grains is 4.
    const deviation = noisePlanOf(noisy)!.deviations.R / 2 / (4 * 4 ** noisy.fractionBits);
    const part = 1 / (4 * deviation ** 2);
    const policy = policyOf({ totalEpsilon: 10 });
    const state = await all(policy, [counts, counts, noisy]);
    const [numerator, denominator] = (await wholesOf(policy, state)).given.split('/').map(Number);
    expect(numerator! / denominator!).toBeGreaterThanOrEqual(part);
    expect(numerator! / denominator!).toBeLessThan(part + 2 ** -20);
    expect(part).toBeLessThan(1 / 2);
    // Less noise has the floor beside it, and that of the CSP alone counts as none.
    for (const more of [{ epsilon: 3 }, { epsilon: 0.1, noise: 'csp' as const }])
      expect(await wholesOf(policy, await all(inEpsilon({}), [costing(more)]))).toMatchObject({
        given: '1/2',
      });
  });
});

test('the same task is charged once to a data set, and looking charges nothing', async () => {
  const state = new MemoryOwnerState();
  const policy = policyOf({ totalEpsilon: 1, neighbours: 'add-remove' });
  const one = costing();
  await checkCharge(state, policy, 'rows', one);
  expect(await state.ledger()).toHaveLength(0);
  await charge(state, policy, 'rows', one);
  await charge(state, policy, 'rows', one);
  await checkCharge(state, policy, 'rows', one);
  expect(await state.ledger()).toHaveLength(1);
});

test('a task whose rows turn out to take more is charged the greater part in all, and less than before is not given back', async () => {
  const state = new MemoryOwnerState();
  const policy = policyOf({ ownFloor: false });
  const coarse = task({ releases: 8, features: features.map((it) => ({ ...it, grain: 0.5 })) });
  const own = (grain: number) => planOwnFloor(coarse, [], policy, [grain, 0.5, 0.5]);
  const given = async () => budgetStatus(policy, await state.ledger())[0]!.answers.wholes.given;
  await charge(state, policy, 'rows', coarse, own(0.5));
  expect(await given()).toBe('1/8');
  await checkCharge(state, policy, 'rows', coarse, own(0.75));
  await charge(state, policy, 'rows', coarse, own(0.75));
  expect(await given()).toBe('81/128'); // 1.5⁴/8, and not 1/8 beside it
  for (const grain of [0.5, 0.75]) await charge(state, policy, 'rows', coarse, own(grain));
  expect(await given()).toBe('81/128');
  expect(await state.ledger()).toHaveLength(2);
  // 2⁴/8 is more than a whole, of which nothing else has taken any.
  await expect(checkCharge(state, policy, 'rows', coarse, own(1))).rejects.toEqual(EXHAUSTED);
  await expect(charge(state, policy, 'rows', coarse, own(1))).rejects.toEqual(EXHAUSTED);
  await charge(state, policyOf({ answers: { wholes: 2 } }), 'rows', coarse, own(1));
  expect(await given()).toBe('2');
});

test('a guarantee that is charged twice costs its ε once', async () => {
  const state = new MemoryOwnerState();
  const policy = inEpsilon({ totalEpsilon: 1, neighbours: 'add-remove', ownFloor: false });
  const noisy = task({
    differentialPrivacy: guarantee(),
    releases: 8,
    features: features.map((it) => ({ ...it, grain: 'cell' as const })),
  });
  await charge(state, policy, 'rows', noisy);
  await charge(state, policy, 'rows', noisy, planOwnFloor(noisy, [], policy, [1, 1, 1]));
  expect(await state.ledger()).toHaveLength(2);
  expect(budgetStatus(policy, await state.ledger())).toMatchObject([{ tasks: 1, left: { epsilon: 0 } }]);
});

test('of many that charge one home at once, just those pass that fit', async () => {
  const home = newHome();
  const policy = policyOf({});
  const all = await Promise.allSettled(
    Array.from({ length: 12 }, () => charge(new OwnerHome(home), policy, 'rows', task({ releases: 3 }))),
  );
  expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  for (const it of all) if (it.status === 'rejected') expect(it.reason).toEqual(EXHAUSTED);
  expect(await new OwnerHome(home).ledger()).toHaveLength(3);
});

test('two processes that are killed lose no charge that was made', { tags: ['long'] }, async () => {
  const home = newHome();
  const program = new URL('../support/charge-forever.ts', import.meta.url).pathname;
  const children = [1, 2].map(() =>
    spawn(process.execPath, [program, home], { stdio: ['ignore', 'pipe', 'inherit'] }),
  );
  const charged: string[] = [];
  const seen = children.map((child) => {
    const lines = createInterface(child.stdout);
    let count = 0;
    lines.on('line', (id) => {
      charged.push(id);
      count += 1;
      if (count === 5) child.kill('SIGKILL');
    });
    return new Promise((resolve) => lines.once('close', resolve));
  });
  await Promise.all(seen);
  expect(charged.length).toBeGreaterThanOrEqual(10);
  const ledger = await new OwnerHome(home).ledger();
  const inLedger = ledger.map(({ event }) => (event.kind === 'set' ? '' : event.taskId));
  expect(new Set(inLedger).size).toBe(inLedger.length);
  expect(charged.filter((id) => !inLedger.includes(id as never))).toEqual([]);
  expect(ledger.map(({ counter }) => counter)).toEqual(ledger.map((_, i) => i + 1));
  await charge(new OwnerHome(home), inEpsilon({}), 'rows', task({ twoParty: 'garbled' }));
});

/** What the CSP's store does. */
function counterOf(): { ask: (request: CounterRequest) => Promise<Counted>; held: () => Counted } {
  let held: Counted = { counter: 0, digest: NO_ENTRY };
  const ask = async ({ counter, digest, previous }: CounterRequest) => {
    if (counter === held.counter + 1 && previous === held.digest) held = { counter, digest };
    return held;
  };
  return { ask, held: () => held };
}

describe('with the counter of the CSP', () => {
  const policy = inEpsilon({});
  const next = (home: OwnerHome) => charge(home, policy, 'rows', task({ twoParty: 'garbled' }));

  test('a home catches up what was charged while the CSP was away, and two copies at work are one home', async () => {
    const [folderOfHome, { ask, held }] = [newHome(), counterOf()];
    const [one, other] = [new OwnerHome(folderOfHome), new OwnerHome(folderOfHome)];
    for (let i = 0; i < 5; i++) await next(one);
    await confirmLedger(other, ask);
    expect(held().counter).toBe(5);
    await Promise.all(
      [one, other, one, other].map(async (home) => {
        await next(home);
        await confirmLedger(home, ask);
      }),
    );
    expect(held().counter).toBe(9);
  });

  test.each([0, 1, 3])(
    'an old copy is refused after %i charges of its own, until its data sets are set',
    async (own) => {
      const [folderOfHome, backup, { ask, held }] = [newHome(), newHome(), counterOf()];
      const home = new OwnerHome(folderOfHome);
      await next(home);
      await next(home);
      await confirmLedger(home, ask);
      await cp(folderOfHome, backup, { recursive: true });
      await next(home);
      await next(home);
      await confirmLedger(home, ask);
      const old = new OwnerHome(backup);
      for (let i = 0; i < own; i++) await next(old); // while the CSP was away
      for (let again = 0; again < 2; again++) await expect(confirmLedger(old, ask)).rejects.toEqual(RESTORED);
      expect(held().counter).toBe(4);

      await setElsewhere(old, 'rows', { ...NOTHING, part: '1' }, held());
      await confirmLedger(old, ask);
      expect(held().counter).toBe(5);
      await next(old);
      await confirmLedger(old, ask);
      const status = budgetStatus(policy, await old.ledger()).find(({ dataset }) => dataset === 'rows');
      expect(status!.answers.wholes.given).toBe(sumOfParts(['1', ...new Array(own + 2 + 1).fill('1/2')]));
      // Whatever else was charged in what is lost.
      await expect(charge(old, policy, 'more', task({ twoParty: 'garbled' }))).rejects.toEqual(RESTORED);
      await setElsewhere(old, 'more', NOTHING, held());
      await charge(old, policy, 'more', task({ twoParty: 'garbled' }));
      // The copy that is left behind is now the old one.
      await next(home);
      await expect(confirmLedger(home, ask)).rejects.toEqual(RESTORED);
    },
  );

  test('a home with no ledger is refused as well, and a CSP that was put back catches up', async () => {
    const [folderOfHome, { ask }] = [newHome(), counterOf()];
    await next(new OwnerHome(folderOfHome));
    await confirmLedger(new OwnerHome(folderOfHome), ask);
    const bare = new OwnerHome(newHome());
    await next(bare);
    await expect(confirmLedger(bare, ask)).rejects.toEqual(RESTORED);
    const emptied = counterOf();
    await confirmLedger(new OwnerHome(folderOfHome), emptied.ask);
    expect(emptied.held().counter).toBe(1);
  });

  test('a part of a home that was put back is refused', async () => {
    const [first, second] = [newHome(), newHome()];
    for (const it of [first, second]) for (let i = 0; i < 2; i++) await next(new OwnerHome(it));
    await cp(join(first, 'budget-000001.json'), join(second, 'budget-000001.json'));
    await expect(next(new OwnerHome(second))).rejects.toEqual(RESTORED);
  });
});

test('what is set is spent beside the ledger, and is never less than before', async () => {
  const policy = inEpsilon({ totalEpsilon: 1, totalDelta: 1e-5, neighbours: 'add-remove' });
  const state = new MemoryOwnerState();
  const said: Elsewhere = { ...NOTHING, epsilon: 0.5, delta: 1e-6, neighbours: 'add-remove' };
  await setElsewhere(state, 'rows', said, undefined);
  await expect(setElsewhere(state, 'rows', { ...said, epsilon: 0.4 }, undefined)).rejects.toMatchObject({
    code: 'ERR_POLICY',
  });
  for (const [before, part] of [
    ['1/3', '1/4'],
    ['1/4', '0'],
  ] as const) {
    const dataset = before.replace('/', '-');
    await setElsewhere(state, dataset, { ...said, part: before }, undefined);
    await expect(setElsewhere(state, dataset, { ...said, part }, undefined)).rejects.toThrow(
      /"part".*nothing is refunded/,
    );
    await expect(charge(state, policyOf({}), dataset, task({ releases: 1 }))).rejects.toEqual(EXHAUSTED);
    await charge(state, policyOf({}), dataset, task());
  }
  await expect(charge(state, policy, 'rows', costing({ epsilon: 0.6 }))).rejects.toEqual(EXHAUSTED);
  await charge(state, policy, 'rows', costing({ epsilon: 0.5 }));
  const status = budgetStatus(policy, await state.ledger()).find(({ dataset }) => dataset === 'rows');
  expect(status!.spent!.epsilon).toBeGreaterThan(0.95);
});
