/** The whole protocol by hand, over TLS on loopback, with the three command lines: both services and an owner that contributes and waits as processes. */
import { createReadStream } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { OwnerHome, revealedBy } from '@eigenveil/data-owner';
import { Task, type TaskProposal } from '@eigenveil/task';
import { MANY_ANSWERS } from '@eigenveil/testbed/many-answers';
import { Children, type RunningChild } from '@eigenveil/testbed/processes/programs';
import { Projection, RECEIPT, SignedTask, TaskStatus } from '@eigenveil/wire';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { CommandSite } from './support/command-site.ts';
import { queryDuckDb } from './support/duckdb.ts';
import { expectReference } from './support/expectations.ts';
import { jsonOf, problemOf, runHeard, runInProcess } from './support/in-process.ts';
import { dataFile } from './support/tasks.ts';

const OWNERS = 3;
const CLOSED_PORT = 'https://127.0.0.1:1';
const children = new Children();
let csp: RunningChild;
let dataUser: RunningChild;
const site = await CommandSite.make(OWNERS);
const { path, home, asOperator, asOwner, agreeing } = site;
/** Two features are enough for the command lines. */
const IGNORED = ['label', 'petal_length', 'petal_width'];
const ignoring = ['--ignore', JSON.stringify(IGNORED)];
const rowsOf = (i: number) => ['--data', path(`rows-${i}.csv`), ...ignoring];
const parts = site.parts.map((part) => ({ ...part, values: part.values.map((row) => row.slice(0, 2)) }));
/** What is no process of its own is asked in this one, which is faster. */
const user = async (...args: string[]) => runInProcess('user', '--json', ...args);
const task = async (what: string, ...args: string[]) => user('task', what, ...args, ...asOperator());
const owner = (what: string, ...args: string[]) => runInProcess('owner', '--json', what, ...args);

afterAll(async () => {
  await children.stop();
  await site.remove();
});

test('services start, each with the identity that it has printed', async () => {
  const cspIdentity = await runInProcess('csp', 'identity', '--json', '--data-directory', path('csp'));
  const userIdentity = await runInProcess('user', 'identity', '--data-directory', path('user'));
  const { thumbprint } = jsonOf(cspIdentity);
  // A flag comes before a variable, a variable before the file: every port but the first would be refused.
  const common = { tlsCertificate: path('cert.pem'), tlsKey: path('key.pem'), threads: 0, port: 70_000 };
  const cspFile = {
    ...common,
    dataDirectory: path('csp'),
    dataUsers: [userIdentity.stdout.trim()],
    allowSimulated: true,
    allowInsecureKeys: false,
    allowFullRank: true,
    logLevel: 'warn',
  };
  await writeFile(path('csp.json'), JSON.stringify(cspFile));
  const variables = { EIGENVEIL_CSP_PORT: '0', EIGENVEIL_CSP_ALLOW_INSECURE_KEYS: 'true' };
  csp = await children.serve('csp', ['--config', path('csp.json')], variables);
  expect(csp.listening).toEqual({ event: 'listening', url: expect.stringMatching(/^https:/), thumbprint });

  const userFile = {
    ...common,
    dataDirectory: path('user'),
    cspUrl: csp.listening.url,
    cspThumbprint: thumbprint,
    cspCa: path('cert.pem'),
    logLevel: 'warn',
  };
  await writeFile(path('user.json'), JSON.stringify(userFile));
  dataUser = await children.serve('user', ['--config', path('user.json'), '--port', '0'], {
    EIGENVEIL_USER_PORT: '70001',
  });
  expect(dataUser.listening.thumbprint).toBe(userIdentity.stdout.trim());
  site.dataUserUrl = String(dataUser.listening.url);
});

test('a service that cannot listen, or whose folder is in use, ends and says so (2)', async () => {
  const serve = (...flags: string[]) =>
    runInProcess('csp', 'serve', '--json', '--config', path('csp.json'), ...flags);
  const { port } = new URL(String(csp.listening.url));
  const taken = await serve('--port', port, '--data-directory', path('other-csp'));
  const shared = await serve('--port', '0');
  expect(problemOf(taken)).toMatchObject({ exitCode: 2, code: 'ERR_LISTEN' });
  expect(problemOf(shared)).toMatchObject({ exitCode: 2, code: 'ERR_DATA_DIRECTORY_IN_USE' });
});

test('owners enrol with the tokens of the CSP', async () => {
  const invited = await runInProcess(
    'csp',
    ...['invite', '--json', '--data-directory', path('csp'), '--count', String(OWNERS)],
  );
  const tokens = jsonOf(invited).tokens as string[];
  expect(tokens).toHaveLength(OWNERS);
  const to = ['--csp-url', String(csp.listening.url), '--csp-ca', path('cert.pem')];
  const pin = ['--csp-thumbprint', String(csp.listening.thumbprint)];
  const [first, ...others] = tokens;
  vi.stubEnv('EIGENVEIL_OWNER_TOKEN', first!);
  const enrolled = [await owner('enrol', ...home(0), ...to, ...pin)];
  vi.unstubAllEnvs();
  for (const [i, token] of others.entries())
    enrolled.push(await owner('enrol', ...home(i + 1), ...to, ...pin, '--token', token));
  expect(new Set(enrolled.map((it) => jsonOf(it).ownerId)).size).toBe(OWNERS);
  const again = await owner('enrol', '--home', path('stranger'), ...to, ...pin, '--token', tokens[0]!);
  expect(problemOf(again)).toMatchObject({ exitCode: 3, code: 'ERR_ENROLMENT_TOKEN' });
});

describe('a task', () => {
  let id: string;
  let signed: SignedTask;

  test('is drafted, edited and created', async () => {
    const drafted = await runInProcess(
      'user',
      ...['task', 'draft', 'pca', '--json', '--data', dataFile('iris'), '--ignore', IGNORED.join()],
      ...['--components', '1', '--owners', String(OWNERS), '--exact'],
    );
    const draft = jsonOf(drafted) as TaskProposal & { $schema: string };
    // For editors; SignedTask, which is strict, has none.
    expect(JSON.parse(await readFile(new URL(draft.$schema), 'utf8'))).toHaveProperty('properties.method');
    expect(draft).toMatchObject({ minimumOwners: 2, maximumSamplesPerOwner: 2000, keyBits: 3072 });
    // The line between the servers is tried elsewhere.
    const cheap = { keyBits: 1024, allowInsecureKey: true, twoParty: 'simulated' };
    const proposal = { ...draft, ...cheap, minimumOwners: OWNERS };
    await writeFile(path('task.json'), JSON.stringify(proposal));
    await writeFile(
      path('policy.json'),
      JSON.stringify({
        ...{ minimumKeyBits: 1024, minimumOwners: OWNERS, allowFullRank: true, twoParty: ['simulated'] },
        ...MANY_ANSWERS,
      }),
    );
    signed = SignedTask.parse(jsonOf(await task('create', '--proposal', path('task.json'))));
    id = signed.task.id;
  });

  test('is shown to an owner with what it reveals and the line of the policy that would take it', async () => {
    const files = await readdir(path('owner-0'));
    const shown = jsonOf(await owner('show', id, ...asOwner(0)));
    expect(shown).toEqual({
      task: signed.task,
      basis: [],
      refines: null,
      reveals: JSON.parse(JSON.stringify(revealedBy(signed.task))),
      budget: { takes: true, reason: null },
      policy: {
        takes: false,
        broken: [
          {
            rule: '"keyBits" is 1024, but your policy asks for at least 3072',
            change: { minimumKeyBits: 1024 },
          },
          { rule: expect.stringMatching(/^"twoParty"/), change: { twoParty: ['garbled', 'simulated'] } },
          { rule: expect.stringMatching(/^"exact" expected false/), change: { allowFullRank: true } },
        ],
        minimumClassRows: null,
      },
    });
    const { stdout } = await runInProcess('owner', 'show', id, ...asOwner(0));
    expect(stdout).toMatch(
      /^task .{22}, signed by the CSP: pca of the covariance matrix, 2 features, 1 components/,
    );
    expect(stdout).toContain('\nThe data user learns\n- 1 vector with its eigenvalue');
    expect(stdout).toMatch(
      /\nYour policy refuses this task\n- "keyBits".*\n {2}to take it: "minimumKeyBits": 1024\n- "twoParty".*\n.*\n- "exact".*\n {2}to take it: "allowFullRank": true\n$/,
    );
    const taken = await runInProcess('owner', 'show', id, ...agreeing(0));
    expect(taken.stdout).toMatch(/\nYour policy allows this task\n$/);
    // It has no rows to read, and it leaves nothing, here and at the data user.
    const withRows = await owner('show', id, ...asOwner(0), '--data', path('rows-0.csv'));
    expect(problemOf(withRows)).toMatchObject({ exitCode: 2, detail: expect.stringContaining("'--data'") });
    expect(await readdir(path('owner-0'))).toEqual(files);
    expect(jsonOf(await task('status', id))).toMatchObject({ contributions: 0 });
  });

  test('that breaks the policy of an owner is refused (3) without a look at the file', async () => {
    const missing = ['--data', path('no-such-file.csv')];
    const refused = await owner('contribute', id, ...asOwner(0), ...missing);
    expect(problemOf(refused)).toMatchObject({
      exitCode: 3,
      code: 'ERR_POLICY',
      detail: expect.stringContaining('"keyBits" is 1024, but your policy asks for at least 3072'),
    });
  });

  test('gets no contribution from a file with a bad cell (2), which is named but not shown', async () => {
    const cell = '8273645.x';
    const [header, ...lines] = (await readFile(path('rows-0.csv'), 'utf8')).trim().split('\n');
    lines[6] = lines[6]!.replace(/^[^,]*,[^,]*/, `5.5,${cell}`);
    await writeFile(path('bad.csv'), `${[header, ...lines].join('\n')}\n`);
    const data = ['--data', path('bad.csv'), ...ignoring];
    const refused = await owner('contribute', id, ...agreeing(0), ...data);
    expect(refused.stderr).not.toContain(cell.slice(0, 5));
    expect(problemOf(refused)).toMatchObject({
      exitCode: 2,
      code: 'ERR_CSV_CELL',
      detail: expect.stringMatching(
        /^row 7 \(line 8\), column "sepal_width" \(number 2\): expected a finite decimal number/,
      ),
    });
  });

  test('is not closed with too few owners (5)', async () => {
    const refused = problemOf(await task('close', id));
    expect(refused).toMatchObject({ exitCode: 5, code: 'ERR_MINIMUM_OWNERS' });
  });

  test('takes the contributions of all owners', async () => {
    const words = (i: number) => [id, ...agreeing(i), ...rowsOf(i)];
    // Of two files in another form, by a process of its own.
    await mkdir(path('parts'));
    for (const half of [0, 1])
      await queryDuckDb(
        `COPY (FROM '${path('rows-0.csv')}' LIMIT 25 OFFSET ${25 * half}) TO '${path(`parts/${half}.parquet`)}'`,
      );
    const parquet = ['--data', path('parts/*.parquet'), ...ignoring];
    const asProcess = ['--json', 'contribute', id, ...agreeing(0), ...parquet];
    const contributed = [await children.run('owner', asProcess)];
    // Summed by a database.
    const from = ['--from', `'${path('rows-1.csv')}'`];
    const asked = ['--dialect', 'duckdb', ...from, ...agreeing(1)];
    const { statement } = jsonOf(await owner('sql', id, ...asked)) as { statement: string };
    await writeFile(path('sums.json'), JSON.stringify(await queryDuckDb(statement)));
    const bySums = ['--statistics', path('sums.json')];
    const both = await owner('contribute', ...words(1), ...bySums);
    expect(problemOf(both)).toMatchObject({ exitCode: 2, code: 'ERR_CONFIGURATION' });
    contributed.push(await owner('contribute', id, ...agreeing(1), ...bySums));
    // As a program in another country writes it, and with a row that lacks a cell.
    const rows = await readFile(path('rows-2.csv'), 'utf8');
    const foreign = `${rows.replaceAll(',', ' ; ').replaceAll('.', ',')}5,1; ;1,4;0,2;0\n`;
    await writeFile(path('rows-2.csv'), foreign);
    const form = ['--separator', 'semicolon', '--decimal', 'comma', '--trim'];
    const refused = problemOf(await owner('contribute', ...words(2), ...form));
    expect(refused).toMatchObject({ exitCode: 2, code: 'ERR_CSV_CELL' });
    expect(refused.detail).toMatch(/^row 51 .*column "sepal_width" .*an empty cell: --missing skip/);
    const digesting = vi.spyOn(OwnerHome.prototype, 'digestOfData');
    const skipping = await owner('contribute', ...words(2), ...form, '--missing', 'skip');
    // The digest of a wide sketch takes as long as its rows, so it is computed once.
    expect(digesting).toHaveBeenCalledTimes(1);
    digesting.mockRestore();
    expect(skipping.stderr).toBe('warning: 1 row was left out, since a cell is missing or all are blank\n');
    contributed.push({ ...skipping, stderr: '' });
    for (const [i, answer] of contributed.entries()) {
      const { receipt, ...summary } = jsonOf(answer);
      expect(RECEIPT.schema.parse(receipt).taskId).toBe(id);
      expect(summary).toEqual({
        repeated: false,
        rows: parts[i]!.values.length,
        clipped: {},
        clippedRows: 0,
        skippedRows: i === 2 ? 1 : 0,
        unreadable: {},
        classes: {},
        warnings: [],
        constant: [],
      });
    }
    const save = ['--save', path('early.json')];
    const early = await owner('project', id, ...agreeing(0), ...save);
    expect(problemOf(early)).toMatchObject({ exitCode: 5, code: 'ERR_NOT_READY' });
    const waiting = ['project', id, ...agreeing(0), ...save, '--wait'];
    const late = await runInProcess('owner', '--json', ...waiting, '--wait-minutes', '0');
    expect(problemOf(late)).toMatchObject({
      exitCode: 5,
      code: 'ERR_NOT_READY',
      detail: expect.stringMatching(/^the time to wait is over: the task is open;/),
    });
    const interrupted = await children.run('owner', waiting, {}, (said, send) => {
      if (said.includes('waiting for the result: the task is open')) send('SIGINT');
    });
    expect(interrupted).toMatchObject({ exitCode: 5, stdout: '' });
    expect(interrupted.stderr.split('\n')[1]).toMatch(
      /ERR_NOT_READY: the waiting was ended: the task is open/,
    );
    await expect(readFile(path('early.json'))).rejects.toMatchObject({ code: 'ENOENT' });
    // By the policy that is kept with the receipt.
    expect(jsonOf(await owner('show', id, ...asOwner(0)))).toMatchObject({ policy: { takes: true } });
    const again = jsonOf(await owner('contribute', id, ...asOwner(0), ...parquet));
    expect(again).toMatchObject({ repeated: true });
    expect(again).not.toHaveProperty('rows');
    // The same rows from a file in another form and order, and rows of which a database gave the sums.
    const [header, ...lines] = (await readFile(path('rows-0.csv'), 'utf8')).trim().split('\n');
    await writeFile(path('turned.csv'), [header, ...lines.toReversed()].join('\n'));
    const turned = ['--data', path('turned.csv'), ...ignoring];
    for (const words of [
      [...asOwner(0), ...turned],
      [...asOwner(1), ...rowsOf(1)],
    ])
      expect(jsonOf(await owner('contribute', id, ...words))).toMatchObject({ repeated: true });
    const piping = ['--json', 'contribute', id, ...asOwner(0), '--data', '-', ...ignoring];
    const pieces = () => createReadStream(path('turned.csv'));
    expect(jsonOf(await children.feed('owner', piping, pieces))).toMatchObject({ repeated: true });
    const dry = await children.feed('owner', [...piping, '--dry-run'], pieces);
    expect(jsonOf(dry)).toMatchObject({ dryRun: true, rows: lines.length, charge: { charged: true } });
    const ofOther = [
      await owner('contribute', id, ...agreeing(0), ...rowsOf(1)),
      await children.feed('owner', piping, () => createReadStream(path('rows-1.csv'))),
    ];
    for (const [i, title] of ['rows-1\\.csv', '^standard input'].entries())
      expect(problemOf(ofOther[i]!)).toMatchObject({
        exitCode: 5,
        code: 'ERR_CONTRIBUTION_CONFLICT',
        detail: expect.stringMatching(`${title} has other rows than those that were contributed`),
      });
    const gone = ['--data', path('gone.csv'), '--ignore', 'label'];
    expect(jsonOf(await owner('contribute', id, ...asOwner(0), ...gone))).toMatchObject({ repeated: true });
    const status = TaskStatus.parse(jsonOf(await task('status', id)));
    expect(status).toMatchObject({ state: 'open', contributions: OWNERS });
    expect(jsonOf(await task('list'))).toMatchObject({
      tasks: [{ taskId: id, state: 'open', contributions: OWNERS }],
    });
  });

  test('is closed, which waits for the result', async () => {
    // An owner has waited since before; what it is told tells that it does.
    const waiter = Promise.withResolvers<void>();
    const waiting = ['project', id, ...agreeing(0), '--wait', '--save', path('waited.json')];
    const waited = runHeard('owner', waiting, () => waiter.resolve());
    await waiter.promise;
    const closed = TaskStatus.parse(jsonOf(await task('close', id)));
    expect((await waited).exitCode).toBe(0);
    expect(Projection.parse(JSON.parse(await readFile(path('waited.json'), 'utf8'))).taskId).toBe(id);
    expect(closed).toMatchObject({ state: 'done', contributions: OWNERS });
    const out = ['--out', path('result.json'), '--evidence', path('operator.json')];
    expect(jsonOf(await task('result', id, ...out))).toEqual({
      file: path('result.json'),
      verifiedOwners: OWNERS,
      remarks: [],
      warnings: [],
    });
    const shown = await runInProcess('user', 'task', 'result', id, ...asOperator());
    expect(shown).toMatchObject({ exitCode: 0, stderr: '' });
    expect(shown.stdout).toMatch(
      /^task .*: pca of the covariance matrix of 2 features, by simulated\nno floor \(exact\).*\n3 owners, as the CSP has verified\n\ncomponent.*\n +1 +\d+\.\d+ +█{40}\n/,
    );
    const csv = await runInProcess('user', 'task', 'result', id, ...asOperator(), '--format', 'csv');
    expect(csv.stdout).toMatch(/^component,eigenvalue,.*,vector sepal_width\n1,.*\n$/);
    const both = problemOf(await task('result', id, '--format', 'csv'));
    expect(both).toMatchObject({
      exitCode: 2,
      detail: '"--format csv" expected without --json, or with --out',
    });
    const json = await runInProcess('user', 'task', 'result', id, ...asOperator(), '--format', 'json');
    expect(json.stdout).toBe(await readFile(path('result.json'), 'utf8'));
    expect(jsonOf(await task('result', id))).toEqual(JSON.parse(json.stdout));
    const { provenance, ...result } = JSON.parse(json.stdout) as Record<string, unknown>;
    expect(provenance).toMatchObject({ verifiedOwners: OWNERS, statement: expect.any(String) });
    expectReference(Projection.parse(result), Task.parse(signed.task), parts);
  });

  test('gives every owner the projection, which reduces its rows', async () => {
    const files = ['--out', path('reduced.csv'), '--save', path('projection.json')];
    const evidence = ['--evidence', path('evidence.json')];
    const rows = ['--data', path('rows-1.csv')];
    const words = [id, ...agreeing(1), ...rows, ...files, ...evidence];
    // Whatever the policy of this command line says.
    const byKept = await owner('project', id, ...asOwner(1), ...rows, '--out', path('by-kept.csv'));
    expect(jsonOf(byKept)).toMatchObject({ components: 1 });
    const projected = await owner('project', ...words);
    const { provenance, ...told } = jsonOf(projected) as { provenance: object };
    expect(told).toMatchObject({
      components: 1,
      rows: parts[1]!.values.length,
      differentialPrivacy: { projection: null, reducedRows: null },
    });
    expect(provenance).toMatchObject({ verifiedOwners: OWNERS });
    // Without any service; and by the folder that contributed alone.
    const verified = jsonOf(await owner('verify', ...home(1), ...evidence));
    expect(verified).toMatchObject({ task: { id }, provenance, contributed: true });
    const byThumbprint = ['--csp-thumbprint', String(csp.listening.thumbprint)];
    const byAnybody = await owner('verify', id, ...home(0), ...evidence, ...byThumbprint);
    expect(jsonOf(byAnybody)).toEqual({ ...verified, contributed: null });
    const ofOperator = ['--evidence', path('operator.json'), ...byThumbprint];
    expect(jsonOf(await owner('verify', ...ofOperator))).toEqual({ ...verified, contributed: null });
    expect(problemOf(await owner('verify', id, ...home(0), ...evidence))).toMatchObject({
      exitCode: 3,
      code: 'ERR_PROVENANCE_EXCLUDED',
    });
    const keeping = [...rows, '--out', path('again.csv'), '--keep', 'label,petal_width'];
    const { stdout } = await runInProcess('owner', 'project', id, ...agreeing(1), ...keeping);
    const [keptHeader, ...kept] = (await readFile(path('again.csv'), 'utf8')).trim().split('\n');
    expect(keptHeader).toBe('label,petal_width,component_1');
    expect(kept[0]).toMatch(/^0,0.2,/);
    expect(stdout).toMatch(/\nnote: no guarantee of differential privacy covers reduced rows/);
    // From the file alone, by anybody who knows the CSP; an owner knows it from its enrolment.
    const offline = ['--projection', path('evidence.json'), ...rows];
    const nobody = ['--home', path('nobody')];
    const by = ['--csp-thumbprint', String(csp.listening.thumbprint)];
    for (const [i, known] of [[...nobody, ...by], home(0)].entries()) {
      const answer = jsonOf(await owner('project', ...offline, ...known, '--out', path(`offline-${i}.csv`)));
      expect(answer).toMatchObject({ rows: parts[1]!.values.length, clipped: {}, provenance });
      expect(await readFile(path(`offline-${i}.csv`), 'utf8')).toBe(
        await readFile(path('reduced.csv'), 'utf8'),
      );
    }
    const refused = ['--out', path('refused.csv')];
    const ofOther = ['--csp-thumbprint', String(dataUser.listening.thumbprint)];
    expect(problemOf(await owner('project', ...offline, ...ofOther, ...refused))).toMatchObject({
      code: 'ERR_CSP_IDENTITY',
      exitCode: 3,
    });
    const unsigned = path('projection.json');
    for (const problem of [
      await owner('project', '--projection', unsigned, '--data', path('rows-1.csv'), ...refused, ...home(1)),
      await owner('verify', id, '--evidence', unsigned, ...home(1)),
    ])
      expect(problemOf(problem)).toMatchObject({
        exitCode: 2,
        code: 'ERR_EVIDENCE_UNSIGNED',
        detail: expect.stringContaining('expected a file that "project --evidence" has written'),
      });
    expect(problemOf(await owner('project', ...offline, ...nobody, ...refused))).toMatchObject({
      exitCode: 2,
      detail: expect.stringContaining('--csp-thumbprint'),
    });
    const saved = Projection.parse(JSON.parse(await readFile(path('projection.json'), 'utf8')));
    expectReference(saved, Task.parse(signed.task), parts);
    const [header, ...reduced] = (await readFile(path('reduced.csv'), 'utf8')).trim().split('\n');
    expect(header).toBe('component_1');
    expect(reduced).toHaveLength(parts[1]!.values.length);
    // The first row by the definition: cells scaled to [-1, 1] and rounded, times the first vector.
    const unit = 2 ** saved.fractionBits;
    const scaled = parts[1]!.values[0]!.map((cell, i) => {
      const { min, max } = saved.features[i]!;
      return Math.round(((2 * (cell - min)) / (max - min) - 1) * unit) / unit;
    });
    const expected = scaled.reduce((sum, cell, i) => sum + cell * saved.vectors[0]![i]!, 0);
    expect(Number(reduced[0]!.split(',')[0])).toBeCloseTo(expected, 3);
  });

  test('is left for good by an owner that withdraws, and cancelled', async () => {
    const text = await runInProcess(
      'user',
      ...['task', 'create', '--proposal', path('task.json'), ...asOperator()],
    );
    const other = text.stdout.trim();
    expect(other).toMatch(/^[\w-]{22}$/);
    jsonOf(await owner('contribute', other, ...agreeing(2), ...rowsOf(1)));
    expect(jsonOf(await owner('withdraw', other, ...asOwner(2)))).toEqual({
      withdrawn: other,
      confirmed: true,
    });
    const again = problemOf(await owner('contribute', other, ...agreeing(2), ...rowsOf(2)));
    expect(again).toMatchObject({ exitCode: 5, code: 'ERR_CONTRIBUTION_WITHDRAWN' });
    const cancelled = TaskStatus.parse(jsonOf(await task('cancel', other)));
    expect(cancelled).toMatchObject({ state: 'cancelled', contributions: 0 });
    const stranger = problemOf(await owner('withdraw', other, ...asOwner(0)));
    expect(stranger).toMatchObject({ exitCode: 3, code: 'ERR_CONTRIBUTION_UNKNOWN' });
  });

  test('cannot be reached when the service is down (4)', async () => {
    const nobody = ['--url', CLOSED_PORT, '--data-directory', path('user')];
    const away = ['--user-url', CLOSED_PORT, '--patience-seconds', '0'];
    const answers = await Promise.all([
      user('task', 'status', id, ...nobody),
      owner('contribute', id, ...home(0), ...away, ...rowsOf(0)),
    ]);
    for (const answer of answers) {
      expect(problemOf(answer)).toMatchObject({ exitCode: 4, code: 'ERR_PEER_UNREACHABLE' });
    }
  });
});

test('services end on SIGTERM, in order and with exit code 0', async () => {
  expect(await Promise.all([dataUser.end('SIGTERM'), csp.end('SIGINT')])).toEqual([0, 0]);
  expect(dataUser.errors()).not.toMatch(/"level":"(error|fatal)"|ERR_/);
  expect(csp.errors()).not.toMatch(/"level":"(error|fatal)"|ERR_/);
});
