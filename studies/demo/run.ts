/** The demo: starts the three roles, takes them through the protocol once per method, and reports. */

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onShutdown } from '@eigenveil/command';
import type { TaskClient } from '@eigenveil/data-user';
import type { ProjectionKind } from '@eigenveil/methods';

import { freePort } from '@eigenveil/testbed/port';
import { type Children, withChildren } from '@eigenveil/testbed/processes/children';
import type { Projection } from '@eigenveil/wire';
import { printable } from '@eigenveil/wire/printable';
import { commandsByHand } from './by-hand.ts';
import { medianMilliseconds } from './crew.ts';
import { datasetName, splitAmongOwners, withPlainRows } from './dataset.ts';
import { reducedRows } from './figures.ts';
import { KEPT_PROTOCOLS, keepPages, type PagesKept } from './kept.ts';
import { demoPolicy, enrolOwners, type Owners, startOwners } from './owners.ts';
import { countsFrom, countsProposal, LEVELS } from './private-ranges.ts';
import { Progress } from './progress.ts';
import { type ComparedTask, compareWithClear } from './reference.ts';
import { demoReport, type MethodFigures } from './report.ts';
import { startServices } from './services.ts';
import { exitOnSignals } from './signals.ts';
import { keyOf, nameOf, printKept, printSummary } from './summary.ts';
import {
  COMPUTATION_STATES,
  compute,
  contributionSize,
  createTask,
  draft,
  ignoredBy,
  type TaskSetting,
} from './task.ts';

/** Room for a list of columns. */
const LONGEST_WARNING = 4000;

export interface DemoOptions extends TaskSetting {
  readonly method: readonly ProjectionKind[];
  /** Instead: methods of tasks of which each stands on the one before. */
  readonly chain?: readonly ProjectionKind[];
  /** Ranges of the features from noisy counts; without it the minima and maxima of the file. */
  readonly ranges?: 'private';
  readonly out: string;
  readonly keep?: true;
  readonly json?: true;
}

/**
 * Runs the demo and leaves its results in `options.out`; nothing else remains, however it ends. With `keep` it goes on until SIGINT or
 * SIGTERM, so that its services can be used by hand.
 */
export function runDemo(options: DemoOptions): Promise<void> {
  const release = exitOnSignals();
  return withChildren(async (children, folder) => {
    const warnings: string[] = [];
    const onRemark = (remark: string) => {
      warnings.push(remark);
      process.stderr.write(`warning: ${printable(remark, LONGEST_WARNING)}\n`);
    };
    // A fault in the file is found before anything starts.
    const rows = await mkdtemp(join(folder, 'rows-'));
    const plain = await withPlainRows(options, options.chain ?? options.method, rows, onRemark);
    const kept = await new Demo({ ...plain, warnings }, folder, children).run();
    release();
    if (kept === undefined) return;
    const { promise: told, resolve } = Promise.withResolvers<void>();
    onShutdown(['SIGINT', 'SIGTERM'], async () => resolve());
    printKept(kept.commands, kept.pages, options.json === true);
    await told;
    await kept.close();
  });
}

type Ranged = Awaited<ReturnType<typeof countsFrom>>;

interface Kept extends PagesKept {
  readonly commands: readonly string[];
}

interface DoneTask {
  readonly compared: ComparedTask;
  readonly size: { readonly samples: number; readonly features: number };
  readonly figures: MethodFigures;
}

class Demo {
  readonly #options: DemoOptions & { readonly warnings: readonly string[] };
  readonly #folder: string;
  readonly #children: Children;
  readonly #progress: Progress;

  constructor(
    options: DemoOptions & { readonly warnings: readonly string[] },
    folder: string,
    children: Children,
  ) {
    this.#options = options;
    this.#folder = folder;
    this.#children = children;
    this.#progress = new Progress({ quiet: options.json === true });
  }

  /** Returns how to go on, where its services shall be kept. */
  async run(): Promise<Kept | undefined> {
    const { data, owners: count, keyBits, twoParty, chain, out, keep } = this.#options;
    const wanted = chain ?? this.#options.method;
    const started = performance.now();
    for (const method of wanted) await draft(this.#options, method);
    await mkdir(out, { recursive: true });
    const files = await splitAmongOwners(data, count, this.#folder);
    // The services are told whose page may ask them before that page is told of them.
    const pagePort = keep === true ? await freePort() : undefined;
    const flags = pagePort === undefined ? [] : ['--allowed-origins', `https://127.0.0.1:${pagePort}`];
    const [services, owners] = await this.#progress.stage(
      `starting a CSP, a data user, ${count} owners`,
      count + 2,
      (tick) =>
        Promise.all([
          startServices(this.#children, { folder: this.#folder, keyBits, twoParty, flags }, tick),
          startOwners(this.#children, count, tick),
        ]),
    );
    const isPrivate = this.#options.ranges === 'private';
    const protocols = [
      twoParty,
      ...(isPrivate ? (['linear'] as const) : []),
      ...(keep === true ? KEPT_PROTOCOLS : []),
    ];
    const policy = demoPolicy(keyBits, ...new Set(protocols));
    await this.#progress.stage('owners enrol at the CSP', count, (tick) =>
      enrolOwners(
        owners,
        services,
        { folder: this.#folder, policy, more: (i) => ({ data: files[i]! }) },
        tick,
      ),
    );
    const reporting = import('../instrument/report/write.ts'); // heavy, and not needed before the servers have computed
    const ranged = isPrivate ? await this.#countRows(services.client, owners) : undefined;
    const done: DoneTask[] = [];
    for (const method of wanted)
      done.push(
        await this.#runTask(method, services.client, owners, chain === undefined ? [] : done, ranged),
      );
    const summary = {
      dataset: datasetName(data),
      ...done[0]!.size,
      owners: count,
      keyBits,
      twoParty,
      totalSeconds: (performance.now() - started) / 1000,
      ...(ranged && { ranges: ranged.note }),
      ...(this.#options.warnings.length > 0 && { warnings: this.#options.warnings }),
      results: done.map(({ figures }) => figures.result),
    };
    const figures = done.map((it) => it.figures);
    const { writeReport } = await reporting;
    await writeReport({ folder: out, report: await demoReport(summary, figures), data: summary });
    if (this.#options.json) process.stdout.write(`${JSON.stringify(summary)}\n`);
    else
      printSummary(
        summary,
        figures.map(({ times }) => times),
        out,
      );
    const pages =
      pagePort === undefined
        ? undefined
        : await this.#progress.stage('further tasks, and pages to look at', 1, (_tick, note) =>
            keepPages(services, owners, { ...this.#options, folder: this.#folder, files, pagePort }, note),
          );
    await Promise.all([services.client.close(), owners.end()]);
    if (pages === undefined) return undefined;
    const setting = { ...this.#options, folder: this.#folder, policy };
    const commands = await commandsByHand(services, setting, done[0]!.compared.task.id, process.cwd());
    return { ...pages, commands };
  }

  /** The task whose noisy counts give the ranges of all others. */
  async #countRows(client: TaskClient, owners: Owners): Promise<Ranged> {
    const ignore = ignoredBy(this.#options, 'pca');
    const { task } = await this.#progress.stage(
      'histogram: the CSP makes a key and signs the task',
      1,
      async () => client.create(await countsProposal(this.#options)),
    );
    await this.#progress.stage('histogram: owners encrypt and send', owners.size, (tick) =>
      owners.all(() => ({ kind: 'contribute', taskId: task.id, ignore }), tick),
    );
    await this.#progress.stage(
      'histogram: add, blind, unblind, add noise',
      COMPUTATION_STATES.length,
      (tick, note) => compute(client, task.id, tick, note),
    );
    return countsFrom(client, task.id, this.#options);
  }

  /** @param before tasks of a chain that it stands on */
  async #runTask(
    method: ProjectionKind,
    client: TaskClient,
    owners: Owners,
    before: readonly DoneTask[],
    ranged: Ranged | undefined,
  ): Promise<DoneTask> {
    const { data, label, owners: count, out } = this.#options;
    const after = before.map(({ figures }) => figures.result.method);
    const name = nameOf({ method, after });
    const basis = before.map(({ compared }) => compared);
    const started = performance.now();
    const ignore = ignoredBy(this.#options, method);
    const { task, samples } = await this.#progress.stage(
      `${name}: the CSP makes a key and signs the task`,
      1,
      () =>
        createTask(
          client,
          this.#options,
          method,
          {},
          ranged === undefined ? basis.at(-1)?.task.id : { counted: ranged.counted, levels: LEVELS },
        ),
    );
    const work = await this.#progress.stage(`${name}: owners encrypt and send`, count, (tick) =>
      owners.all(() => ({ kind: 'contribute', taskId: task.id, ignore }), tick),
    );
    const stages = await this.#progress.stage(
      `${name}: add, blind, unblind, decompose`,
      COMPUTATION_STATES.length,
      (tick, note) => compute(client, task.id, tick, note),
    );
    const folder = join(out, keyOf({ method, after }));
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
    const { comparison, clear, unrounded, rows } = await this.#progress.stage(
      `${name}: compare with the clear reference`,
      1,
      async () => {
        const compared = await compareWithClear(task, projection, data, ignore, basis);
        const { clear, unrounded } = compared;
        const decompositions = { task, projection, clear, unrounded };
        return { ...compared, rows: await reducedRows(decompositions, basis, data, label, this.#folder) };
      },
    );
    const { plaintexts, bytes } = contributionSize(task);
    return {
      compared: { task, projection, clear, unrounded },
      size: { samples, features: task.features.length },
      figures: {
        result: {
          method,
          ...(after.length > 0 && { after }),
          components: projection.vectors.length,
          ...comparison,
          seconds,
        },
        times: {
          name,
          ownerMilliseconds: medianMilliseconds(work),
          contributionBytes: bytes,
          stages,
        },
        eigenvalues: projection.eigenvalues,
        clearEigenvalues: clear.eigenvalues,
        rows,
        plaintexts,
        outputs: task.outputs,
      },
    };
  }
}
