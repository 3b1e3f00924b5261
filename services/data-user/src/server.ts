/** Puts the data user together and runs it over HTTPS. */
import { join } from 'node:path';
import { readCertificates } from '@eigenveil/command';
import { PaillierPool, selfTest } from '@eigenveil/paillier';
import { type RandomSource, systemRandomness } from '@eigenveil/privacy';
import { type Logger, measureStorage, openService, Reloader } from '@eigenveil/server';
import type { TaskId } from '@eigenveil/task';
import { systemClock } from '@eigenveil/two-party';
import { standardPaceOf } from '@eigenveil/two-party/plan';
import { SERVICE_TITLES, type Thumbprint } from '@eigenveil/wire';
import type { DataUserConfiguration } from './cli/settings.ts';
import { Closing } from './collect/closing.ts';
import { Collection } from './collect/collection.ts';
import { Refusals } from './collect/refusals.ts';
import { Aggregation } from './compute/aggregation.ts';
import { Computation, type ComputationDependencies } from './compute/computation.ts';
import { Fixing } from './compute/fixing.ts';
import { Provenances } from './compute/provenances.ts';
import { TaskProgresses } from './console/progress.ts';
import { ConsoleSessions } from './console/sessions.ts';
import { ConsoleStreams } from './console/streams.ts';
import { dataUserRoutes } from './routes.ts';
import { openStore, type QueueTimes } from './store/open.ts';
import { Chains } from './tasks/chains.ts';
import { CspCertificate, CspClient } from './tasks/csp.ts';
import { measureTasks } from './tasks/metrics.ts';
import { Operators } from './tasks/operators.ts';
import { Renewals } from './tasks/renewals.ts';
import { Revocations } from './tasks/revocations.ts';
import { Tasks } from './tasks/tasks.ts';

export interface RunningDataUser {
  readonly url: string;
  readonly thumbprint: Thumbprint;
  /** Takes new values of the certificate, `cspCa` and the limits. */
  reload(read: () => DataUserConfiguration): Promise<void>;
  close(): Promise<void>;
}

/** The parts that tests replace to watch or disturb a data user. */
export interface DataUserOverrides {
  readonly paillier?: PaillierPool;
  readonly now?: () => Date;
  readonly randomness?: RandomSource;
  readonly log?: Logger;
  readonly queueTimes?: QueueTimes;
}

const INFO = {
  title: SERVICE_TITLES.dataUser,
  version: '0.1.0',
  description: 'Tasks, collection and computation of Eigenveil.',
};

const SWEEP_MILLISECONDS = 3_600_000;

/** Starts a data user; resolves when it listens. Unfinished tasks continue where they were left. */
export async function startDataUser(
  config: DataUserConfiguration,
  overrides: DataUserOverrides = {},
): Promise<RunningDataUser> {
  selfTest({ allowBigintFallback: config.allowBigintFallback });
  let ca = await readCertificates('--csp-ca', config.cspCa);
  const service = await openService('data-user', config, overrides.log);
  const { log, metrics, publicUrl } = service;
  const { key, sealer, adminToken } = service.foundation;
  const stages = metrics.counter(
    'stages_total',
    'Stages of computations that ended, by the state they led to.',
    ['state'],
  );
  const batches = metrics.counter(
    'batches_total',
    'Batches of contributions whose partial product was stored.',
  );
  const refused = metrics.counter('uploads_refused_total', 'Contributions that were refused.', ['code']);
  const misses = metrics.counter('answers_late_total', 'Answers that took longer than their public time.');
  const { store, usedProofs, queue, check, databaseBytes } = await openStore(
    config,
    service,
    overrides.queueTimes,
  ).catch((error: unknown) => {
    service.release();
    throw error;
  });
  const paillier = overrides.paillier ?? new PaillierPool({ threads: config.threads });
  const now = overrides.now ?? (() => new Date());
  const csp = new CspClient({
    url: config.cspUrl,
    ca,
    key,
    thumbprint: config.cspThumbprint,
    identityFile: join(config.dataDirectory, 'csp-identity.json'),
    patienceMilliseconds: 1000 * config.cspPatienceSeconds,
    traceparent: service.tracing.traceparent,
  });
  const cspCertificate = new CspCertificate({ url: config.cspUrl, ca: () => ca, metrics, log });
  const onStage: ComputationDependencies['onStage'] = (event) => {
    const { taskId } = event;
    if ('state' in event) {
      stages.inc({ state: event.state });
      log.info({ taskId, state: event.state }, 'stage done');
    } else {
      stages.inc({ state: 'interrupted' });
      log.warn({ taskId, err: event.error }, 'stage interrupted; it will be tried again');
    }
  };
  const operators = new Operators({ store: store.operators, admin: adminToken, now });
  const sessions = new ConsoleSessions({
    operators,
    secret: service.foundation.deriveSecret('console sessions of named operators'),
    dataUser: key.thumbprint,
    now,
  });
  const streams = new ConsoleStreams(now);
  const refusals = new Refusals({ store, now, log, onRefused: (code) => refused.inc({ code }) });
  const progresses = new TaskProgresses({ store, now });
  const provenances = new Provenances({ store, csp });
  const revocations = new Revocations({ store, csp, now, log });
  const tasks = new Tasks({
    ...{ store, csp, now, queue, provenances, revocations },
    chains: new Chains(store),
    thumbprint: key.thumbprint,
  });
  const collection = new Collection({ store, tasks, paillier, key, now });
  const aggregation = new Aggregation({ store, tasks, paillier, queue, onBatch: () => batches.inc() });
  const computation = new Computation({
    store,
    tasks,
    aggregation,
    fixing: new Fixing({ store, csp, revocations, clock: systemClock }),
    csp,
    provenances,
    paillier,
    sealer,
    key,
    randomness: overrides.randomness ?? systemRandomness,
    clock: systemClock,
    paceOf: (task) => config.answerMilliseconds ?? standardPaceOf(task),
    onMiss(event) {
      misses.inc();
      log.warn(event, 'the answer took longer than its public time; the CSP may learn its outcome');
    },
    isShared: config.databaseUrl !== undefined,
    onStage,
  });
  metrics.gauge(
    'tasks_in_work',
    'Tasks that are worked on, or wait to be.',
    async () => (await queue.lengths()).tasks,
  );
  metrics.gauge(
    'batches_in_work',
    'Batches that are aggregated, or wait to be.',
    async () => (await queue.lengths()).batches,
  );
  measureStorage(metrics, config.dataDirectory, databaseBytes);
  measureTasks(metrics, store, now);
  metrics.gauge(
    'revocations_age_seconds',
    'Since the CSP has signed the newest list of revoked owners; NaN before the first.',
    async () => ((await revocations.age()) ?? Number.NaN) / 1000,
  );
  metrics.gauge('console_streams', 'Streams that pages of the console listen to.', () => streams.count);
  const routes = dataUserRoutes({
    tasks,
    renewals: new Renewals({ store, tasks, now }),
    collection,
    queue,
    csp,
    publicUrl,
    operators,
    sessions,
    progresses,
    streams,
    refusals,
    revocations,
    usedProofs,
  });
  const reloader = new Reloader(config, log, [
    ...service.renewables,
    {
      settings: ['cspCa'],
      async prepare(next: DataUserConfiguration) {
        const renewed = await readCertificates('--csp-ca', next.cspCa);
        return () => {
          ca = renewed;
          csp.trust(ca);
          void cspCertificate.look();
        };
      },
    },
  ]);
  const leave = async () => {
    cspCertificate.stop();
    // The CSP's answers are no longer waited for, and what is unfinished is left to the next process.
    await Promise.all([queue.close(), csp.close()]);
    await revocations.stop();
    await paillier.close();
    await refusals.close();
    await store.close();
    service.release();
  };
  // If the service cannot listen, the queue is closed, since its connections would keep the process alive.
  const running = await service
    .listen({ info: INFO, routes, checkReady: check })
    .catch((error: unknown) => after(leave, error));
  await queue
    .start({
      unfinished: () => store.unfinishedTasks(),
      step: (taskId, turn) =>
        service.tracing.work('stage', { 'eigenveil.task': taskId }, () => computation.step(taskId, turn)),
      batch: (taskId, number) => aggregation.complete(taskId, number),
      waits: (taskId, error) => computation.tellWaiting(taskId, error),
    })
    .catch((error: unknown) => after(() => running.close().then(leave), error));
  revocations.start();
  const waits = (taskId: TaskId, error: unknown) => computation.tellWaiting(taskId, error);
  const closing = new Closing({ store, tasks, queue, now, waits, log });
  await closing.start();
  cspCertificate.watch();
  const sweep = async () => {
    for await (const taskId of tasks.cancelAbandoned(config.retentionDays)) {
      log.warn({ taskId }, 'cancelled a task that nobody has closed');
      await queue.offer(taskId);
    }
  };
  const onFailure = (error: unknown) => log.error({ err: error }, 'sweep failed');
  await sweep().catch(onFailure);
  const sweeping = setInterval(() => void sweep().catch(onFailure), SWEEP_MILLISECONDS);
  return {
    url: running.url,
    thumbprint: key.thumbprint,
    reload: (read) => reloader.reload(read),
    async close() {
      clearInterval(sweeping);
      await closing.stop();
      streams.close();
      await running.close();
      await leave();
    },
  };
}

async function after(work: () => Promise<void>, error: unknown): Promise<never> {
  await work().catch(() => undefined); // the first error is the one that the operator has to remove
  throw error;
}
