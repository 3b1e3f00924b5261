/** The demo: starts the three roles, takes them through the protocol once per method, and reports. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inviteOwners } from '@eigenveil/csp';
import { type Draft, describeProgress, draftTask, TaskClient } from '@eigenveil/data-user';
import { adminTokenFile, createLocalCertificate, openSigningKey } from '@eigenveil/server';
import { layout } from '@eigenveil/statistics';
import { type MethodName, type Projection, type Task, type TaskId, TaskProposal } from '@eigenveil/wire';
import { Children } from './children.ts';
import { datasetName, splitAmongOwners } from './dataset.ts';
import { Owners } from './owners.ts';
import { Progress } from './progress.ts';
import { compareWithClear } from './reference.ts';
import { type DemoResult, printSummary, type RoleTimes } from './summary.ts';

const CSP_PROGRAM = new URL('../../services/csp/bin/eigenveil-csp.ts', import.meta.url).pathname;
const DATA_USER_PROGRAM = new URL('../../services/data-user/bin/eigenveil-user.ts', import.meta.url).pathname;
const POLL_MILLISECONDS = 50;
const DAY_MILLISECONDS = 86_400_000;
/** A unit of work whose count is unknown beforehand: closed, blinded, unblinded, done. */
const COMPUTATION_STATES = ['closed', 'blinded', 'unblinded', 'done'];

export interface DemoOptions {
  readonly data: string;
  readonly label: string;
  readonly ignore: readonly string[];
  readonly owners: number;
  readonly method: readonly MethodName[];
  readonly components: number;
  readonly keyBits: number;
  readonly twoParty: Task['twoParty'];
  readonly out: string;
  readonly json?: true;
}

/** Runs the demo and leaves its results in `options.out`; nothing else remains, however it ends. */
export async function runDemo(options: DemoOptions): Promise<void> {
  const children = new Children();
  const folder = await mkdtemp(join(tmpdir(), 'eigenveil-demo-'));
  const stop = async () => {
    await children.stop();
    await rm(folder, { recursive: true, force: true });
  };
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    process.once(signal, () => void stop().then(() => process.exit(code)));
  }
  try {
    await new Demo(options, folder, children).run();
  } finally {
    await stop();
  }
}

class Demo {
  readonly #options: DemoOptions;
  readonly #folder: string;
  readonly #children: Children;
  readonly #progress: Progress;

  constructor(options: DemoOptions, folder: string, children: Children) {
    this.#options = options;
    this.#folder = folder;
    this.#children = children;
    this.#progress = new Progress({ quiet: options.json === true });
  }

  async run(): Promise<void> {
    const { data, owners: count, keyBits, twoParty, method: wanted, out } = this.#options;
    const started = performance.now();
    for (const method of wanted) await this.#draft(method); // what is wrong with the file is found before anything starts
    await mkdir(out, { recursive: true });
    const files = await splitAmongOwners(data, count, this.#folder);
    const services = await this.#progress.stage('starting the CSP and the data user', 2, (tick) =>
      this.#startServices(tick),
    );
    const owners = await this.#progress.stage(`starting ${count} data owners`, count, (tick) =>
      Owners.start(
        this.#children,
        files.map((file, i) => ({
          home: join(this.#folder, `owner-${i + 1}`),
          data: file,
          caFile: services.caFile,
          cspUrl: services.cspUrl,
          dataUserUrl: services.dataUserUrl,
          minimumKeyBits: keyBits,
          twoParty,
        })),
        tick,
      ),
    );
    const tokens = await inviteOwners(services.cspFolder, count, 3600);
    await this.#progress.stage('owners enrol at the CSP', count, (tick) =>
      owners.all((i) => ({ kind: 'enrol', token: tokens[i]!, cspThumbprint: services.cspThumbprint }), tick),
    );
    const results: DemoResult[] = [];
    const times: RoleTimes[] = [];
    let size = { samples: 0, features: 0 };
    for (const method of wanted) {
      const done = await this.#runTask(method, services.client, owners);
      results.push(done.result);
      times.push(done.times);
      size = done.size;
    }
    await services.client.close();
    const report = {
      dataset: datasetName(data),
      ...size,
      owners: count,
      keyBits,
      twoParty,
      totalSeconds: (performance.now() - started) / 1000,
      results,
    };
    if (this.#options.json) process.stdout.write(`${JSON.stringify(report)}\n`);
    else printSummary(report, times, out);
  }

  async #startServices(tick: () => void) {
    const cspFolder = join(this.#folder, 'csp');
    const dataUserFolder = join(this.#folder, 'data-user');
    const caFile = join(this.#folder, 'certificate.pem');
    const keyFile = join(this.#folder, 'certificate-key.pem');
    const certificate = await createLocalCertificate();
    await writeFile(caFile, certificate.cert);
    await writeFile(keyFile, certificate.key, { mode: 0o600 });
    const common = [
      '--tls-certificate',
      caFile,
      '--tls-key',
      keyFile,
      '--port',
      '0',
      '--json',
      '--log-level',
      'fatal',
    ];
    const cspIdentity = await openSigningKey(cspFolder);
    const dataUserIdentity = await openSigningKey(dataUserFolder);
    const csp = await this.#children.start(CSP_PROGRAM, [
      'serve',
      ...common,
      ...['--data-directory', cspFolder],
      ...['--data-users', JSON.stringify([dataUserIdentity.thumbprint])],
      ...(this.#options.twoParty === 'simulated' ? ['--allow-simulated'] : []),
      ...(this.#options.keyBits < 2048 ? ['--allow-insecure-keys'] : []),
    ]);
    tick();
    const cspUrl = String(csp.url);
    const dataUser = await this.#children.start(DATA_USER_PROGRAM, [
      'serve',
      ...common,
      ...['--data-directory', dataUserFolder],
      ...['--csp-url', cspUrl, '--csp-thumbprint', cspIdentity.thumbprint, '--csp-ca', caFile],
    ]);
    tick();
    const dataUserUrl = String(dataUser.url);
    const adminToken = (await readFile(adminTokenFile(dataUserFolder), 'utf8')).trim();
    const client = new TaskClient({ url: dataUserUrl, ca: certificate.cert, adminToken });
    return { cspFolder, caFile, cspUrl, dataUserUrl, cspThumbprint: cspIdentity.thumbprint, client };
  }

  async #runTask(method: MethodName, client: TaskClient, owners: Owners) {
    const { data, owners: count, out } = this.#options;
    const name = method.toUpperCase();
    const started = performance.now();
    const ignore = this.#ignoredBy(method);
    const { task, samples } = await this.#progress.stage(
      `${name}: the CSP makes a key and signs the task`,
      1,
      () => this.#createTask(method, client),
    );
    const work = await this.#progress.stage(`${name}: owners encrypt and send`, count, (tick) =>
      owners.all(() => ({ kind: 'contribute', taskId: task.id, ignore }), tick),
    );
    const stages = await this.#progress.stage(
      `${name}: add, blind, unblind, decompose`,
      COMPUTATION_STATES.length,
      (tick, note) => compute(client, task.id, tick, note),
    );
    const folder = join(out, method);
    await rm(folder, { recursive: true, force: true }); // an earlier run may have had more owners
    await mkdir(folder, { recursive: true });
    await this.#progress.stage(`${name}: owners fetch it and reduce their rows`, count, (tick) =>
      owners.all(
        (i) => ({
          kind: 'project',
          taskId: task.id,
          out: join(folder, `owner-${i + 1}.csv`),
        }),
        tick,
      ),
    );
    const seconds = (performance.now() - started) / 1000;
    const projection: Projection = await client.result(task.id);
    await writeFile(join(folder, 'projection.json'), `${JSON.stringify(projection, null, 2)}\n`);
    const comparison = await this.#progress.stage(`${name}: compare with the clear reference`, 1, () =>
      compareWithClear(task, projection, data, ignore),
    );
    const result: DemoResult = { method, components: projection.vectors.length, ...comparison, seconds };
    const times: RoleTimes = {
      method,
      ownerMilliseconds: work.medianMilliseconds,
      contributionBytes: layout(task).plaintexts.length * (task.keyBits / 4),
      stages,
    };
    return { result, times, size: { samples, features: task.features.length } };
  }

  async #createTask(method: MethodName, client: TaskClient): Promise<{ task: Task; samples: number }> {
    const { owners, components, keyBits, twoParty } = this.#options;
    const { rows: samples, ...draft } = await this.#draft(method);
    // As many components as varying features would reveal the whole scatter matrix.
    const varying = draft.features.filter(({ min, max }) => min < max).length;
    const proposal = TaskProposal.parse({
      ...draft,
      components: Math.max(1, Math.min(components, varying - (twoParty === 'rotated' ? 2 : 1))),
      minimumOwners: owners,
      maximumOwners: owners,
      maximumSamplesPerOwner: Math.ceil(samples / owners),
      keyBits,
      allowInsecureKey: keyBits < 2048,
      allowFullRank: varying <= 1,
      twoParty,
      outputs: [
        ...(method === 'pca' ? ['mean'] : []),
        ...(twoParty === 'rotated' ? ['sampleCount', 'spectrum'] : []),
      ],
      deadline: new Date(Date.now() + DAY_MILLISECONDS).toISOString(),
    });
    const { task } = await client.create(proposal);
    return { task, samples };
  }

  #draft(method: MethodName): Promise<Draft> {
    const { data, label } = this.#options;
    return draftTask(data, {
      method,
      labels: method === 'pca' ? [] : [label],
      ignore: this.#ignoredBy(method),
    });
  }

  #ignoredBy(method: MethodName): string[] {
    const { label, ignore } = this.#options;
    return method === 'pca' ? [label, ...ignore] : [...ignore];
  }
}

/** Closes the task and waits for the projection; returns the milliseconds of each stage. */
async function compute(
  client: TaskClient,
  taskId: TaskId,
  tick: () => void,
  note: (text: string) => void,
): Promise<Readonly<Record<string, number>>> {
  let { state, failure, timings, progress } = await client.closeTask(taskId);
  let reached = 0;
  for (;;) {
    if (failure !== undefined) throw new Error(`${failure.code}: ${failure.message}`);
    for (; reached <= COMPUTATION_STATES.indexOf(state); reached += 1) tick();
    if (state === 'done') return timings;
    if (progress !== undefined) note(describeProgress(progress));
    await sleep(POLL_MILLISECONDS);
    ({ state, failure, timings, progress } = await client.status(taskId));
  }
}
