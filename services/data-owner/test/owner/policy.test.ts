/**
 * The owner's policy: the tasks that it takes by default, the rules that consent to more, and the rules
 * that it names.
 *
 * @claims S-159, S-171, S-182, S-614, S-642
 */
import { madeUpTask } from '@eigenveil/made-up/tasks';
import { newTaskId, type Task } from '@eigenveil/task';
import { NO_ENTRY } from '@eigenveil/wire';
import { describe, expect, test } from 'vitest';
import { checkPolicy, OwnerPolicy } from '../../src/index.ts';
import { brokenRules, checkRows } from '../../src/owner/policy.ts';

const differentialPrivacy = {
  epsilon: 1,
  delta: 1e-6,
  neighbours: 'replace',
  clippingNorm: 1,
  noise: 'servers',
  honestOwners: null,
  dataIndependentRanges: true,
} as const;
const byCsp = { ...differentialPrivacy, noise: 'csp' } as const;
const byOwners = { ...differentialPrivacy, noise: 'owners', honestOwners: 3 } as const;
const task = (changes: Partial<Task> = {}) =>
  madeUpTask('pca', 3, { components: 2, twoParty: 'simulated', ...changes });
const lenient = OwnerPolicy.parse({ twoParty: ['simulated'] });
const SERIES = { most: 5, shortestIntervalHours: 0 };
const THIRD = { id: newTaskId(), number: 2, previous: NO_ENTRY };

describe("the owner's policy", () => {
  test('by default trusts no protocol that is not private', () => {
    const refused = expect.objectContaining({
      code: 'ERR_POLICY',
      message: expect.stringContaining('twoParty'),
    });
    expect(() => checkPolicy(OwnerPolicy.parse({}), task())).toThrow(refused);
    expect(() => checkPolicy(lenient, task())).not.toThrow();
  });

  test.each<[string, Partial<OwnerPolicy>, Partial<Task>]>([
    ['minimumOwners', { minimumOwners: 6 }, {}],
    ['keyBits', {}, { keyBits: 1024, allowInsecureKey: true }],
    ['keyBits', {}, { keyBits: 2048 }],
    ['components', { maximumComponents: 1 }, {}],
    ['outputs', {}, { outputs: ['spectrum'] }],
    ['allowFullRank', {}, { allowFullRank: true }],
    ['releases', { series: SERIES }, { exact: false, allowFullRank: false, releases: 2, series: THIRD }],
    ['exact', { series: SERIES, allowFullRank: true }, { exact: true, allowFullRank: true, series: THIRD }],
    ['differentialPrivacy', { allowWithoutDifferentialPrivacy: false }, {}],
    ['differentialPrivacy', { maximumEpsilon: 100 }, {}],
    ['differentialPrivacy', { maximumDelta: 1 }, {}],
    ['differentialPrivacy', { neighbours: 'replace' }, {}],
    ['differentialPrivacy', { noise: 'servers' }, {}],
    ['differentialPrivacy', { colludingOwners: 0 }, {}],
    ['differentialPrivacy.neighbours', { neighbours: 'add-remove' }, { differentialPrivacy }],
    ['differentialPrivacy.noise', { noise: 'owners' }, { differentialPrivacy }],
    ['differentialPrivacy.noise', { noise: 'servers' }, { differentialPrivacy: byOwners }],
    ['differentialPrivacy.noise', { noise: 'servers' }, { differentialPrivacy: byCsp }],
    ['differentialPrivacy.noise', { noise: 'owners' }, { differentialPrivacy: byCsp }],
    ['differentialPrivacy.noise', {}, { differentialPrivacy: byCsp }],
    ['differentialPrivacy.noise', { noise: 'csp' }, { differentialPrivacy: byOwners }],
    ['minimumOwners', { colludingOwners: 3 }, { differentialPrivacy: byOwners }],
    ['differentialPrivacy.epsilon', { maximumEpsilon: 0.99 }, { differentialPrivacy }],
    ['differentialPrivacy.delta', { maximumDelta: 9e-7 }, { differentialPrivacy }],
  ])('refuses a task for its %s', (name, policy, changes) => {
    const refused = expect.objectContaining({
      code: 'ERR_POLICY',
      message: expect.stringContaining(`"${name}"`),
    });
    const refusing = { ...lenient, ...policy };
    expect(() => checkPolicy(refusing, task(changes))).toThrow(refused);
    // What is shown as the line that would take it does.
    const mended = Object.assign(
      {},
      refusing,
      ...brokenRules(refusing, task(changes)).map((it) => it.change),
    );
    const written = Object.entries(mended).filter(([, value]) => value !== null);
    expect(brokenRules(OwnerPolicy.parse(Object.fromEntries(written)), task(changes))).toEqual([]);
  });

  test('shows for each broken rule the very line that would take the task', () => {
    const refusing = {
      ...lenient,
      minimumOwners: 6,
      maximumEpsilon: 1,
      allowWithoutDifferentialPrivacy: false,
    };
    expect(brokenRules(refusing, task({ twoParty: 'rotated' })).map(({ change }) => change)).toEqual([
      { minimumOwners: 5 },
      { twoParty: ['simulated', 'rotated'] },
      { allowWithoutDifferentialPrivacy: true, maximumEpsilon: null },
    ]);
    expect(brokenRules(lenient, task())).toEqual([]);
  });

  test('is content with the guarantee that it asks for', () => {
    const asking: Partial<OwnerPolicy> = {
      allowWithoutDifferentialPrivacy: false,
      maximumEpsilon: 1,
      maximumDelta: 1e-6,
      neighbours: 'replace',
      noise: 'servers',
      colludingOwners: 1000, // whose noise counts for nothing here
    };
    expect(() => checkPolicy({ ...lenient, ...asking }, task({ differentialPrivacy }))).not.toThrow();
    const relying: Partial<OwnerPolicy> = { noise: 'owners', colludingOwners: 2 }; // 5 owners, 3 of them honest
    expect(() =>
      checkPolicy({ ...lenient, ...relying }, task({ differentialPrivacy: byOwners })),
    ).not.toThrow();
  });

  test('takes the noise of the CSP alone where it says so, and that of both servers, which is more, as well', () => {
    const consenting = { ...lenient, noise: 'csp' } as const;
    for (const guarantee of [byCsp, differentialPrivacy])
      expect(() => checkPolicy(consenting, task({ differentialPrivacy: guarantee }))).not.toThrow();
    expect(() => checkPolicy(consenting, task())).toThrow(/"differentialPrivacy" is missing/);
  });

  test('names every rule that is broken', () => {
    const strict = { ...lenient, minimumOwners: 6, maximumComponents: 1 };
    expect(() => checkPolicy(strict, task())).toThrow(/minimumOwners.*components/);
  });

  test('can allow what it refuses by default', () => {
    const open = { ...lenient, allowSpectrum: true, allowFullRank: true, minimumKeyBits: 1024 };
    expect(() =>
      checkPolicy(
        open,
        task({ outputs: ['spectrum'], allowFullRank: true, keyBits: 1024, allowInsecureKey: true }),
      ),
    ).not.toThrow();
  });

  test('takes keys of the default length, and shorter ones that it names', () => {
    expect(() => checkPolicy(lenient, task({ keyBits: 4096 }))).not.toThrow();
    expect(() => checkPolicy({ ...lenient, minimumKeyBits: 2048 }, task({ keyBits: 2048 }))).not.toThrow();
  });

  test('consents to a sketch that refines a result as to a chain of two', () => {
    const refining = task({
      sketch: { columns: 20, refine: 'd'.repeat(43) },
      outputs: ['mean', 'sampleCount'],
    });
    const policy = { ...lenient, allowSpectrum: true };
    expect(() => checkPolicy(policy, refining)).toThrow(/"sketch.refine" is not allowed: .* "maximumLinks"/);
    expect(brokenRules(policy, refining).map(({ change }) => change)).toEqual([{ maximumLinks: 2 }]);
    expect(() => checkPolicy({ ...policy, maximumLinks: 2 }, refining)).not.toThrow();
  });

  test('consents to a sketch, which tells many eigenvalues, with allowSpectrum alone', () => {
    const sketched = task({ sketch: { columns: 20 }, outputs: ['mean', 'sampleCount'] });
    expect(() => checkPolicy(lenient, sketched)).toThrow(/"sketch" reveals about 20 eigenvalues/);
    expect(() => checkPolicy({ ...lenient, allowSpectrum: true }, sketched)).not.toThrow();
  });

  test('consents to variances with allowVariances alone, whether they are declared or not', () => {
    for (const outputs of [[], ['variances'] as const]) {
      const standardised = task({ method: { kind: 'pca', scale: 'correlation' }, outputs: [...outputs] });
      expect(() => checkPolicy(lenient, standardised)).toThrow(/variances of features.*"allowVariances"/);
      expect(() => checkPolicy({ ...lenient, allowVariances: true }, standardised)).not.toThrow();
    }
  });

  const discriminant: Partial<Task> = {
    method: { kind: 'dca', form: 'standard', ridge: 1, signalRidge: 0 },
    labellings: [{ column: 'label', classes: ['x', 'y', 'z'] }],
    outputs: ['sampleCount', 'spectrum', 'classCounts'],
    twoParty: 'rotated',
  };
  const open = { ...lenient, twoParty: ['rotated'], allowSpectrum: true } satisfies Partial<OwnerPolicy>;

  test('consents to numbers of rows by class with minimumClassRows alone, and to both spectra with allowSpectrum', () => {
    const counting = task(discriminant);
    expect(() => checkPolicy({ ...open, minimumClassRows: 1 }, counting)).not.toThrow();
    expect(() => checkPolicy(open, counting)).toThrow(/classCounts.*"minimumClassRows"/);
    const closed = { ...open, allowSpectrum: false, minimumClassRows: 1 };
    expect(() => checkPolicy(closed, counting)).toThrow(/of the total scatter and of the pencil/);
    const without = { ...open, twoParty: ['garbled' as const], minimumClassRows: 1 };
    expect(() => checkPolicy(without, counting)).toThrow(
      /not rotated, which reveals the number of rows .*of each class; .*; the lengths of the vectors, /,
    );
  });

  const rows = (...counts: number[]) => ({
    labellings: [counts.map((count) => ({ V: [0n, 0n, 0n], M: BigInt(count) }))],
  });

  test('takes part with enough rows of each class that it has, or where nobody is told their number', () => {
    const policy = { ...open, minimumClassRows: 5 };
    expect(() => checkRows(policy, task(discriminant), rows(5, 0, 17))).not.toThrow();
    expect(() => checkRows(policy, task({ ...discriminant, outputs: [] }), rows(1, 1, 1))).not.toThrow();
    expect(() => checkRows(policy, task(discriminant), rows(0, 4, 17))).toThrow(
      expect.objectContaining({
        code: 'ERR_POLICY',
        message: expect.stringMatching(/^"minimumClassRows" asks for at least 5 rows[^4]*$/), // nor how many there are
      }),
    );
    const both = { labellings: [...rows(9, 9, 9).labellings, ...rows(24, 3).labellings] };
    expect(() => checkRows(policy, task(discriminant), both)).toThrow(/"minimumClassRows"/);
  });

  test('is refused when it has a rule that does not exist', () => {
    expect(() => OwnerPolicy.parse({ minimumOwner: 3 })).toThrow();
  });
});
