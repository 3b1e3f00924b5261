/** What data sets have spent: the ledger against the accountant, what is refused, and what can be charged at once, after a crash and from an old copy. */
import { spawn } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { madeUpTask } from '@eigenveil/made-up/tasks';
import { BudgetAccountant, calibrateRoundedGaussian, epsilonOfZcdp, rhoOfBudget } from '@eigenveil/privacy';
import { newTaskId, type Task } from '@eigenveil/task';
import { type Counted, type CounterRequest, NO_ENTRY } from '@eigenveil/wire';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { budgetStatus } from '../src/budget.ts';
import { charge, checkCharge, confirmLedger, setElsewhere } from '../src/charging.ts';
import { MemoryOwnerState, OwnerHome, OwnerPolicy } from '../src/index.ts';
import type { Elsewhere } from '../src/ledger.ts';

const EXHAUSTED = expect.objectContaining({ code: 'ERR_BUDGET_EXHAUSTED' });
const RESTORED = expect.objectContaining({ code: 'ERR_BUDGET_RESTORED' });
const NOTHING: Elsewhere = { epsilon: 0, delta: 0, neighbours: 'replace', rotated: 0, others: 0 };

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
const task = (changes: Partial<Task>): Task => ({ ...made, id: newTaskId(), ...changes });
const costing = (changes: Partial<Guarantee> = {}) => task({ differentialPrivacy: guarantee(changes) });
const policyOf = (changes: object) => OwnerPolicy.parse(changes);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eigenveil-budget-'));
});
afterAll(() => rm(folder, { recursive: true }));
let homes = 0;
const newHome = () => join(folder, `home-${++homes}`);

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
        const policy = policyOf(total);
        const state = new MemoryOwnerState();
        const taken: typeof guarantees = [];
        for (const one of guarantees) {
          try {
            await charge(state, policy, 'rows', costing(one));
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
    const policy = policyOf({ totalEpsilon: 1, neighbours: 'add-remove' });
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
    const policy = policyOf({ totalEpsilon: 1, neighbours: 'add-remove' });
    const state = new MemoryOwnerState();
    for (let i = 0; i < 12; i++) await charge(state, policy, 'rows', costing({ epsilon: 0.2 }));
    const refusal = await charge(state, policy, 'rows', costing()).catch((error: unknown) => error as Error);
    const left = Number(/epsilon (\d[\d.e-]*) is left/.exec((refusal as Error).message)![1]);
    expect(budgetStatus(policy, await state.ledger())[0]!.left).toEqual({ epsilon: left, delta: 1e-6 });
    expect(
      budgetStatus({ ...policy, totalEpsilon: 1000 }, await state.ledger())[0]!.left!.epsilon,
    ).toBeGreaterThan(900);
    expect(budgetStatus(policyOf({}), await state.ledger())[0]!.left).toBeNull();
    await expect(charge(state, policy, 'rows', costing({ epsilon: 1.02 * left }))).rejects.toEqual(EXHAUSTED);
    await charge(state, policy, 'rows', costing({ epsilon: left }));
  });

  test('add-remove costs twice its epsilon in replace, and replace has no price in add-remove', async () => {
    const policy = policyOf({ totalEpsilon: 1 });
    const state = new MemoryOwnerState();
    await expect(charge(state, policy, 'rows', costing({ epsilon: 0.6, delta: 1e-7 }))).rejects.toEqual(
      EXHAUSTED,
    );
    await charge(state, policy, 'rows', costing({ epsilon: 0.6, delta: 1e-7, neighbours: 'replace' }));
    const inAddRemove = policyOf({ totalEpsilon: 1, neighbours: 'add-remove' });
    await expect(charge(state, inAddRemove, 'rows', costing({ epsilon: 0.1 }))).rejects.toMatchObject({
      code: 'ERR_POLICY',
      message: expect.stringContaining('none of add-remove'),
    });
  });
});

describe('without differential privacy', () => {
  test('there is one answer by rotated and one series by others, unless the policy says otherwise', async () => {
    const state = new MemoryOwnerState();
    const policy = policyOf({});
    const first = task({ twoParty: 'garbled' });
    const inSeries = { id: first.id, number: 1, previous: NO_ENTRY };
    await charge(state, policy, 'rows', first);
    await charge(state, policy, 'rows', task({ twoParty: 'garbled', series: inSeries }));
    await expect(charge(state, policy, 'rows', task({ twoParty: 'garbled' }))).rejects.toEqual(EXHAUSTED);
    await charge(state, policy, 'rows', task({ twoParty: 'rotated' }));
    const rotated = task({ twoParty: 'rotated' });
    await expect(charge(state, policy, 'rows', rotated)).rejects.toEqual(EXHAUSTED);
    await charge(state, policyOf({ answers: { rotated: 2 } }), 'rows', rotated);
    await charge(state, policy, 'more', task({ twoParty: 'rotated' }));
  });
});

describe('under a guarantee that the policy bounds nowhere', () => {
  test('a task counts like one without: an epsilon of 100 hides nothing, and would make room for any number of results to compare', async () => {
    const state = new MemoryOwnerState();
    const nominal = (changes: Partial<Task> = {}) =>
      task({ twoParty: 'garbled', differentialPrivacy: guarantee({ epsilon: 100 }), ...changes });
    const first = nominal();
    await charge(state, policyOf({}), 'rows', first);
    await charge(state, policyOf({}), 'rows', first);
    await charge(
      state,
      policyOf({}),
      'rows',
      nominal({ series: { id: first.id, number: 1, previous: NO_ENTRY } }),
    );
    for (const next of [nominal(), task({ twoParty: 'garbled' })])
      await expect(charge(state, policyOf({}), 'rows', next)).rejects.toEqual(EXHAUSTED);
    await expect(charge(state, policyOf({}), 'rows', nominal())).rejects.toThrow(/"totalEpsilon"/);
    expect(budgetStatus(policyOf({}), await state.ledger())).toMatchObject([
      { tasks: 2, answers: { others: { given: 1, of: 1 }, rotated: { given: 0 } } },
    ]);
    await charge(state, policyOf({}), 'rows', nominal({ twoParty: 'rotated' }));
    await expect(charge(state, policyOf({}), 'rows', nominal({ twoParty: 'rotated' }))).rejects.toEqual(
      EXHAUSTED,
    );
    await charge(state, policyOf({ answers: { others: 2 } }), 'rows', nominal());
  });

  test.each([{ maximumEpsilon: 1 }, { totalEpsilon: 10 }])(
    'with %o it counts by its epsilon',
    async (bound) => {
      const state = new MemoryOwnerState();
      for (let i = 0; i < 3; i += 1) await charge(state, policyOf(bound), 'rows', costing({ epsilon: 0.5 }));
      expect(budgetStatus(policyOf(bound), await state.ledger())).toMatchObject([
        { tasks: 3, answers: { others: { given: 0 } } },
      ]);
    },
  );
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

test('of many that charge one home at once, just those pass that fit', async () => {
  const home = newHome();
  const policy = policyOf({ answers: { others: 3 } });
  const all = await Promise.allSettled(
    Array.from({ length: 12 }, () =>
      charge(new OwnerHome(home), policy, 'rows', task({ twoParty: 'garbled' })),
    ),
  );
  expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  for (const it of all) if (it.status === 'rejected') expect(it.reason).toEqual(EXHAUSTED);
  expect(await new OwnerHome(home).ledger()).toHaveLength(3);
});

test('two processes that are killed lose no charge that was made', { tags: ['long'] }, async () => {
  const home = newHome();
  const program = new URL('./support/charge-forever.ts', import.meta.url).pathname;
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
  await charge(
    new OwnerHome(home),
    policyOf({ answers: { others: 10 ** 6 } }),
    'rows',
    task({ twoParty: 'garbled' }),
  );
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
  const policy = policyOf({ answers: { others: 1000 } });
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

      await setElsewhere(old, 'rows', { ...NOTHING, others: 2 }, held());
      await confirmLedger(old, ask);
      expect(held().counter).toBe(5);
      await next(old);
      await confirmLedger(old, ask);
      const status = budgetStatus(policy, await old.ledger()).find(({ dataset }) => dataset === 'rows');
      expect(status!.answers.others.given).toBe(2 + own + 2 + 1);
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
  const policy = policyOf({ totalEpsilon: 1, totalDelta: 1e-5, neighbours: 'add-remove' });
  const state = new MemoryOwnerState();
  const said: Elsewhere = { ...NOTHING, epsilon: 0.5, delta: 1e-6, neighbours: 'add-remove' };
  await setElsewhere(state, 'rows', said, undefined);
  await expect(setElsewhere(state, 'rows', { ...said, epsilon: 0.4 }, undefined)).rejects.toMatchObject({
    code: 'ERR_POLICY',
  });
  await expect(charge(state, policy, 'rows', costing({ epsilon: 0.6 }))).rejects.toEqual(EXHAUSTED);
  await charge(state, policy, 'rows', costing({ epsilon: 0.5 }));
  expect(budgetStatus(policy, await state.ledger())[0]!.spent!.epsilon).toBeGreaterThan(0.95);
});
