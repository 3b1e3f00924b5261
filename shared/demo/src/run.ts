/** The demo: starts the three roles, takes them through the protocol once per method, and reports. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TaskClient } from '@eigenveil/data-user';
import { layout } from '@eigenveil/statistics';
import type { MethodName } from '@eigenveil/task';
import { type Children, withChildren } from '@eigenveil/testbed/processes/children';
import type { Projection } from '@eigenveil/wire';
import { datasetName, splitAmongOwners } from './dataset.ts';
import { Owners } from './owners.ts';
import { Progress } from './progress.ts';
import { compareWithClear } from './reference.ts';
import { startServices } from './services.ts';
import { type DemoResult, printSummary, type RoleTimes } from './summary.ts';
import { COMPUTATION_STATES, compute, createTask, draft, ignoredBy, type TaskSetting } from './task.ts';

export interface DemoOptions extends TaskSetting {
  readonly method: readonly MethodName[];
  readonly out: string;
  readonly json?: true;
}

/** Runs the demo and leaves its results in `options.out`; nothing else remains, however it ends. */
export function runDemo(options: DemoOptions): Promise<void> {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    process.once(signal, () => process.exit(code));
  }
  return withChildren((children, folder) => new Demo(options, folder, children).run());
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
    for (const method of wanted) await draft(this.#options, method); // what is wrong with the file is found before anything starts
    await mkdir(out, { recursive: true });
    const files = await splitAmongOwners(data, count, this.#folder);
    const [services, owners] = await this.#progress.stage(
      `starting a CSP, a data user, ${count} owners`,
      count + 2,
      (tick) =>
        Promise.all([
          startServices(this.#children, { folder: this.#folder, keyBits, twoParty }, tick),
          Owners.start(this.#children, count, tick),
        ]),
    );
    await this.#progress.stage('owners enrol at the CSP', count, (tick) =>
      owners.enrol(services, { folder: this.#folder, files, keyBits, twoParty }, tick),
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

  async #runTask(method: MethodName, client: TaskClient, owners: Owners) {
    const { data, owners: count, out } = this.#options;
    const name = method.toUpperCase();
    const started = performance.now();
    const ignore = ignoredBy(this.#options, method);
    const { task, samples } = await this.#progress.stage(
      `${name}: the CSP makes a key and signs the task`,
      1,
      () => createTask(client, this.#options, method),
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
}
