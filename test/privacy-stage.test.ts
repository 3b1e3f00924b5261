/**
 * Tasks with differential privacy, through running services: the result is that of the exact statistics with the noise of both servers, which is
 * drawn once, whatever happens on the way.
 *
 * @claims S-70, P-17
 */
import type { OwnerPolicy } from '@eigenveil/data-owner';
import { draftAround, draftPrivacy, EarlierResult } from '@eigenveil/data-user';
import type { RandomSource } from '@eigenveil/privacy';
import { type Components, decompose, principalAngles } from '@eigenveil/projection';
import { addStatistics, drawNoise, flatten, unflatten } from '@eigenveil/statistics';
import { programOf, shiftOf, type Task, withoutShift } from '@eigenveil/task';
import { predictableRandomness } from '@eigenveil/testbed/random';
import type { Projection } from '@eigenveil/wire';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { finishTask, PATIENCE_MILLISECONDS, type Parties, runTask } from './support/run-task.ts';
import { type LabelledRows, madeUpProposal, reference, split, summarise } from './support/tasks.ts';
import { World } from './support/world.ts';

const OWNERS = 3;
const ROWS = 3000;
const SETTING = {
  epsilon: 2,
  delta: 1e-5,
  neighbours: 'add-remove',
  clippingNorm: 1,
  dataIndependentRanges: true,
} as const;

/** What both servers draw from: as predictable as a test needs it. */
const sources: Record<'csp' | 'dataUser', RandomSource> = { csp: unset, dataUser: unset };
function unset(): never {
  throw new Error('no source of randomness was set');
}

let world: World;
let parties: Parties;
beforeAll(async () => {
  world = await World.start({
    proxied: true,
    cspOverrides: { randomness: (length) => sources.csp(length) },
    dataUserOverrides: { randomness: (length) => sources.dataUser(length) },
  });
  const policy = {
    twoParty: ['simulated', 'garbled', 'rotated'],
    allowSpectrum: true,
    allowWithoutDifferentialPrivacy: false,
    maximumEpsilon: 100,
    noise: 'csp',
  } satisfies Partial<OwnerPolicy>;
  const enrolled = await Promise.all(Array.from({ length: OWNERS }, () => world.enrolledOwner(policy)));
  parties = {
    client: await world.taskClient(PATIENCE_MILLISECONDS),
    dataUser: world.dataUserAddress,
    owners: enrolled.map(({ owner }) => owner),
  };
});
beforeEach(() => {
  sources.csp = predictableRandomness(`${currentName()} csp`);
  sources.dataUser = predictableRandomness(`${currentName()} data user`);
});
afterAll(() => world.close());

const currentName = (): string => expect.getState().currentTestName!;

const made = new Map<string, LabelledRows>();

/** Rows of which some are clipped, with classes in turns that shift their means; always the same. */
function rowsOf(classCounts: readonly number[]): LabelledRows {
  const known = made.get(String(classCounts));
  if (known !== undefined) return known;
  const rows = makeRows(classCounts);
  made.set(String(classCounts), rows);
  return rows;
}

function makeRows(classCounts: readonly number[]): LabelledRows {
  const random = predictableRandomness(`rows of ${d}`);
  const uniform = () => Buffer.from(random(4)).readUInt32LE() / 2 ** 31 - 1;
  const classes = Array.from({ length: ROWS }, (_, row) =>
    classCounts.map((count, l) => (l === 0 ? row : Math.floor(row / 7)) % count),
  );
  const values = classes.map((own) => {
    const common = uniform();
    return Array.from({ length: d }, (_, i) => {
      const mean = own.reduce((sum, k, l) => sum + 0.2 * Math.cos(i + 2 * k + l), 0);
      return Math.max(-1, Math.min(1, 0.5 * common * Math.cos(i) + (0.5 * uniform()) / (i + 1) + mean));
    });
  });
  return { values, classes };
}

/** What the task must give: the statistics of all rows, what both servers draw from the streams of this test, and the shift. */
function expectation(task: Task, parts: readonly LabelledRows[], name: string): Components {
  const exact = flatten(task, parts.map((part) => summarise(task, part)).reduce(addStatistics));
  const drawn = [
    drawNoise(task, 'csp', predictableRandomness(`${name} csp`)),
    drawNoise(task, 'dataUser', predictableRandomness(`${name} data user`)),
  ];
  expect(drawn[0]).not.toEqual(drawn[1]);
  const noisy = [...drawn, shiftOf(task)].reduce(
    (sums, added) => sums.map((sum, i) => sum + added[i]!),
    exact,
  );
  return withoutShift(task, decompose(programOf(task), unflatten(task, noisy)));
}

/** As much as fixed-point circuits lose. */
const TOLERANCES = { simulated: 1e-9, rotated: 1e-6, garbled: 3e-4, linear: 0 } as const;

function expectClose(projection: Projection, expected: Components, scale: number): void {
  const tolerance = TOLERANCES[projection.twoParty];
  const near = (got: number | undefined, wanted: number | undefined) =>
    expect(Math.abs(got! - wanted!)).toBeLessThanOrEqual(tolerance * Math.max(1, scale));
  expect(Math.max(...principalAngles(projection.vectors, expected.vectors))).toBeLessThan(30 * tolerance);
  for (const [i, value] of expected.eigenvalues.entries()) near(projection.eigenvalues[i], value);
  for (const [i, value] of (expected.mean ?? []).entries()) near(projection.mean![i], value);
  for (const [i, value] of (expected.spectrum ?? []).entries()) near(projection.spectrum![i], value);
  if (expected.trace !== undefined) near(projection.trace, expected.trace);
  expect(projection.sampleCount).toBe(expected.sampleCount);
  if (projection.twoParty === 'garbled')
    expect(projection.converged).toEqual(expected.vectors.map(() => true));
}

const OUTPUTS = {
  pca: ['mean', 'trace', 'sampleCount', 'spectrum'],
  dca: ['mean', 'trace', 'sampleCount'],
  lda: [],
  mdr: [],
};
const d = 5;

function proposalOf(
  method: keyof typeof OUTPUTS,
  classCounts: readonly number[],
  changes: Record<string, unknown>,
) {
  return madeUpProposal(method, d, classCounts, {
    // They take any value: or the mean would tell their variances, and with the spectrum the whole scatter.
    features: Array.from({ length: d }, (_, i) => ({ name: `f${i}`, min: -1, max: 1, twoValued: false })),
    outputs: OUTPUTS[method],
    maximumOwners: OWNERS,
    maximumSamplesPerOwner: ROWS / OWNERS,
    differentialPrivacy: SETTING,
    ...changes,
  });
}

describe('the result is that of the statistics and both servers’ noise', () => {
  const expectNoisy = async (
    method: keyof typeof OUTPUTS,
    counts: readonly number[],
    twoParty: keyof typeof TOLERANCES,
    neighbours: 'add-remove' | 'replace',
  ) => {
    const name = currentName();
    const parts = split(rowsOf(counts), OWNERS);
    const proposal = proposalOf(method, counts, {
      twoParty,
      differentialPrivacy: { ...SETTING, neighbours },
      ...(method !== 'pca' && { method: methodWithRidge(method) }),
    });
    const { task, projection, status } = await runTask(parties, proposal, parts);
    const expected = expectation(task, parts, name);
    expectClose(projection, expected, Math.abs(expected.eigenvalues[0]!));
    const carried = { ...SETTING, neighbours, noise: 'servers', honestOwners: null };
    expect(projection.differentialPrivacy).toEqual(carried);
    expect(status.differentialPrivacy).toEqual(carried);
  };
  const CASES = '%s %j, %s, %s';

  test.each([['pca', [], 'rotated', 'add-remove']] as const)(CASES, expectNoisy);

  test.each([
    ['pca', [], 'simulated', 'replace'],
    ['pca', [], 'simulated', 'add-remove'],
    ['dca', [3], 'simulated', 'add-remove'],
    ['dca', [3], 'simulated', 'replace'],
    ['lda', [3], 'simulated', 'add-remove'],
    ['lda', [3], 'simulated', 'replace'],
    ['mdr', [3, 2], 'simulated', 'add-remove'],
    ['mdr', [3, 2], 'simulated', 'replace'],
    ['pca', [], 'garbled', 'add-remove'],
    ['dca', [3], 'garbled', 'replace'],
    ['lda', [3], 'garbled', 'add-remove'],
    ['mdr', [3, 2], 'garbled', 'add-remove'],
    ['pca', [], 'rotated', 'replace'],
  ] as const)(CASES, { tags: ['long'] }, expectNoisy);
});

const expectNoiseOfCsp = async (twoParty: 'simulated' | 'rotated') => {
  const name = currentName();
  const parts = split(rowsOf([]), OWNERS);
  const differentialPrivacy = { ...SETTING, noise: 'csp' };
  const proposal = proposalOf('pca', [], { twoParty, differentialPrivacy });
  const { task, projection } = await runTask(parties, proposal, parts);
  expect(drawNoise(task, 'dataUser', unset).every((value) => value === 0n)).toBe(true);
  const expected = expectation(task, parts, name);
  expectClose(projection, expected, expected.eigenvalues[0]!);
  expect(projection.differentialPrivacy).toEqual({ ...differentialPrivacy, honestOwners: null });
  // What both servers would have drawn is something else.
  const both = {
    ...task,
    differentialPrivacy: { ...task.differentialPrivacy!, noise: 'servers' as const },
  };
  expect(projection.sampleCount).not.toBe(expectation(both, parts, name).sampleCount);
};
const OF_CSP = 'noise of the CSP alone is all that the result has: %s';
test.each(['simulated'] as const)(OF_CSP, expectNoiseOfCsp);
test.each(['rotated'] as const)(OF_CSP, { tags: ['long'] }, expectNoiseOfCsp);

test('the second of two tasks has its ranges around the mean of the first, in the rows’ own units', {
  tags: ['long'],
}, async () => {
  const { values, classes } = rowsOf([]);
  // Ranges of 0 to 10 and a mean far from their middle.
  const far = values.map((row) => row.map((x, i) => Math.max(0, Math.min(10, x + 2 + i))));
  const parts = split({ values: far, classes }, OWNERS);
  const features = Array.from({ length: d }, (_, i) => ({
    name: `f${i}`,
    min: 0,
    max: 10,
    twoValued: false,
  }));
  const wanted = { features, epsilon: 8, delta: 1e-5 };
  const outputs = ['mean'];
  const first = await runTask(
    parties,
    proposalOf('pca', [], { ...draftPrivacy(wanted, true), outputs, components: 1 }),
    parts,
  );
  const written = EarlierResult.parse(JSON.parse(JSON.stringify({ ...first.projection, provenance: null })));
  const second = await runTask(
    parties,
    proposalOf('pca', [], { ...draftAround(written, wanted), outputs }),
    parts,
  );
  for (const [i, { min, max }] of second.task.features.entries()) {
    expect(max - min).toBeCloseTo(20, 3);
    const mean = far.reduce((sum, row) => sum + row[i]!, 0) / far.length;
    // Clipped rows, and noise: the first mean is off by some tenths, and the second one corrects it.
    expect(Math.abs((min + max) / 2 - mean)).toBeLessThan(0.7);
    expect(Math.abs((min + max) / 2 + 10 * second.projection.mean![i]! - mean)).toBeLessThan(0.2);
  }
});

describe('noise is drawn once', () => {
  test('whatever is lost and restarted on the way', async () => {
    const name = currentName();
    const parts = split(rowsOf([]), OWNERS);
    const proposal = proposalOf('pca', [], {});
    const { task } = await parties.client.create(proposal);
    for (const [i, owner] of parties.owners.entries())
      await owner.contribute(world.dataUserAddress, task.id, async (agreed) => summarise(agreed, parts[i]!));
    // Both have drawn when the answer to the unblinding is lost.
    const lost = world.proxies.csp.inject(/unblinding$/, { kind: 'lose answer' }, Number.POSITIVE_INFINITY);
    await parties.client.closeTask(task.id);
    await untilWaiting(parties.client, task.id);
    expect(lost.hits).toBeGreaterThan(0);
    sources.csp = unset;
    sources.dataUser = unset;
    await restart();
    world.proxies.csp.heal();
    world.proxies.csp.inject(/two-party$/, { kind: 'lose request' }, Number.POSITIVE_INFINITY);
    await expect.poll(async () => (await (await world.taskClient()).status(task.id)).state).toBe('unblinded');
    await untilWaiting(await world.taskClient(), task.id);
    await restart();
    world.proxies.csp.heal();
    const client = await world.taskClient();
    await expect.poll(async () => (await client.status(task.id)).state).toBe('done');
    const expected = expectation(task, parts, name);
    expectClose(await client.result(task.id), expected, expected.eigenvalues[0]!);
  });

  const untilWaiting = (client: Parties['client'], id: Task['id']) =>
    expect.poll(async () => (await client.status(id)).waiting).toBeDefined();

  async function restart(): Promise<void> {
    await world.stopDataUser();
    await world.stopCsp();
    await world.startCsp();
    await world.startDataUser();
  }
});

describe('the size of the noise', { tags: ['long'] }, () => {
  const eigenvaluesOf = async (changes: Record<string, unknown>) => {
    const parts = split(rowsOf([]), OWNERS);
    const proposal = proposalOf('pca', [], changes);
    const { projection } = await runTask(parties, proposal, parts);
    const { decomposition } = reference({ ...proposal, differentialPrivacy: null }, parts);
    return projection.eigenvalues.map((value, i) => Math.abs(value / decomposition.eigenvalues[i]! - 1));
  };

  test('is next to none for an ε that promises next to nothing', async () => {
    const setting = { ...SETTING, epsilon: 100, neighbours: 'replace', clippingNorm: Math.sqrt(d) };
    for (const error of await eigenvaluesOf({ differentialPrivacy: setting }))
      expect(error).toBeLessThan(0.05);
  });

  test('drowns the rows for a tiny ε', async () => {
    const [error] = await eigenvaluesOf({
      differentialPrivacy: { ...SETTING, epsilon: 1e-4, neighbours: 'replace' },
    });
    expect(error).toBeGreaterThan(10);
  });
});

describe('a task with too little for its noise', () => {
  const fails = async (twoParty: 'simulated' | 'garbled' | 'rotated') => {
    const values = [[0.5, 0, 0.1, 0, 0]];
    const parts = Array.from({ length: OWNERS }, () => ({ values, classes: [[]] }));
    const proposal = proposalOf('pca', [], { twoParty });
    const task = { ...proposal } as Task;
    // A pair of streams that takes more rows away than there are.
    const counts = Array.from(
      { length: 100 },
      (_, seed) => drawNoise(task, 'csp', predictableRandomness(`hides ${seed}`)).at(-2)!,
    );
    const seed = counts.findIndex((count) => count < -OWNERS);
    sources.csp = predictableRandomness(`hides ${seed}`);
    sources.dataUser = predictableRandomness(`hides ${counts.indexOf(0n)}`);
    const { status } = await finishTask(parties, proposal, parts);
    expect(status).toMatchObject({ state: 'failed', failure: { code: 'ERR_NO_SAMPLES' } });
  };
  const FAILS = '%s: fails when it hides all rows';
  test.each(['simulated'] as const)(FAILS, fails);
  test.each(['garbled', 'rotated'] as const)(FAILS, { tags: ['long'] }, fails);
});

describe('a setting is refused', () => {
  test('before a task is opened when it asks for next to no noise on a count', async () => {
    const proposal = proposalOf('pca', [], {
      differentialPrivacy: { ...SETTING, epsilon: 100, delta: 0.01 },
    });
    await expect(parties.client.create(proposal)).rejects.toMatchObject({ code: 'ERR_DP_PARAMETER' });
  });

  test('by an owner that asks for more, before a row is read', async () => {
    const { owner } = await world.enrolledOwner({ maximumEpsilon: 1 });
    const { task } = await parties.client.create(proposalOf('pca', [], {}));
    await expect(
      owner.contribute(world.dataUserAddress, task.id, () => Promise.reject(new Error('rows were read'))),
    ).rejects.toMatchObject({
      code: 'ERR_POLICY',
      message: expect.stringContaining('"differentialPrivacy.epsilon"'),
    });
  });
});

function methodWithRidge(kind: 'dca' | 'lda' | 'mdr') {
  return kind === 'dca' ? { kind, form: 'standard', ridge: 10, signalRidge: 0 } : { kind, ridge: 10 };
}
