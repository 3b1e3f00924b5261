/** The smallest forms of the four command lines, in the order in which they run: what spoils the site comes last. */
import { execFileSync } from 'node:child_process';
import { rename } from 'node:fs/promises';
import { freePort } from '@eigenveil/testbed/port';
import { Children } from '@eigenveil/testbed/processes/programs';
import { expect } from 'vitest';
import { queryDuckDb } from '../duckdb.ts';
import { PROGRAMS } from '../in-process.ts';
import { fill } from '../reader.ts';
import type { Form } from './form.ts';
import { parseSimple } from './shell.ts';
import type { Columns, DocumentSite } from './site.ts';

const COLUMNS: readonly (readonly [RegExp, Columns])[] = [
  [/(?:--ignore|--labels?) label\b/, 'label'],
  [/--label user/, 'user'],
  [/--target price/, 'price'],
];

const inShell = (command: string, cwd: string) =>
  execFileSync('bash', ['-c', command], { cwd, stdio: 'pipe' });

/** Writes the sample that a draft reads, with the columns that it names and as many features as it needs. */
async function sample(site: DocumentSite, command: string): Promise<void> {
  const columns = COLUMNS.filter(([named]) => named.test(command)).map(([, column]) => column);
  const isWide = /draft sketch/.test(command);
  await site.rows('sample.csv', columns, isWide ? 80 : undefined);
}

/** The task that a draft starts from, if it does. */
async function startOf(site: DocumentSite, command: string): Promise<string> {
  if (command.includes('--refine')) return site.wideSketch();
  if (command.includes('--ranges-from')) return site.doneTask(HISTOGRAM);
  return command.includes('--basis') ? site.doneTask() : '';
}

const HISTOGRAM = {
  method: { kind: 'histogram', height: 4, strategy: 'privelet' },
  ...{ components: 0, outputs: [], twoParty: 'linear', exact: false, allowFullRank: false },
  differentialPrivacy: {
    ...{ epsilon: 10, delta: 1e-6, neighbours: 'add-remove', clippingNorm: null },
    dataIndependentRanges: true,
  },
} as const;
const RIDGE = {
  method: { kind: 'ridge', ridge: 1 },
  ...{ components: 0, outputs: [] },
} as const;

const taskOf = (id: string) =>
  new Map([
    ['<second task>', id],
    ['<task>', id],
    ['TASK', id],
  ]);

const asPolicy = (command: string): string[] =>
  command.includes('--policy') ? [] : ['--policy', 'policy.json'];

/** A service as a process, with settings of its own behind those of the document, until it listens. */
async function serve(site: DocumentSite, command: string): Promise<void> {
  const service = command.startsWith('eigenveil-csp') ? 'csp' : 'user';
  const { directory, config } = await site.stopped(service);
  const [port, values] = [await freePort(), new Map(site.values)];
  values.set(`/var/lib/eigenveil-${service}`, directory);
  values.set('/etc/letsencrypt/live/csp.example.org/fullchain.pem', 'cert.pem');
  values.set('/etc/letsencrypt/live/csp.example.org/privkey.pem', 'key.pem');
  values.set(`https://${service}.example.org:844${service === 'csp' ? 3 : 4}`, `https://127.0.0.1:${port}`);
  values.set('<thumbprint of the data user>', site.world.cspConfig.dataUsers[0]!);
  values.set(`--config ${service}.json`, `--config ${config}`);
  values.set(' …', ` --config ${config}`);
  values.set('https://owner.example.org', 'https://owner.test');
  values.set('--host 0.0.0.0', '--host 127.0.0.1');
  const { words } = parseSimple(fill(command, values));
  const children = new Children();
  try {
    const environment = { EIGENVEIL_USER_CSP_CA: `${site.world.folder}/cert.pem` };
    const args = [...words.slice(2), '--port', `${port}`];
    const running = await children.serve(service, args, environment);
    expect({ command, exitCode: await running.end('SIGTERM') }).toEqual({ command, exitCode: 0 });
  } finally {
    await children.stop();
  }
}

/** A command of a service that wants no service in its data directory, or spoils what is in there: on a copy. */
async function onCopy(site: DocumentSite, command: string, more = new Map<string, string>()): Promise<void> {
  const service = command.startsWith('eigenveil-csp') ? 'csp' : 'user';
  const { directory, config } = await site.stopped(service);
  const values = new Map([
    ...more,
    ...['.moved', ''].map((end) => [`/var/lib/eigenveil-${service}${end}`, directory] as const),
    [`--config /etc/eigenveil/${service}.json`, `--config ${config}`],
    [`--config ${service}.json`, `--config ${config}`],
  ]);
  await site.give(command, values);
}

/** A backup into a folder that was not there. */
async function backUp(site: DocumentSite, service: 'csp' | 'user', to: string): Promise<void> {
  await site.remove(to);
  await site.give(`eigenveil-${service} backup --config ${service}.json --to ./${to}`);
}

async function restore(site: DocumentSite, command: string): Promise<void> {
  const [, service, to, from] =
    /^eigenveil-(csp|user) restore --data-directory (\S+) --from \/backup\/(\S+)$/.exec(command)!;
  await backUp(site, service as 'csp' | 'user', from!);
  const whole = await site.copyOf(
    site.world[service === 'csp' ? 'cspConfig' : 'dataUserConfig'].dataDirectory,
  );
  const empty = await site.folder(`${service}.restored`);
  await rename(`${whole}/signing-key.json`, `${empty}/signing-key.json`);
  await site.give(command, new Map([[to!, empty]]));
}

/** The first words that name a command, to which the document gives no options: its help says that there is such a command. */
async function help(site: DocumentSite, command: string): Promise<void> {
  const [program, ...names] = command.replace(/ (?:…|--.*)$/, '').split(' ');
  let at = PROGRAMS[/^eigenveil-(\w+)$/.exec(program!)![1] as keyof typeof PROGRAMS]();
  for (const name of names) at = at.commands.find((one) => one.name() === name) ?? at;
  expect(at.name()).toBe(names.at(-1) ?? program);
  const { stdout } = await site.give(`${[program, ...names].join(' ')} --help`);
  for (const [option] of command.matchAll(/--[a-z-]+/g)) expect(stdout).toContain(option);
}

async function draft(site: DocumentSite, command: string): Promise<void> {
  if (command.includes('regrain older.json')) await site.write('older.json', await site.proposal());
  await sample(site, command);
  const values = taskOf(await startOf(site, command));
  // Made-up rows have few classes; the file is in the checkout.
  values.set('--data data/pima.csv', '--data sample.csv');
  await site.give(command, values);
  // What was drafted is what `task create` takes, with a shorter key.
  const [, out] = / > (\S+)$/.exec(command)!;
  const drafted = JSON.parse(await site.text(out!)) as Record<string, unknown>;
  await site.client.create(site.small(drafted));
}

async function contribute(site: DocumentSite, command: string): Promise<void> {
  const id = await site.openTask();
  if (command.includes('--ignore label')) await site.rows('rows.csv', ['label']);
  if (command.includes('--statistics')) {
    const asked = `eigenveil-owner sql TASK --user-url URL --dialect duckdb --from 'rows.csv' > sums.sql`;
    await site.give(asked.replace("'rows.csv'", `"'rows.csv'"`), taskOf(id), ...asPolicy(asked));
    await site.write('sums.json', await queryDuckDb(await site.text('sums.sql')));
    command = command.replace('sums.csv', 'sums.json');
  }
  await site.give(command, taskOf(id), ...asPolicy(command));
}

async function project(site: DocumentSite, command: string): Promise<void> {
  const isRidge = command.includes('predicted.csv');
  const id = await site.doneTask(isRidge ? RIDGE : {});
  await site.rows('rows.csv', command.includes('--keep id') ? ['id'] : []);
  await site.remove('reduced.csv', 'evidence.json', 'predicted.csv');
  await site.give(command, taskOf(id), ...asPolicy(command));
}

/** The command and the evidence that it reads. */
async function withEvidence(site: DocumentSite, command: string): Promise<void> {
  await project(site, 'eigenveil-owner project <task> --user-url URL --evidence evidence.json');
  await site.rows('later.csv', []);
  await site.remove('reduced.csv');
  await site.give(command, taskOf(await site.doneTask()));
}

async function serveSeries(site: DocumentSite, command: string): Promise<void> {
  const id = await site.openTask();
  await site.rows('rows.csv', ['id']);
  const { url } = site.world.dataUserAddress;
  const settings = {
    userUrl: url,
    policy: 'policy.json',
    data: 'rows.csv',
    ignore: ['id'],
    results: 'results',
  };
  await site.write('owner.json', settings);
  const [given] = command.split(' || ');
  const once = given!.includes('--once') ? [] : ['--once'];
  const { exitCode } = await site.try(given!, taskOf(id), ...once);
  expect([0, 5]).toContain(exitCode);
  expect((await site.client.status(id)).contributions).toBe(1);
}

export const COMMANDS: readonly Form[] = [
  {
    of: /^openssl req -x509 .+/,
    run: async (site, command) => inShell(command, await site.folder('certificate')),
  },
  {
    of: /^\(umask 077 && openssl rand .+/,
    run: async (site, command) => inShell(command, await site.folder('token')),
  },
  {
    of: /^(?:mkdir|cp -[ap]) \/var\/lib\/.+/,
    async run(site, command) {
      const folder = await site.folder('moved');
      for (const name of ['csp', 'data-user']) inShell(`cp -a ../${name} .`, folder);
      inShell('mv data-user eigenveil-user && mv csp eigenveil-csp', folder);
      if (command.includes('cp -p')) await site.folder('moved/eigenveil-user.restored');
      inShell(command.replaceAll('/var/lib/', ''), folder);
      await site.remove('moved');
    },
  },
  {
    of: /^eigenveil-(?:csp|user) identity --data-directory \S+$/,
    run: (site, command) => site.give(command),
  },
  { of: /^eigenveil-(?:csp|user) serve (?!--help).+/, run: serve },
  { of: /^eigenveil-user task draft .+ > \S+\.json$/, run: draft },
  {
    of: /^eigenveil-user task create .*--proposal \S+.*$/,
    async run(site, command) {
      for (const name of ['task.json', 'second.json']) await site.write(name, await site.proposal());
      await site.give(command);
    },
  },
  {
    of: /^eigenveil-csp invite .+/,
    run: async (site, command) =>
      site.give(
        command,
        new Map([...taskOf(await site.openTask()), ['https://owner.example.org/', 'https://owner.test/']]),
      ),
  },
  {
    of: /^EIGENVEIL_OWNER_TOKEN=<token> eigenveil-owner enrol .+/,
    run: async (site, command) =>
      site.give(
        command,
        new Map([['<token>', (await site.token())[0]!]]),
        '--home',
        await site.folder('newcomer'),
      ),
  },
  { of: /^eigenveil-owner contribute .+/, run: contribute },
  {
    of: /^eigenveil-owner (?:show|sql) .+/,
    run: async (site, command) => site.give(command, taskOf(await site.openTask()), ...asPolicy(command)),
  },
  {
    of: /^eigenveil-owner withdraw .+/,
    async run(site, command) {
      const id = await site.openTask();
      await site.give(
        'eigenveil-owner contribute TASK --user-url URL --data rows.csv',
        taskOf(id),
        ...asPolicy(''),
      );
      await site.give(command, taskOf(id));
    },
  },
  { of: /^eigenveil-owner serve-series TASK .+/, run: serveSeries },
  {
    of: /^eigenveil-user task status .+/,
    run: async (site, command) => site.give(command, taskOf(await site.openTask())),
  },
  {
    of: /^eigenveil-user task renew .+/,
    async run(site, command) {
      const id = await site.openTask();
      await site.client.cancelTask(id);
      const deadline = new Date(Date.now() + 30 * 86_400_000).toISOString();
      await site.give(command, new Map([...taskOf(id), ['DEADLINE', deadline]]));
    },
  },
  { of: /^eigenveil-user task list --config user\.json$/, run: (site, command) => site.give(command) },
  {
    of: /^eigenveil-user task close .+/,
    async run(site, command) {
      const id = await site.openTask({ minimumOwners: 2 });
      for (const owner of ['owner-1', 'owner-2']) {
        const given = 'eigenveil-owner contribute TASK --user-url URL --data rows.csv';
        await site.give(given, taskOf(id), ...asPolicy(given), '--home', owner);
      }
      await site.give(command, taskOf(id));
      expect((await site.client.untilFinal(id)).state).toBe('done');
    },
  },
  {
    of: /^eigenveil-user task result .+/,
    async run(site, command) {
      await site.remove('projection.json');
      await site.give(
        command,
        taskOf(await site.doneTask()),
        ...(command.includes('--') ? [] : ['--config', 'user.json']),
      );
    },
  },
  { of: /^eigenveil-owner verify (?:<task> )?--evidence .+/, run: withEvidence },
  { of: /^eigenveil-owner project --projection .+/, run: withEvidence },
  { of: /^eigenveil-owner project (?:<task>|TASK) .+/, run: project },
  {
    of: /^eigenveil-owner page --out .+/,
    run: (site, command) => site.give(command, new Map([['/var/www/owner', './page']])),
  },
  {
    of: /^sha256sum --check SHA256SUMS && sha256sum SHA256SUMS$/,
    async run(site, command) {
      await site.give(
        `eigenveil-owner page --out ./checked --csp ${site.world.cspAddress.url} --data-user ${site.world.dataUserAddress.url}`,
      );
      inShell(command, 'checked');
    },
  },
  { of: /^eigenveil-(?:csp|user) check-config .+/, run: onCopy },
  { of: /^eigenveil-csp audit verify --data-directory \S+\.moved$/, run: onCopy },
  { of: /^eigenveil-csp key (?:list|rotate) --\S+ \S+$/, run: onCopy },
  {
    of: /^eigenveil-(?:csp|user) backup (?!verify).+/,
    async run(site, command) {
      await site.remove(/--to \/backup\/(\S+)/.exec(command)![1]!);
      await site.give(command);
    },
  },
  {
    of: /^eigenveil-(?:csp|user) backup verify .+/,
    async run(site, command) {
      const [, service, name] = /^eigenveil-(csp|user) backup verify \/backup\/(\S+)/.exec(command)!;
      await backUp(site, service as 'csp' | 'user', name!);
      await site.give(command);
    },
  },
  { of: /^eigenveil-(?:csp|user) restore --data-directory .+/, run: restore },
  {
    of: /^eigenveil-(?:csp|user) (?:audit (?:verify|list|show)|operators (?:add|list) ?\S*|(?:owners|tokens|tasks|data-users) list) --.+/,
    run: (site, command) => site.give(command),
  },
  {
    of: /^eigenveil-user operators (?:add|list|revoke) .*--data-directory \S+$/,
    async run(site, command) {
      const add = 'eigenveil-user operators add alice --days 30 --data-directory /var/lib/eigenveil-user';
      if (command.includes(' revoke ')) await site.try(add);
      await site.give(command);
    },
  },
  {
    of: /^eigenveil-csp tokens revoke .+/,
    run: async (site, command) => site.give(command, new Map([['TOKEN', (await site.token())[0]!]])),
  },
  {
    of: /^eigenveil-csp tasks end .+/,
    run: async (site, command) => site.give(command, taskOf(await site.openTask())),
  },
  {
    of: /^eigenveil-csp owners revoke .+/,
    async run(site, command) {
      const { home } = await site.world.enrolledOwner();
      const { ownerId: id } = (await home.enrolment())!;
      await site.give(
        command,
        new Map([
          ['<owner>', id],
          ['OWNER', id],
        ]),
      );
    },
  },
  {
    of: /^eigenveil-csp data-users revoke .+/,
    run: (site, command) => {
      const id = site.world.cspConfig.dataUsers[0]!;
      return onCopy(
        site,
        command,
        new Map([
          ['<thumbprint of the data user>', id],
          ['THUMBPRINT', id],
        ]),
      );
    },
  },
  { of: /^eigenveil-\w+(?: [a-z-]+)*(?: …| --help| --proposal| --evidence FILE| --epsilon 1)?$/, run: help },
];
