/** Command lines that cannot work: they say what is wrong, exit with 2 and leave files as they were. */
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OwnerPolicy, Projector, reduceFile } from '@eigenveil/data-owner';
import { checkTask, ProposalFile, Task, TaskId, type TaskProposal } from '@eigenveil/task';
import { Projection } from '@eigenveil/wire';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PROGRAMS, runInProcess } from './support/in-process.ts';
import { dataFile, madeUpProposal } from './support/tasks.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eigenveil-usage-'));
  await writeFile(join(folder, 'text'), 'no JSON');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

type Name = keyof typeof PROGRAMS;

async function run(name: Name, ...args: string[]) {
  const { exitCode, stdout: out, stderr: err } = await runInProcess(name, ...args);
  return { exitCode, out, err };
}

/** Every command by the words that call it. */
const commandLines = Object.entries(PROGRAMS).flatMap(([name, program]) => {
  const walk = (command: Command, words: string[]): [Name, string[]][] =>
    command.commands.length === 0
      ? [[name as Name, words]]
      : command.commands.flatMap((child) => walk(child, [...words, child.name()]));
  return walk(program(), []);
});

describe('help', () => {
  test.each(commandLines)('eigenveil-%s %j', async (name, words) => {
    const { exitCode, out, err } = await run(name, ...words, '--help');
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
    expect(out).toContain(`Usage: eigenveil-${name} ${words.join(' ')}`);
    expect(out).toMatch(/--config <FILE>/);
    // An example where there is more to give than an address.
    const needsExample =
      /serve|invite|key|backup|restore|draft|create|result|enrol|contribute|project|sql|^show|^verify/.test(
        words.join(' '),
      );
    expect(out.includes(`$ eigenveil-${name}`) || /\$ \w+=… eigenveil-/.test(out)).toBe(needsExample);
  });

  test.each(Object.keys(PROGRAMS) as Name[])(
    'eigenveil-%s lists its commands and its version',
    async (name) => {
      expect((await run(name, '--help')).out).toMatch(/Commands:/);
      expect((await run(name, '--version')).out).toMatch(/^\d+\.\d+\.\d+\n$/);
    },
  );

  test('of contribute shows a policy with every rule, which takes the default protocol', async () => {
    const { out } = await run('owner', 'contribute', '--help');
    const shown = JSON.parse(/^ {2}(\{.*?\})$/ms.exec(out)![1]!) as Record<string, unknown>;
    expect(Object.keys(shown).sort()).toEqual(Object.keys(OwnerPolicy.shape).sort());
    expect(OwnerPolicy.parse(shown).twoParty).toEqual(OwnerPolicy.parse({}).twoParty);
  });
});

const A_TASK = 'A'.repeat(22);
const URL = ['--user-url', 'https://127.0.0.1:1', '--patience-seconds', '0'];
const HOME = ['--home', '/nowhere'];
const RANGES = ['--data', dataFile('iris'), '--ignore', '["label"]'];

describe('a command line that is wrong exits with 2', () => {
  test.each<[string, Name, string[], RegExp]>([
    ['an unknown command', 'csp', ['sreve'], /unknown command 'sreve'/],
    ['an unknown option', 'csp', ['invite', '--cuont', '3'], /unknown option '--cuont'/],
    ['a missing setting', 'user', ['identity'], /"dataDirectory" is missing: give --data-directory/],
    [
      'a thumbprint that is none',
      'csp',
      ['serve', '--data-directory', '/x', '--tls-certificate', 'x', '--tls-key', 'x', '--data-users', 'foo'],
      /"--data-users\[0\]": expected a thumbprint of 43 characters, as the command identity prints it/,
    ],
    ['a missing task', 'owner', ['contribute'], /missing required argument 'TASK'/],
    [
      'a folder that cannot be made',
      'csp',
      ['identity', '--data-directory', '/dev/null/x'],
      /expected a folder that is there or can be made \(ENOTDIR\)/,
    ],
    ['a value of another type', 'csp', ['invite', '--data-directory', '/x', '--count', 'ten'], /--count/],
    ['no task id', 'owner', ['withdraw', 'task-1', ...URL, ...HOME], /"TASK" expected a task id/],
    ['an address without TLS', 'owner', ['withdraw', A_TASK, '--user-url', 'http://127.0.0.1'], /--user-url/],
    [
      'rows to reduce, but no place',
      'owner',
      ['project', A_TASK, ...URL, '--data', 'x'],
      /"--data" and "--out"/,
    ],
    [
      'reduced rows over the rows',
      'owner',
      ['project', A_TASK, ...URL, '--data', '/tmp/x.csv', '--out', '/tmp/../tmp/x.csv'],
      /"--out" expected another file/,
    ],
    [
      'a result from nowhere',
      'owner',
      ['project', A_TASK, '--save', 'x.json'],
      /"TASK" and "--user-url" expected, or "--projection"/,
    ],
    ['a result for nobody', 'owner', ['project', A_TASK, ...URL], /"--out", "--save" or "--evidence"/],
    [
      'a result in no folder',
      'owner',
      ['project', A_TASK, ...URL, '--save', '/nowhere/x.json'],
      /"--save" expected a file in a folder/,
    ],
    [
      'no file of settings',
      'csp',
      ['serve', '--config', '/nowhere/x.json'],
      /"--config" expected a readable file/,
    ],
    ['no operator token', 'user', ['task', 'status', A_TASK], /"adminToken" is missing/],
    [
      'no proposal',
      'user',
      ['task', 'create', '--admin-token', 'x', '--proposal', '/nowhere/x.json'],
      /--proposal/,
    ],
  ])('%s', async (_, name, args, message) => {
    const { exitCode, out, err } = await run(name, ...args);
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' });
    expect(err).toMatch(message);
    expect(err.trim().split('\n')).toHaveLength(1);
  });

  test.each<[string, Name, string[]]>([
    ['certificates', 'owner', ['withdraw', A_TASK, ...URL, ...HOME, '--user-ca', '/nowhere/ca.pem']],
    ['the policy', 'owner', ['contribute', A_TASK, ...URL, ...HOME, '--data', 'x', '--policy', '/nowhere/x']],
    ['the token', 'user', ['task', 'status', A_TASK, '--data-directory', '/nowhere']],
    [
      'rows to draft from',
      'user',
      ['task', 'draft', '--data', '/nowhere/x', '--components', '2', '--owners', '3'],
    ],
  ])('a file that is not there: %s', async (_, name, args) => {
    const { exitCode, err } = await run(name, ...args);
    expect(err).toContain('/nowhere');
    expect(exitCode).toBe(2);
  });

  test('a home that others can read', async () => {
    const home = join(folder, 'open');
    await mkdir(home);
    await chmod(home, 0o755);
    const { exitCode, err } = await run('owner', 'withdraw', A_TASK, ...URL, '--home', home);
    expect({ exitCode, err }).toEqual({
      exitCode: 2,
      err: expect.stringContaining(`ERR_OWNER_HOME: "${home}" expected`),
    });
    expect(err).toContain(`chmod -R go= '${home}'`);
  });

  test('a policy with a rule that nobody knows', async () => {
    const file = join(folder, 'policy.json');
    await writeFile(file, JSON.stringify({ minimumOwner: 5 }));
    const policy = ['--data', 'x', '--policy', file];
    const { exitCode, err } = await run('owner', 'contribute', A_TASK, ...URL, ...HOME, ...policy);
    expect(exitCode).toBe(2);
    expect(err).toContain('"minimumOwner" is not known: did you mean "minimumOwners"?');
  });

  test('a policy that is no JSON', async () => {
    const policy = ['--data', 'x', '--policy', join(folder, 'text')];
    const { exitCode, err } = await run('owner', 'contribute', A_TASK, ...URL, ...HOME, ...policy);
    expect({ exitCode, err }).toEqual({ exitCode: 2, err: expect.stringContaining('ERR_CONFIGURATION') });
  });

  const SIZES = ['--components', '2', '--owners', '3'];
  const LABELLED = ['--data', dataFile('iris'), '--labels', 'label'];
  const DCA = [...LABELLED, '--method', 'dca'];
  test.each<[string, string[], RegExp]>([
    [
      'more components than there can be',
      [...RANGES, '--components', '500', '--owners', '3'],
      /"components": Too big: expected number to be <=200/,
    ],
    [
      'more components than features',
      [...RANGES, '--components', '5', '--owners', '3'],
      /"components" expected at most 4, the number of features, got 5/,
    ],
    [
      'more owners than there can be',
      [...RANGES, '--components', '2', '--owners', '99999999'],
      /"maximumOwners": Too big: expected number to be <=10000000/,
    ],
    [
      'fewer owners at most than at least',
      [...RANGES, ...SIZES, '--minimum-owners', '4'],
      /"minimumOwners" expected at most maximumOwners 3, got 4/,
    ],
    [
      'a result that tells the scatter',
      [...RANGES, '--components', '4', '--owners', '3'],
      /ERR_FULL_RANK: "components" expected at most 3, got 4: .*; "allowFullRank" consents to that/,
    ],
    [
      'labels among the features',
      ['--data', dataFile('iris'), ...SIZES],
      /column "label" looks like a label .*--labels; otherwise leave it out with --ignore/,
    ],
    [
      'labels for pca',
      [...LABELLED, ...SIZES],
      /"--labels" expected no column \(leave label columns out with --ignore\) for pca, got 1/,
    ],
    [
      'no labels for lda',
      [...RANGES, ...SIZES, '--method', 'lda'],
      /"--labels" expected one column for lda, got 0/,
    ],
    [
      'one labelling for mdr',
      [...LABELLED, ...SIZES, '--method', 'mdr'],
      /"--labels" expected two columns, of utility and of privacy, for mdr, got 1/,
    ],
    [
      'a scale for dca',
      [...DCA, ...SIZES, '--scale', 'correlation'],
      /"--scale" expected with --method pca alone, got dca/,
    ],
    [
      'a form for lda',
      [...LABELLED, ...SIZES, '--method', 'lda', '--form', 'book'],
      /"--form" expected with --method dca alone, got lda/,
    ],
    [
      'a signal ridge for pca',
      [...RANGES, ...SIZES, '--signal-ridge', '1'],
      /"--signal-ridge" expected with --method dca alone, got pca/,
    ],
    [
      'a ridge for pca',
      [...RANGES, ...SIZES, '--ridge', '1'],
      /"--ridge" expected with --method dca, lda or mdr, got pca/,
    ],
    [
      'no ridge, but a constant feature',
      ['--data', dataFile('ionosphere'), '--labels', 'label', '--method', 'dca', '--ridge', '0', ...SIZES],
      /"method.ridge" expected more than 0, such as 1, or no constant feature: "V2" has one value alone/,
    ],
    [
      'dca by rotated and ε, as create would refuse it',
      [...DCA, ...SIZES, '--two-party', 'rotated', '--epsilon', '1'],
      /ERR_PROGRAM_INVALID: "differentialPrivacy" expected none for a pencil .*: garbled computes it/,
    ],
    [
      'a spectrum of dca by garbled',
      [...DCA, ...SIZES, '--outputs', 'mean,spectrum'],
      /ERR_PROGRAM_INVALID: "outputs" expected no spectrum for dca/,
    ],
    [
      'outputs that do not exist',
      [...RANGES, ...SIZES, '--outputs', 'median'],
      /"--outputs\[0\]": Invalid option/,
    ],
    [
      'two tasks without ε',
      [...RANGES, ...SIZES, '--mean-first'],
      /"--mean-first" and "--around" expected with --epsilon, of both tasks/,
    ],
    [
      'a ridge that garbled cannot write',
      [...DCA, ...SIZES, '--ridge', '1e-9'],
      /ERR_TASK_RANGE: "method.ridge" expected 0, a multiple of 4\^-14 or at least/,
    ],
    [
      'a negative ridge on the signal by rotated',
      [...DCA, ...SIZES, '--two-party', 'rotated', '--signal-ridge', '-0.05'],
      /ERR_PROGRAM_INVALID: "signalRidge" expected from 0 to the ridge .*: garbled computes others/,
    ],
    [
      'more components than leave a data user that deviates something unknown',
      [...DCA, ...SIZES, '--two-party', 'rotated'],
      /ERR_FULL_RANK: "components" expected at most 1 of these features and classes .*; garbled computes them/,
    ],
  ])('a draft with %s', async (_, args, message) => {
    const { exitCode, out, err } = await run('user', 'task', 'draft', ...args);
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' });
    expect(err).toMatch(message);
  });

  test('a proposal that create refuses before it asks the service', async () => {
    const file = join(folder, 'dca.json');
    const drafted = await run('user', 'task', 'draft', ...DCA, ...SIZES);
    const proposal = { ...JSON.parse(drafted.out), twoParty: 'rotated' };
    await writeFile(file, JSON.stringify(proposal));
    const create = [
      'task',
      'create',
      '--admin-token',
      'x',
      '--url',
      'https://127.0.0.1:1',
      '--proposal',
      file,
    ];
    const { exitCode, err } = await run('user', ...create);
    expect(exitCode).toBe(2);
    expect(err).toMatch(
      /"outputs" expected sampleCount, spectrum, classCounts for dca .*: declare sampleCount/,
    );
  });

  test('a draft takes every member that has a flag', async () => {
    const flags = ['--form', 'book', '--ridge', '2', '--signal-ridge', '-0.05', '--maximum-samples', '70'];
    const more = ['--outputs', 'mean,trace', '--minimum-owners', '3', '--allow-full-rank'];
    const { err, out } = await run('user', 'task', 'draft', ...DCA, ...flags, ...more, ...SIZES.with(1, '4'));
    expect(err).toMatch(/3 classes differ in at most 2 directions/);
    expect(JSON.parse(out)).toMatchObject({
      method: { kind: 'dca', form: 'book', ridge: 2, signalRidge: -0.05 },
      maximumSamplesPerOwner: 70,
      minimumOwners: 3,
      outputs: ['mean', 'trace'],
      allowFullRank: true,
    });
  });

  test('a draft by rotated declares what it reveals, of a discriminant method class counts, too', async () => {
    const sizes = ['--components', '1', '--owners', '3', '--two-party', 'rotated'];
    const drafted = async (...method: string[]) => {
      const { exitCode, out } = await run('user', 'task', 'draft', ...method, ...sizes);
      expect(exitCode).toBe(0);
      const proposal = ProposalFile.parse(JSON.parse(out));
      checkTask(proposal);
      return proposal.outputs;
    };
    expect(await drafted(...RANGES)).toEqual(['sampleCount', 'spectrum']);
    const labelled = ['--data', dataFile('iris'), '--method', 'lda', '--labels', 'label'];
    expect(await drafted(...labelled)).toEqual(['sampleCount', 'spectrum', 'classCounts']);
  });

  test('a draft with differential privacy says what it costs, and leaves the consent to its ranges to a person', async () => {
    const draft = ['task', 'draft', ...RANGES, '--components', '2', '--owners', '3', '--epsilon', '1'];
    const { exitCode, out, err } = await run('user', ...draft);
    expect(exitCode).toBe(0);
    // 5.18 and 3.66 for rows of length 1, times 4/3: the draft clips four features to a length of √(4/3).
    expect(err).toMatch(/^note: each server adds noise of deviation 6.90 on squares and 4.88 on products/m);
    // Ten times the file's 150 rows, rounded up, for each of three owners.
    expect(err).toMatch(
      /^note: there is room for 6000 rows, .* set maximumOwners and maximumSamplesPerOwner as low/m,
    );
    for (const forecast of [
      /^note: the clipping norm scales down \d+ % of the sample's rows$/m,
      /^note: if rows are like the sample's, noise on their scatter has a norm of about \d+, /m,
      /^note: components of the sample stand out of the noise: component 1 \(\d+ % of the variance\) from [\d,]+, component 2 \(.*\) from [\d,]+ rows on$/m,
    ])
      expect(err).toMatch(forecast);
    const proposal = JSON.parse(out) as { differentialPrivacy: Record<string, unknown> };
    expect(proposal.differentialPrivacy).toMatchObject({
      epsilon: 1,
      delta: 1e-6,
      clippingNorm: Math.sqrt(4 / 3),
      dataIndependentRanges: false,
    });
    expect(() => ProposalFile.parse(proposal)).toThrow('your consent that ranges');
    const { differentialPrivacy } = proposal;
    const consented = {
      ...proposal,
      differentialPrivacy: { ...differentialPrivacy, dataIndependentRanges: true },
    };
    expect(() => checkTask(ProposalFile.parse(consented))).not.toThrow();
  });

  test('two drafts share ε: one for the mean, and one around it that clips rows to half', async () => {
    const result = join(folder, 'result.json');
    const draft = ['task', 'draft', ...RANGES, '--components', '1', '--owners', '3', '--epsilon', '1'];
    const first = JSON.parse((await run('user', ...draft, '--mean-first')).out) as TaskProposal;
    expect(first.outputs).toEqual(['mean']);
    const spent = { ...first.differentialPrivacy!, dataIndependentRanges: true };
    const written = { features: first.features, mean: first.features.map(() => 0), vectors: [] };
    await writeFile(result, JSON.stringify({ ...written, differentialPrivacy: spent }));
    const { out, err, exitCode } = await run('user', ...draft, '--around', result);
    expect(exitCode).toBe(0);
    expect(err).not.toContain('but for noise that it knows');
    const second = JSON.parse(out) as TaskProposal;
    expect(second.outputs).toEqual([]);
    expect(second.features[0]).toMatchObject({ min: 2.5, max: 9.7 });
    expect(second.differentialPrivacy!.clippingNorm).toBeCloseTo(Math.sqrt(4 / 3) / 4, 12);
    for (const { differentialPrivacy } of [first, second]) {
      expect(differentialPrivacy!.epsilon).toBeLessThan(1);
      expect(differentialPrivacy!.dataIndependentRanges).toBe(false);
    }
    const refused = async (...wrong: string[]) => expect((await run('user', ...wrong)).exitCode).toBe(2);
    await refused(...draft.slice(0, -2), '--around', result);
    await refused(...draft.slice(0, -1), '0.1', '--around', result);
    await writeFile(result, JSON.stringify({ ...written, differentialPrivacy: null }));
    await refused(...draft, '--around', result);
    await writeFile(result, JSON.stringify({ ...written, differentialPrivacy: { ...spent, noise: 'csp' } }));
    const exposed = await run('user', ...draft, '--around', result);
    expect(exposed.exitCode).toBe(0);
    expect(exposed.err).toMatch(
      /^note: the CSP alone added noise to the earlier task: .* noise that it knows/m,
    );
    const help = await run('user', 'task', 'draft', '--help');
    expect(help.out).toMatch(/a third task.* spends more than ε and δ/);
  });

  // One id in 64 would begin with a hyphen, and look like an option.
  test('every task id can be given, whatever it begins with', async () => {
    const id = `-${'A'.repeat(21)}`;
    if (!TaskId.safeParse(id).success) return;
    const { err } = await run('owner', 'withdraw', id, ...URL, '--home', join(folder, 'owner'));
    expect(err).toContain('ERR_AUTH_REQUIRED'); // not enrolled, which it finds out after reading its arguments
  });
});

test('a file of rows that cannot be reduced leaves the earlier result as it was', async () => {
  const task = Task.parse({
    ...madeUpProposal('pca', 1, [], { components: 1, allowFullRank: true }),
    protocol: 'eigenveil/1',
    id: A_TASK,
    csp: 'A'.repeat(43),
    dataUser: 'A'.repeat(43),
  });
  const { method, twoParty, features, fractionBits, outputs } = task;
  const projection = Projection.parse({
    taskId: A_TASK,
    taskDigest: 'A'.repeat(43),
    ...{ method, twoParty, features, fractionBits, outputs },
    vectors: [[1]],
    eigenvalues: [1],
  });
  const [data, out] = [join(folder, 'rows.csv'), join(folder, 'reduced.csv')];
  await writeFile(data, 'f0\n0.5\n1\nnone\n');
  await writeFile(out, 'earlier\n');
  const attempt = reduceFile(new Projector(task, projection), data, out);
  await expect(attempt).rejects.toMatchObject({ code: 'ERR_CSV_CELL' });
  expect(await readFile(out, 'utf8')).toBe('earlier\n');
});
