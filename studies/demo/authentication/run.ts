/** The demo of authentication: owners with one class each compute a projection, and an authenticator recognises them by it. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TrustEngine, type TrustSettings } from '@eigenveil/authentication';
import { COMMAND_CODES } from '@eigenveil/command';
import { Projector } from '@eigenveil/data-owner';
import { CodedError } from '@eigenveil/platform';
import type { Task, TaskProposal } from '@eigenveil/task';
import { type Children, withChildren } from '@eigenveil/testbed/processes/children';
import { type Comparison, equalErrorRates } from '@eigenveil/testbed/recognition/error-rates';
import { inTime, type People } from '@eigenveil/testbed/recognition/people';
import type { Digest, Projection } from '@eigenveil/wire';
import { medianMilliseconds } from '../crew.ts';
import { enrolOwners } from '../owners.ts';
import { Progress } from '../progress.ts';
import { type Services, startServices } from '../services.ts';
import { exitOnSignals } from '../signals.ts';
import { COMPUTATION_STATES, compute, contributionSize } from '../task.ts';
import { Decisions } from './decisions.ts';
import type { Held } from './device.ts';
import { type Devices, oneProjection, startDevices } from './devices.ts';
import {
  calibrated,
  type Moment,
  projectedComparisons,
  rawComparisons,
  replay,
  type Subject,
  subjectsOf,
} from './evaluation.ts';
import { loadSet } from './load.ts';
import { authenticationReport } from './report.ts';
import { startAuthenticator } from './service.ts';
import { SETS, type SetName, type SetSetting } from './sets.ts';
import { runStreams, type Stream } from './streams.ts';
import { type AuthenticationSummary, type Figures, printSummary } from './summary.ts';
import { authenticationTask, devicePolicy } from './task.ts';

export interface AuthenticationOptions {
  readonly dataset: SetName;
  /** The number of people, the first of the set; all by default. */
  readonly users?: number;
  readonly components?: number;
  readonly keyBits: number;
  readonly impostors: number;
  readonly out: string;
  readonly json?: true;
}

/** Runs the demo and leaves its results in `options.out`; nothing else remains, however it ends. */
export async function runAuthenticationDemo(options: AuthenticationOptions): Promise<void> {
  const { people: everybody, ...set } = await loadSet(options.dataset);
  const count = options.users ?? everybody.length;
  if (count > everybody.length)
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      `"--users" expected at most ${everybody.length}, those of the set, got ${count}`,
    );
  if (options.impostors >= count)
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      `"--impostors" expected fewer than the ${count} users, got ${options.impostors}`,
    );
  const people: People = { ...set, people: everybody.slice(0, count) };
  const chosen: SetSetting = SETS[options.dataset];
  const setting = {
    ...chosen,
    components: options.components ?? Math.min(chosen.components, count - 1),
  };
  const release = exitOnSignals();
  try {
    await withChildren((children, folder) =>
      new AuthenticationDemo(options, { people, setting, children, folder }).run(),
    );
  } finally {
    release();
  }
}

interface Place {
  readonly people: People;
  readonly setting: SetSetting;
  readonly children: Children;
  readonly folder: string;
}

class AuthenticationDemo {
  readonly #options: AuthenticationOptions;
  readonly #place: Place;
  readonly #progress: Progress;

  constructor(options: AuthenticationOptions, place: Place) {
    this.#options = options;
    this.#place = place;
    this.#progress = new Progress({ quiet: options.json === true });
  }

  async run(): Promise<void> {
    const { dataset, keyBits, out, impostors } = this.#options;
    const { people, setting, children, folder } = this.#place;
    const started = performance.now();
    const count = people.people.length;
    const proposal = authenticationTask(people, setting, keyBits);
    const stage = this.#progress.stage.bind(this.#progress);
    const [services, devices] = await stage(
      `starting a CSP, a data user, ${count} devices`,
      count + 2,
      (tick) =>
        Promise.all([
          startServices(children, { folder, keyBits, twoParty: 'rotated' }, tick),
          startDevices(children, count, tick),
        ]),
    );
    const projected = await this.#project(services, devices, proposal);
    const { task, projection } = projected;
    const subjects = subjectsOf(people, new Projector(task, projection), setting.logUnit);
    const trust = calibrated(subjects, setting.score);
    const { service, application } = await stage('the authenticator starts', 1, async () =>
      startAuthenticator(children, {
        folder,
        certificate: services,
        ca: await readFile(services.caFile, 'utf8'),
        projection: {
          digest: projected.digest,
          components: task.components,
          score: setting.score,
          trust,
        },
        enrolmentWindows: Math.min(...subjects.map(({ rows }) => rows.early.length)),
      }),
    );
    const registered = await stage('invitations; devices enrol in their frames', count, async (tick) => {
      const invitations = await Promise.all(
        subjects.map(({ userId }) => application.invite({ body: { userId, purpose: 'enrol' } })),
      );
      return devices.all((i) => ({ kind: 'register', service, invitation: invitations[i]!.token }), tick);
    });
    const reporting = import('../../instrument/report/write.ts'); // heavy, and not needed before
    const told = new Decisions(application);
    const observing = performance.now();
    const streams = await stage(
      `sessions: each user, and ${impostors} others`,
      count * (1 + impostors),
      (tick) => runStreams({ devices, application, told, subjects }, impostors, tick),
    );
    const observingSeconds = (performance.now() - observing) / 1000;
    await Promise.all([application.close(), services.client.close(), devices.end()]);
    const late = projectedComparisons(subjects, setting.score, 'late');
    const raw = rawComparisons(subjects);
    const summary: AuthenticationSummary = {
      dataset,
      users: count,
      features: task.features.length,
      components: task.components,
      twoParty: task.twoParty,
      totalSeconds: (performance.now() - started) / 1000,
      eer: equalErrorRates(late),
      rawEer: equalErrorRates(raw),
    };
    const decided = { trust, streams, replays: replaysOf(streams, late, subjects, trust) };
    const figures: Figures = {
      summary,
      setting,
      task,
      times: {
        ...projected.times,
        registrationMilliseconds: medianMilliseconds(registered),
        observingSeconds,
      },
      comparisons: { projected: late, raw },
      decided: { ...decided, subjects, events: told.events },
    };
    const { writeReport } = await reporting;
    await writeReport({ folder: out, report: await authenticationReport(figures), data: summary });
    await writeFile(join(out, 'projection.json'), `${JSON.stringify(projection, null, 2)}\n`);
    if (this.#options.json) process.stdout.write(`${JSON.stringify(summary)}\n`);
    else printSummary(figures, out);
  }

  /** Takes the task from its proposal to a projection that every device has verified. */
  async #project(services: Services, devices: Devices, proposal: TaskProposal): Promise<Projected> {
    const { people, setting, folder } = this.#place;
    const stage = this.#progress.stage.bind(this.#progress);
    const count = devices.size;
    await stage('devices enrol at the CSP', count, (tick) =>
      enrolOwners(
        devices,
        services,
        {
          folder,
          policy: devicePolicy(proposal),
          more: (i): Held => {
            const { name, rows } = people.people[i]!;
            return { user: name, rows: inTime(rows).early, logUnit: setting.logUnit };
          },
        },
        tick,
      ),
    );
    const { client } = services;
    const { task } = await stage('the CSP makes a key and signs the task', 1, () => client.create(proposal));
    const contributed = await stage('devices encrypt and send', count, (tick) =>
      devices.all(() => ({ kind: 'contribute', taskId: task.id }), tick),
    );
    const stages = await stage('add, blind, unblind, decompose', COMPUTATION_STATES.length, (tick, note) =>
      compute(client, task.id, tick, note),
    );
    const verified = await stage('devices verify the projection', count, (tick) =>
      devices.all(() => ({ kind: 'verify', taskId: task.id }), tick),
    );
    const projection = await client.result(task.id);
    return {
      task,
      projection,
      digest: oneProjection(verified),
      times: {
        stages,
        contributionMilliseconds: medianMilliseconds(contributed),
        contribution: contributionSize(task),
        verificationMilliseconds: medianMilliseconds(verified),
      },
    };
  }
}

interface Projected {
  readonly task: Task;
  readonly projection: Projection;
  readonly digest: Digest;
  readonly times: Omit<Figures['times'], 'registrationMilliseconds' | 'observingSeconds'>;
}

function replaysOf(
  streams: readonly Stream[],
  comparisons: readonly Comparison[],
  subjects: readonly Subject[],
  trust: TrustSettings,
): Moment[][] {
  const engine = new TrustEngine(trust);
  return streams.map(({ target, source }) => {
    const { scores } = comparisons[target * subjects.length + source]!;
    return replay(engine, scores, target === source);
  });
}
