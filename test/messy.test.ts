/**
 * Files as owners have them, and what must come of each with `contribute`, `project`, `task draft` and `demo` alike: an error before anything is charged
 * or sent, a warning, or the right values.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFileBytes, statisticsOfCsv } from '@eigenveil/statistics';
import { withPlainRows } from '@eigenveil/studies/demo/dataset';
import { type Task, type TaskId, TaskProposal } from '@eigenveil/task';
import { MANY_ANSWERS } from '@eigenveil/testbed/many-answers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runInProcess } from './support/in-process.ts';
import { CASES, type Case, type Command, type Options, SAME } from './support/messy-cases.ts';
import { writeMessyFiles } from './support/messy-files.ts';
import { World } from './support/world.ts';

const IGNORE = ['id', 'label'];
const RANGES = { age: [0, 120], weight: [30, 200], dose: [0, 20_000], score: [0, 50] } as const;
const DOSE = 'dose';

let world: World;
let made: string;
let out: string;
let tasks: Record<Case['of'], TaskId>;
let evidence: string;
/** What the good file is reduced to. */
let reduced: string;
const atHome = () => ['--home', join(world.folder, 'owner-1')];
const asOwner = () => [
  ...atHome(),
  ...['--user-url', world.dataUserAddress.url, '--user-ca', join(out, 'ca.pem')],
  ...['--policy', join(out, 'policy.json')],
];

beforeAll(async () => {
  world = await World.start();
  made = await mkdtemp(join(tmpdir(), 'eigenveil-messy-'));
  out = await mkdtemp(join(tmpdir(), 'eigenveil-out-'));
  await writeMessyFiles(made);
  await writeFile(join(out, 'ca.pem'), world.ca);
  const policy = {
    ...{ minimumKeyBits: 1024, allowFullRank: true, allowSpectrum: true, minimumClassRows: 1 },
    ...{ twoParty: ['simulated', 'linear'], ...MANY_ANSWERS },
  };
  await writeFile(join(out, 'policy.json'), JSON.stringify(policy));
  const client = await world.taskClient();
  const features = Object.entries(RANGES).map(([name, [min, max]]) => ({ name, min, max }));
  const common = {
    ...{ components: 2, minimumOwners: 2, maximumOwners: 5, maximumSamplesPerOwner: 1000 },
    ...{
      keyBits: 1024,
      allowInsecureKey: true,
      twoParty: 'simulated',
      exact: true,
      allowFullRank: true,
      deadline: new Date(Date.now() + 3_600_000).toISOString(),
    },
  } as const;
  const create = async (proposal: object) =>
    (await client.create(TaskProposal.parse({ ...common, features, ...proposal }))).task;
  const ldaLabels = [{ column: 'label', classes: ['true', 'false'] }];
  const made4 = {
    pca: await create({ method: { kind: 'pca' } }),
    lda: await create({ method: { kind: 'lda', ridge: 1 }, labellings: ldaLabels, components: 1 }),
    nfd: await create({
      method: { kind: 'pca' },
      features: features.map((it) => (it.name === 'weight' ? { ...it, name: 'poids_kg_é' } : it)),
    }),
    histogram: await create({
      ...{ method: { kind: 'histogram', height: 4, strategy: 'privelet' }, components: 0 },
      ...{ exact: false, allowFullRank: false },
      ...{ features: [{ name: 'x', min: 0, max: 100 }], twoParty: 'linear' },
      differentialPrivacy: {
        ...{ epsilon: 1, delta: 1e-6, neighbours: 'add-remove', clippingNorm: null },
        dataIndependentRanges: true,
      },
    }),
  };
  tasks = Object.fromEntries(Object.entries(made4).map(([kind, { id }]) => [kind, id])) as typeof tasks;
  // The owner whose files are read, and two whose contributions make a result for `project`.
  const done = await create({ method: { kind: 'pca' } });
  await world.enrolledOwner();
  const others = [await world.enrolledOwner(), await world.enrolledOwner()];
  for (const { owner } of others)
    await owner.contribute(world.dataUserAddress, done.id, (task: Task) =>
      statisticsOfCsv(readFileBytes(join(made, 'base.csv')), task, { ignoredColumns: IGNORE }).then(
        ({ statistics }) => statistics,
      ),
    );
  await client.closeTask(done.id);
  evidence = join(out, 'evidence.json');
  const fetching = [
    '--home',
    join(world.folder, 'owner-2'),
    ...asOwner().slice(2),
    '--wait',
    '--evidence',
    evidence,
  ];
  expect(await runInProcess('owner', 'project', done.id, ...fetching)).toMatchObject({ exitCode: 0 });
  reduced = await projected(join(made, 'base.csv'));
});
afterAll(async () => {
  await world.close();
  await Promise.all([made, out].map((folder) => rm(folder, { recursive: true, force: true })));
});

/** The rows of a file, reduced. */
async function projected(file: string): Promise<string> {
  const target = join(out, 'reference.csv');
  const flags = ['--projection', evidence, '--data', file, '--out', target];
  expect(await runInProcess('owner', 'project', ...atHome(), ...flags)).toMatchObject({ exitCode: 0 });
  return readFile(target, 'utf8');
}

function flagsOf({ ignore = IGNORE, ...options }: Options): string[] {
  const more = Object.entries(options).flatMap(([name, value]) => {
    const flag = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if (typeof value === 'boolean') return value ? [flag] : [];
    return [flag, Array.isArray(value) ? JSON.stringify(value) : String(value)];
  });
  return ['--ignore', JSON.stringify(ignore), ...more];
}

interface Came {
  readonly exitCode: number | null;
  /** Everything that was said. */
  readonly text: string;
  readonly rows?: number | undefined;
  readonly skipped?: number | undefined;
  /** The least and the greatest dose. */
  readonly dose?: readonly [number, number] | undefined;
  readonly reduced?: string;
}

/** What was said, of an error its code and detail. */
function wordsOf(stderr: string): string {
  if (!stderr.startsWith('{')) return stderr;
  const { code, detail } = JSON.parse(stderr) as { code: string; detail: string };
  return `${code}: ${detail}`;
}

const RUNS: Readonly<Record<Command, (file: string, it: Case) => Promise<Came>>> = {
  async contribute(file, { of: kind, options, outcome }) {
    // What is to be refused is refused without the word that nothing be sent.
    const dry = outcome.kind === 'refused' ? [] : ['--dry-run'];
    const flags = ['--data', file, ...dry, ...flagsOf(options)];
    const { exitCode, stdout, stderr } = await runInProcess(
      'owner',
      '--json',
      ...['contribute', tasks[kind], ...asOwner(), ...flags],
    );
    const { rows, skippedRows: skipped } = exitCode === 0 ? JSON.parse(stdout) : {};
    return { exitCode, text: stdout + wordsOf(stderr), rows, skipped };
  },
  async project(file, { options }) {
    const target = join(out, 'reduced.csv');
    await rm(target, { force: true });
    const flags = ['--projection', evidence, '--data', file, '--out', target, ...flagsOf(options)];
    const ended = await runInProcess('owner', '--json', 'project', ...atHome(), ...flags);
    expect(existsSync(target)).toBe(ended.exitCode === 0);
    const { rows, skippedRows: skipped } = ended.exitCode === 0 ? JSON.parse(ended.stdout) : {};
    const text = existsSync(target) ? await readFile(target, 'utf8') : '';
    return {
      exitCode: ended.exitCode,
      text: ended.stdout + wordsOf(ended.stderr),
      rows,
      skipped,
      reduced: text,
    };
  },
  async draft(file, { options }) {
    const flags = ['--data', file, '--components', '2', '--owners', '3', ...flagsOf(options)];
    const { exitCode, stdout, stderr } = await runInProcess('user', 'task', 'draft', 'pca', ...flags);
    if (exitCode !== 0) return { exitCode, text: stderr };
    const { features } = JSON.parse(stdout) as { features: { name: string; min: number; max: number }[] };
    const dose = features.find(({ name }) => name === DOSE);
    return { exitCode, text: stderr, dose: dose && [dose.min, dose.max] };
  },
  async demo(file, { options: { ignore = IGNORE, allowClipping: _, ...reading } }) {
    const remarks: string[] = [];
    const folder = await mkdtemp(join(out, 'demo-'));
    const setting = {
      ...{
        data: file,
        ignore: ignore.filter((name) => name !== 'label'),
        label: ignore.includes('note') ? 'note' : 'label',
      },
      ...{ owners: 2, components: 1, keyBits: 1024, twoParty: 'simulated' as const, reading },
    };
    try {
      const { data } = await withPlainRows(
        { ...setting, ignore: setting.ignore.filter((name) => name !== setting.label) },
        ['pca'],
        folder,
        (remark) => remarks.push(remark),
      );
      const [header = '', ...lines] = (await readFile(data, 'utf8')).trimEnd().split('\n');
      const at = header.split(',').indexOf(DOSE);
      const doses = lines.map((line) => Number(line.split(',')[at]));
      return {
        ...{ exitCode: 0, text: remarks.join('\n'), rows: lines.length },
        dose: [Math.min(...doses), Math.max(...doses)],
      };
    } catch (error) {
      const { code, message } = error as Error & { code: string };
      return { exitCode: 2, text: `${code}: ${message}` };
    }
  },
};

/**
 * All commands read by the same code, so that few show what the others repeat: `demo`, which costs little, tries every file, the others those that
 * `demo` does not try and some of the rest, `contribute` most.
 */
const isRepeated = ({ by }: Case, command: Command, i: number): boolean =>
  command !== 'demo' && by.includes('demo') && i % (command === 'contribute' ? 2 : 5) !== 0;

/** What must come of each file, in one of the folders that have them. */
function table(folder: () => string, good: () => string, cases = CASES): void {
  const runs = cases.flatMap((it, i) =>
    it.by.map((command) => ({ ...it, command, repeated: isRepeated(it, command, i) })),
  );
  const title = '$command of $file $options: $outcome.kind';
  test.each(runs.filter(({ repeated }) => !repeated))(title, comes);
  test.each(runs.filter(({ repeated }) => repeated))(title, { tags: ['long'] }, comes);

  async function comes(it: Case & { readonly command: Command }): Promise<void> {
    const came = await RUNS[it.command](join(folder(), it.file), it);
    const { outcome } = it;
    if (outcome.kind === 'refused') {
      expect(came).toMatchObject({ exitCode: 2, text: expect.stringMatching(outcome.message) });
      expect(came.text).not.toMatch(/Z_[A-Z]+_ERROR|CSV_[A-Z]+_[A-Z]+|ERR_INTERNAL/);
      if (outcome.code !== undefined && it.command !== 'draft') expect(came.text).toContain(outcome.code);
      return;
    }
    expect(came, came.text).toMatchObject({ exitCode: 0 });
    if (outcome.kind === 'warned') {
      expect(came.text).toMatch(outcome.message);
      return;
    }
    const { rows = 12, skipped = 0, dose = [75, 12_000] } = outcome;
    if (came.rows !== undefined) expect(came.rows).toBe(rows);
    if (came.skipped !== undefined) expect(came.skipped).toBe(skipped);
    if (came.dose !== undefined) expect(came.dose).toEqual(dose);
    if (SAME.has(it.file) && came.reduced !== undefined) expect(came.reduced).toBe(good());
  }
}

describe('files as owners have them', () => {
  table(
    () => made,
    () => reduced,
  );

  test('have cost nothing by being refused', async () => {
    const { home } = world.ownerAt(join(world.folder, 'owner-1'));
    expect(await home.ledger()).toEqual([]);
    const client = await world.taskClient();
    for (const id of Object.values(tasks)) expect((await client.status(id)).contributions).toBe(0);
  });

  test('a cell that is kept has the letters that the file has', async () => {
    const target = join(out, 'kept.csv');
    const flags = ['--projection', evidence, '--data', join(made, 'latin1_clash.csv'), '--out', target];
    const kept = ['--keep', 'name', '--encoding', 'windows-1252'];
    expect(await runInProcess('owner', 'project', ...atHome(), ...flags, ...kept)).toMatchObject({
      exitCode: 0,
    });
    expect((await readFile(target, 'utf8')).split('\n')[1]).toMatch(/^Müller0,/);
  });

  test('a policy with a byte order mark is read, in UTF-16, too', async () => {
    const bytes = await readFile(join(made, 'policy_bom.json'), 'utf8');
    const wide = join(out, 'policy-utf16.json');
    await writeFile(wide, Buffer.from(bytes, 'utf16le'));
    for (const policy of [join(made, 'policy_bom.json'), wide]) {
      const flags = [
        ...asOwner().slice(0, -1),
        policy,
        '--data',
        join(made, 'base.csv'),
        '--ignore',
        'id,label',
      ];
      const { exitCode, stderr } = await runInProcess('owner', 'contribute', tasks.pca, ...flags);
      // It says rotated, and the task is simulated.
      expect({ exitCode, stderr }).toEqual({ exitCode: 3, stderr: expect.stringContaining('ERR_POLICY') });
    }
  });

  test('a dry run says what would be contributed and charged, and does nothing', async () => {
    const flags = [...asOwner(), '--data', join(made, 'base.csv'), '--ignore', 'id,label', '--dry-run'];
    const { stdout } = await runInProcess('owner', '--json', 'contribute', tasks.pca, ...flags);
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ dryRun: true, rows: 12, skippedRows: 0, clipped: {}, warnings: [] },
      charge: { dataset: 'default', event: { kind: 'answer', by: 'others' }, charged: false },
    });
    const { home } = world.ownerAt(join(world.folder, 'owner-1'));
    expect([await home.ledger(), await home.pending(tasks.pca)]).toEqual([[], undefined]);
  });
});

const GIVEN = join(process.env.EIGENVEIL_DATA ?? '../shared/data', 'messy');
const missing = existsSync(GIVEN) ? '' : `: there is no ${GIVEN}; set EIGENVEIL_DATA to its folder`;
describe.skipIf(missing !== '')(`the files of the folder messy${missing}`, { tags: ['long'] }, () => {
  let good: string;
  beforeAll(async () => {
    good = await projected(join(GIVEN, 'base.csv'));
  });
  table(
    () => GIVEN,
    () => good,
    CASES.filter(({ file }) => file !== 'casedup_own.parquet'),
  );
});
