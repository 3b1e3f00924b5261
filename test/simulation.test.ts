/**
 * Fault simulation: drawn scenarios, a few of them here and as many as you like with `npm run soak`, and named ones for every
 * moment in which the services once went wrong or easily could. What must hold stands in support/simulation/run.ts.
 */

import { databaseOfRun } from '@eigenveil/testbed/databases/database-of-run';
import { afterAll, describe, expect, test } from 'vitest';
import type { CrashPoint } from './support/service-process.ts';
import type {
  Operation,
  Request,
  RequestFault,
  Scenario,
  ServiceName,
} from './support/simulation/operations.ts';
import { ServicesPool, search } from './support/simulation/search.ts';

const pool = new ServicesPool();
afterAll(() => pool.close());

for (const [seed, runs] of [
  [1, 1],
  [2, 2],
  [3, 2],
] as const) {
  test(`drawn scenarios of seed ${seed}`, { tags: ['long'] }, async () => {
    const finding = await search(pool, { seed, runs, length: 16, shrinkMilliseconds: 0 });
    expect(finding).toBeUndefined();
  });
}

test('drawn scenarios of a data user that stores in PostgreSQL', { tags: ['long'] }, async () => {
  const sharing = new ServicesPool(async () => ({ databaseUrl: await databaseOfRun() }));
  try {
    const finding = await search(sharing, { seed: 4, runs: 2, length: 16, shrinkMilliseconds: 0 });
    expect(finding).toBeUndefined();
  } finally {
    await sharing.close();
  }
});

const ask = (request: Request, fault: RequestFault | null = null): Operation => ({
  kind: 'request',
  request,
  fault,
});
const contribute = (owner: number, fault: RequestFault | null = null): Operation =>
  ask({ kind: 'contribute', owner, version: 'first' }, fault);
const storing = (when: CrashPoint['when']): RequestFault => ({
  kind: 'crash',
  when,
  write: 'insertContributions',
  skipped: 0,
});
const atOnce = (...requests: Request[]): Operation => ({ kind: 'at once', requests, killed: null });
const crash = (
  service: ServiceName,
  when: CrashPoint['when'],
  write: string | null,
  skipped = 0,
): Operation => ({ kind: 'crash', service, point: { when, write, skipped } });
const first = (owner: number): Request => ({ kind: 'contribute', owner, version: 'first' });
const other = (owner: number): Request => ({ kind: 'contribute', owner, version: 'other' });
const waitForDeath: Operation = { kind: 'wait', until: 'death' };
const close = ask({ kind: 'close' });
const scenario = (operations: readonly Operation[], changes: Partial<Scenario> = {}): Scenario => ({
  twoParty: 'simulated',
  minimumOwners: 2,
  maximumOwners: 4,
  creation: null,
  operations,
  ...changes,
});
const endOf = async (operations: readonly Operation[], changes: Partial<Scenario> = {}) =>
  (await pool.run(scenario(operations, changes))).end;
/** The same where a service has to die exactly once. */
const endAfterDeath = async (operations: readonly Operation[], changes: Partial<Scenario> = {}) => {
  const { end, deaths } = await pool.run(scenario(operations, changes));
  expect(deaths).toBe(1);
  return end;
};

test.each<[string, RequestFault]>([
  ['before storing it', storing('before commit')],
  ['while it is under way', { kind: 'kill', afterMilliseconds: 8 }],
])(
  'a contribution whose data user dies %s is counted once when it is repeated',
  { tags: ['long'] },
  async (_, fault) => {
    expect(await endAfterDeath([contribute(0, fault), contribute(1), contribute(0), contribute(0)])).toBe(
      'done',
    );
  },
);

test('requests at once: each owner is counted once, one of several gets the last place, and a withdrawal counts before the close', async () => {
  const operations = [
    contribute(0, { kind: 'lose answer' }), // and never repeated
    atOnce(first(1), first(1), first(1), first(1)),
    atOnce(first(2), other(2), first(2), first(3)),
    atOnce({ kind: 'close' }, { kind: 'withdraw', owner: 1 }),
  ];
  expect(await endOf(operations, { maximumOwners: 3 })).toBe('done');
});

test('a withdrawn contribution does not come back with a repeat, and too few owners are not computed', {
  tags: ['long'],
}, async () => {
  const operations = [
    contribute(0),
    contribute(1),
    ask(
      { kind: 'withdraw', owner: 0 },
      { kind: 'crash', when: 'after commit', write: 'withdraw', skipped: 0 },
    ),
    contribute(0),
    ask({ kind: 'send again', request: { kind: 'contribute', owner: 0, version: 'first' } }),
    close,
  ];
  expect(await endAfterDeath(operations)).toBe('cancelled');
});

test('the data user dies before it says what it has stored, then both in the middle of the unblinding: all is counted once, and asked for again with the same bytes', {
  tags: ['long'],
}, async () => {
  const operations: Operation[] = [
    contribute(0, storing('after commit')),
    ask(other(0)),
    contribute(0),
    contribute(1),
    crash('csp', 'before commit', 'completeUnblinding'),
    close,
    waitForDeath,
    { kind: 'kill', service: 'data user', downFor: 0 },
  ];
  expect(await pool.run(scenario(operations))).toMatchObject({ end: 'done', deaths: 3 });
});

describe('a service dies next to a durable write of the computation', () => {
  const dieAt = async (operation: Operation, twoParty: Scenario['twoParty']) => {
    const operations = [contribute(0), contribute(1), operation, close, waitForDeath];
    expect(await endAfterDeath(operations, { twoParty })).toBe('done');
  };
  const MOMENTS: readonly [string, Operation][] = [
    ['the data user after it has kept its blinding', crash('data user', 'after commit', 'advance')],
    ['the CSP before it keeps its shares', crash('csp', 'before commit', 'completeUnblinding')],
    ['the data user before it keeps its blinding', crash('data user', 'before commit', 'advance')],
    ['the CSP after it has ended the task', crash('csp', 'after commit', 'endTask')],
    ['the data user after it has closed', crash('data user', 'after commit', 'closeTask')],
    ['the CSP after it has bound the unblinding', crash('csp', 'after commit', 'beginUnblinding')],
    ['the data user before it keeps the result', crash('data user', 'before commit', 'advance', 2)],
    ['the data user before it keeps that it is unblinded', crash('data user', 'before commit', 'advance', 1)],
    ['the data user after it has kept the result', crash('data user', 'after commit', 'advance', 2)],
    [
      'the data user before it keeps that the CSP knows',
      crash('data user', 'before commit', 'markEndedAtCsp'),
    ],
    ['the CSP after it has kept the records', crash('csp', 'after commit', 'addRecords')],
    ['the CSP after it has kept its shares', crash('csp', 'after commit', 'completeUnblinding')],
    ['the CSP before it ends the task', crash('csp', 'before commit', 'endTask')],
  ];
  test.each(MOMENTS)('%s', { tags: ['long'] }, (_, operation) => dieAt(operation, 'garbled'));

  test('the CSP after it has bound the unblinding, in the clear', () =>
    dieAt(crash('csp', 'after commit', 'beginUnblinding'), 'simulated'));

  // Its one answer is resumed: nothing of it is drawn again.
  const IN_THE_ANSWER: typeof MOMENTS = [
    ['the CSP before it keeps what came last', crash('csp', 'before commit', 'keepTag', 4)],
    ['the CSP after it has marked the answer', crash('csp', 'after commit', 'noteRun')],
    ['the data user after the matrix has come', crash('data user', 'after commit', 'countRun')],
    ['the CSP after it has kept a seed', crash('csp', 'after commit', 'keepSeed')],
    ['the CSP after it has kept what came first', crash('csp', 'after commit', 'keepTag')],
    ['the CSP before it marks the answer', crash('csp', 'before commit', 'noteRun')],
    ['the CSP after it has kept what came last', crash('csp', 'after commit', 'keepTag', 4)],
    ['the data user after it has kept a seed', crash('data user', 'after commit', 'keepSeed')],
    ['the data user before it keeps what came first', crash('data user', 'before commit', 'keepTag', 1)],
    ['the data user after it has kept what came last', crash('data user', 'after commit', 'keepTag', 4)],
    ['the data user before it keeps the result', crash('data user', 'before commit', 'advance', 2)],
  ];
  test.each(IN_THE_ANSWER)('with rotated: %s', { tags: ['long'] }, (_, operation) =>
    dieAt(operation, 'rotated'),
  );
});

describe('the clock', () => {
  test('after the deadline a repeat gets its receipt, a newcomer is refused, and the task can be computed', async () => {
    const operations: Operation[] = [
      contribute(0, { kind: 'lose answer' }),
      contribute(1),
      { kind: 'advance clock', hours: 2 },
      contribute(0),
      contribute(2),
    ];
    expect(await endOf(operations)).toBe('done');
  });

  test('a task that the CSP has given up fails', { tags: ['long'] }, async () => {
    const operations: Operation[] = [
      contribute(0),
      contribute(1),
      { kind: 'advance clock', hours: 24 * 32 },
      { kind: 'kill', service: 'csp', downFor: 0 },
      close,
    ];
    expect(await endOf(operations)).toBe('failed');
  });
});

test('a proposal whose data user dies leaves nothing behind', { tags: ['long'] }, async () => {
  const creation = crash('data user', 'after commit', 'insertTask');
  expect(await endAfterDeath([contribute(0), contribute(1)], { creation })).toBe('done');
});
