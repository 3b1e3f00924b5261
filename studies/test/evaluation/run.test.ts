/** A run: what is planned, kept over interruptions, confirmed, and called a failure. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Experiment, Outcome } from '../../evaluation/experiment.ts';
import { wordOf } from '../../evaluation/report/records.ts';
import { EvaluationResult } from '../../evaluation/result.ts';
import { Evaluation } from '../../evaluation/run/evaluate.ts';
import type { Job } from '../../evaluation/run/job.ts';
import { CaseProcesses } from '../../evaluation/run/processes.ts';
import { noiseOf, problemsOf, shortForm } from '../../evaluation/run/summary.ts';

const units = (successes: number, n: number) => [
  ...new Array<number>(successes).fill(1),
  ...new Array<number>(n - successes).fill(0),
];
const trials = (successes: number, n: number): Outcome => ({
  kind: 'trials',
  attack: units(successes, n),
  control: units(0, n),
  baseline: 0,
});
const LEAK = trials(60, 60);
const NONE = trials(0, 400);
const FEW = trials(1, 4);

/** An experiment about S-8 on iris, unless said otherwise. */
function experiment(id: string, more: Partial<Experiment> = {}): Experiment {
  return {
    id,
    title: id,
    kind: 'attack',
    attacker: 'data user',
    secret: 'pooled statistics',
    expectation: 'holds',
    claims: ['S-8'],
    sees: 'nothing',
    knows: 'nothing',
    control: 'nobody',
    baseline: 'nothing',
    unit: 'row',
    scenes: ['iris'],
    run: () => Promise.reject(new Error('runs in a lane')),
    ...more,
  };
}

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eigenveil-evaluation-test-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const SETTING = { effort: 'full', seed: '1', only: undefined, own: undefined, attack: undefined } as const;

type Came = { readonly outcome: Outcome } | { readonly why: string };

/** What runs cases in this process, and keeps what it was asked; from the case `interrupted` on the run is stopped. */
function processesOf(answer: (job: Job) => Came, interrupted = Number.POSITIVE_INFINITY) {
  const asked: string[] = [];
  let stop: (() => Promise<void>) | undefined;
  return {
    asked,
    lanes: 1,
    close: () => {},
    stop: async () => {},
    stopBy: (by: () => Promise<void>) => {
      stop = by;
    },
    run: async (job: Job): Promise<Outcome> => {
      if (asked.length >= interrupted) await stop!();
      asked.push(`${job.experiment}, ${job.seed}`);
      const came = answer(job);
      if ('why' in came) throw new Error(came.why);
      return came.outcome;
    },
  };
}

const open = async (
  experiments: readonly Experiment[],
  processes: ReturnType<typeof processesOf>,
  setting: Parameters<typeof Evaluation.open>[1] = SETTING,
) => {
  const evaluation = await Evaluation.open(experiments, setting, folder, processes);
  processes.stopBy(() => evaluation.stop());
  return evaluation;
};

it('judges all cases, and says of the claim what came of them', { tags: ['long'] }, async () => {
  const processes = processesOf(({ experiment: id }) => ({ outcome: id === 'planted' ? LEAK : NONE }));
  const evaluation = await open(
    [experiment('quiet'), experiment('planted', { expectation: 'control' })],
    processes,
  );
  const result = await evaluation.run();
  expect(EvaluationResult.parse(JSON.parse(JSON.stringify(result)))).toEqual(result);
  expect(result.experiments.map(({ verdict }) => verdict)).toEqual(['holds', 'broken']);
  expect(result.claims.find(({ id }) => id === 'S-8')).toMatchObject({
    verdict: 'holds',
    experiments: ['quiet'],
    controls: ['planted'],
  });
  expect(result.claims.find(({ id }) => id === 'S-14')).toMatchObject({ verdict: 'not covered' });
  expect(result.run.scenes).toMatchObject([
    { name: 'iris', owners: 5, rows: 60, people: 60, privateLabel: null },
  ]);
  expect(problemsOf(result)).toEqual([]);
  expect(shortForm(result)).toMatchObject({
    experiments: [
      { id: 'quiet', kind: 'attack', expectation: 'holds', verdict: 'holds', success: 0, n: 400 },
    ],
    controls: [{ id: 'planted', found: true }],
  });
});

it('confirms on a fresh seed what refutes a claim, and fails if it is broken again', async () => {
  const processes = processesOf(() => ({ outcome: LEAK }));
  const evaluation = await open(
    [experiment('attack'), experiment('leak', { expectation: 'admitted' })],
    processes,
  );
  const result = await evaluation.run();
  expect(processes.asked).toEqual(['attack, 1', 'leak, 1', 'attack, 1/again']);
  expect(result.experiments[0]!.cases[0]).toMatchObject({
    verdict: 'broken',
    confirmation: { seed: '1/again' },
  });
  expect(problemsOf(result)).toEqual([expect.stringContaining('attack, against S-8')]);
});

it('lets an accident pass that a fresh seed does not repeat', async () => {
  const processes = processesOf(({ seed }) => ({ outcome: seed === '1' ? LEAK : FEW }));
  const result = await (await open([experiment('attack')], processes)).run();
  expect(result.experiments[0]).toMatchObject({ verdict: 'undecided' });
  expect(problemsOf(result)).toEqual([]);
});

it('fails where a known leak is not found in every case', async () => {
  const processes = processesOf(({ source }) => ({
    outcome: source.kind === 'bundled' && source.name === 'iris' ? LEAK : FEW,
  }));
  const planted = experiment('planted', { expectation: 'control', scenes: ['iris', 'breast_cancer'] });
  const result = await (await open([planted], processes)).run();
  expect(result.controls).toEqual([{ id: 'planted', found: false }]);
  expect(problemsOf(result)).toEqual([expect.stringContaining('planted')]);
});

it('says that a machine is too noisy only where that alone hid what is known to leak', async () => {
  const planted = experiment('planted', { expectation: 'control', scenes: ['iris', 'breast_cancer'] });
  const hidden = { ...FEW, tooNoisy: 'times differ by themselves' };
  const both = processesOf(() => ({ outcome: hidden }));
  const result = await (await open([planted], both)).run();
  expect(result.controls).toEqual([{ id: 'planted', found: false, tooNoisy: hidden.tooNoisy }]);
  expect(problemsOf(result)).toEqual([]);
  expect(noiseOf(result)).toEqual([expect.stringContaining(hidden.tooNoisy)]);
  expect(EvaluationResult.parse(JSON.parse(JSON.stringify(result)))).toEqual(result);
  expect(wordOf(result.experiments[0]!)).toBe('? too noisy here');
  const one = processesOf(({ source }) => ({
    outcome: source.kind === 'bundled' && source.name === 'iris' ? hidden : FEW,
  }));
  const blind = await (await open([planted], one)).run();
  expect(problemsOf(blind)).toEqual([expect.stringContaining('planted')]);
  expect(noiseOf(blind)).toEqual([]);
});

describe('what fails', () => {
  it('is named, and the others go on; the next run tries that alone again', async () => {
    const all = [experiment('bad'), experiment('odd'), experiment('good')];
    const first = processesOf(({ experiment: id }) =>
      id === 'bad' ? { why: 'it threw' } : { outcome: id === 'odd' ? { ...NONE, control: [] } : NONE },
    );
    const result = await (await open(all, first)).run();
    expect(result.failures).toEqual([
      { experiment: 'bad', scene: 'iris', why: 'it threw' },
      { experiment: 'odd', scene: 'iris', why: expect.stringContaining('at least one unit') },
    ]);
    expect(result.experiments.map(({ verdict }) => verdict)).toEqual([null, null, 'holds']);
    expect(problemsOf(result)).toEqual([expect.stringContaining('2 cases')]);
    const second = processesOf(() => ({ outcome: NONE }));
    const again = await open(all, second);
    expect(again.resumed).toBe(1);
    expect((await again.run()).failures).toEqual([]);
    expect(second.asked).toEqual(['bad, 1', 'odd, 1']);
    // That run came to its end, so that the next one starts anew.
    expect((await open(all, second)).resumed).toBe(0);
  });

  it('is told apart from what an interruption left out', async () => {
    const processes = processesOf(() => ({ outcome: NONE }), 1);
    const evaluation = await open([experiment('one'), experiment('two')], processes);
    const result = await evaluation.run();
    expect(result.missing).toEqual([{ experiment: 'two', scene: 'iris' }]);
    expect(result.failures).toEqual([]);
  });
});

describe('what is planned', () => {
  it('is what was asked for, where the experiment has something to say', async () => {
    const processes = processesOf(() => ({ outcome: NONE }));
    const needsPrivate = experiment('needs', {
      scenes: ['iris', 'pima'],
      omits: ({ privateLabel }) => (privateLabel === undefined ? 'no private label' : undefined),
    });
    const only = { ...SETTING, only: ['needs'] };
    const result = await (await open([experiment('other'), needsPrivate], processes, only)).run();
    expect(processes.asked).toEqual(['needs, 1']);
    expect(result.run.only).toEqual(['needs']);
    expect(result.experiments).toMatchObject([
      { id: 'needs', omitted: [{ scene: 'iris', why: 'no private label' }], cases: [{ scene: 'pima' }] },
    ]);
  });

  it('starts anew with another setting, and goes on with the same', async () => {
    const processes = processesOf(() => ({ outcome: NONE }));
    const half = processesOf(() => ({ outcome: NONE }), 1);
    const all = [experiment('one'), experiment('two')];
    await (await open(all, half)).run();
    expect((await open(all, processes)).resumed).toBe(1);
    expect((await open(all, processes, { ...SETTING, seed: '2' })).resumed).toBe(0);
  });
});

describe('a scene of one’s own', () => {
  const TASK = {
    method: { kind: 'pca' },
    features: [
      { name: 'height', min: 0, max: 10, twoValued: false },
      { name: 'width', min: 0, max: 10, twoValued: false },
      { name: 'depth', min: 0, max: 10, twoValued: false },
    ],
    components: 1,
    minimumOwners: 2,
    maximumOwners: 4,
    maximumSamplesPerOwner: 100,
    exact: true,
    allowFullRank: true,
    deadline: '2099-01-01T00:00:00Z',
  };

  async function files(rows: readonly string[], task: object = TASK) {
    const own = { task: join(folder, 'task.json'), data: join(folder, 'rows.csv') };
    await writeFile(own.task, JSON.stringify(task));
    await writeFile(own.data, ['width,height,depth,who,old', ...rows].join('\n'));
    return own;
  }
  const ROWS = Array.from(
    { length: 40 },
    (_, i) => `${i % 7},${i % 5},${i % 3},p${i % 20},${i % 2 ? 'yes' : 'no'}`,
  );

  it('has the file’s rows in the task’s order, dealt by person', async () => {
    const own = {
      ...(await files(ROWS)),
      person: 'who',
      privateLabel: 'old',
      owners: 4,
      twoParty: 'simulated' as const,
    };
    let seen = 0;
    const look = experiment('look', {
      omits: ({ owners, privateLabel, proposal, outsiders }) => {
        seen += 1;
        expect(owners.map((rows) => rows.length)).toEqual([4, 4, 4, 4]);
        expect(privateLabel).toBe('old');
        expect(proposal.twoParty).toBe('simulated');
        const { values, person, labels } = outsiders[0]!;
        const row = ROWS.map((line) => line.split(',')).find(
          ([width, height, depth, who]) => who === person && `${[height, width, depth]}` === `${values}`,
        );
        expect(labels).toEqual({ old: row?.[4] });
        return undefined;
      },
    });
    const processes = processesOf(() => ({ outcome: NONE }));
    const result = await (await open([look], processes, { ...SETTING, own })).run();
    expect(seen).toBe(1);
    expect(result.experiments[0]!.cases).toMatchObject([{ scene: 'rows.csv' }]);
    expect(result.run.scenes).toMatchObject([{ name: 'rows.csv', people: 8, rows: 16, owners: 4 }]);
  });

  it.each([
    [{ owners: 1 }, /"--owners" expected the task's minimumOwners 2 to its maximumOwners 4, got 1$/],
    [{ owners: 5 }, /"--owners" expected .* got 5$/],
    [{ privateLabel: 'same' }, /"same" expected 2 to 100 different labels, has 1$/],
    [{ label: 'own' }, /"own" expected 2 to 100 different labels, has 120$/],
  ])('is refused with %o', async (options, message) => {
    const own = await files([]);
    const rows = Array.from({ length: 120 }, (_, i) => `1,2,3,7,r${i}`);
    await writeFile(own.data, ['width,height,depth,same,own', ...rows].join('\n'));
    const opening = open(
      [experiment('any')],
      processesOf(() => ({ outcome: NONE })),
      {
        ...SETTING,
        own: { ...own, ...options },
      },
    );
    await expect(opening).rejects.toMatchObject({
      code: 'ERR_SCENE',
      message: expect.stringMatching(message),
    });
  });

  it.each<[string, readonly string[], object, RegExp]>([
    ['a cell that is no number', [...ROWS, '1,secret,3,p,no'], TASK, /line 42: "height" expected a number;/],
    ['too few people', ROWS.slice(0, 3), TASK, /expected at least 5 people/],
    ['a task that is none', ROWS, { ...TASK, components: 0 }, /"--task" expected/],
    ['a task that is refused', ROWS, { ...TASK, allowFullRank: false }, /"--task" expected/],
    [
      'a column that is missing',
      ROWS,
      { ...TASK, features: [...TASK.features, { name: 'mass', min: 0, max: 1 }] },
      /column "mass"/,
    ],
    [
      'room for too few rows',
      ROWS,
      { ...TASK, maximumSamplesPerOwner: 3 },
      /"maximumSamplesPerOwner" expected at least/,
    ],
  ])('is refused for %s', async (_, rows, task, message) => {
    const own = await files(rows, task);
    const processes = processesOf(() => ({ outcome: NONE }));
    const opening = open([experiment('any')], processes, { ...SETTING, own });
    await expect(opening).rejects.toMatchObject({
      code: 'ERR_SCENE',
      message: expect.stringMatching(message),
    });
  });

  it('starts anew when its rows have changed', { tags: ['long'] }, async () => {
    const own = await files(ROWS);
    const processes = processesOf(() => ({ outcome: NONE }));
    const half = processesOf(() => ({ outcome: NONE }), 1);
    const all = [experiment('one'), experiment('two')];
    await (await open(all, half, { ...SETTING, own })).run();
    expect((await open(all, processes, { ...SETTING, own })).resumed).toBe(1);
    await writeFile(own.data, (await readFile(own.data, 'utf8')).replace('0,0,0', '1,0,0'));
    expect((await open(all, processes, { ...SETTING, own })).resumed).toBe(0);
  });
});

describe('processes', () => {
  const attack = `
    const base = { title: 'Own', kind: 'attack', attacker: 'CSP', secret: 'result', expectation: 'holds', claims: [], sees: 'x', knows: 'x', control: 'x', baseline: 'x', unit: 'row', scenes: ['iris'] };
    export default { ...base, id: 'own-attack', run: async ({ scene, seed, note }) => {
      note(scene.name);
      if (seed.startsWith('throw')) throw new Error('as it should');
      if (seed.startsWith('die')) process.kill(process.pid, 'SIGKILL');
      return { kind: 'trials', attack: [0.25], control: [seed.length / 100], baseline: 0, facts: { seed } };
    } };`;

  it('run cases in processes that may die', { tags: ['long'] }, async () => {
    const file = join(folder, 'attack.mjs');
    await writeFile(file, attack);
    const came: Record<string, unknown> = {};
    const notes: string[] = [];
    const processes = new CaseProcesses();
    for (const seed of ['die', 'throw', 'plain', 'die again', 'plain too'])
      came[seed] = await processes
        .run(
          {
            ...{ experiment: 'own-attack', attack: file, source: { kind: 'bundled', name: 'iris' } },
            ...{ folder: undefined, effort: 'quick', seed },
          },
          { lane: 0, note: (text) => notes.push(text) },
        )
        .then(
          (outcome) => ({ outcome }),
          ({ message }: Error) => ({ why: message }),
        );
    processes.close();
    const seed = (name: string) => `${name}/own-attack/iris`;
    const done = (name: string) => ({
      outcome: expect.objectContaining({ control: [seed(name).length / 100], facts: { seed: seed(name) } }),
    });
    expect(came).toEqual({
      die: { why: 'its process ended with SIGKILL' },
      throw: { why: 'Error: as it should' },
      plain: done('plain'),
      'die again': { why: 'its process ended with SIGKILL' },
      'plain too': done('plain too'),
    });
    expect(notes).toContain('iris');
  });
});
