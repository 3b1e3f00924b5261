/** Puts the CSP together and runs it over HTTPS. */
import { PaillierPool, selfTest } from '@eigenveil/paillier';
import { type RandomSource, systemRandomness } from '@eigenveil/privacy';
import {
  type Logger,
  measureStorage,
  openService,
  Reloader,
  requireKeys,
  sqliteBytes,
} from '@eigenveil/server';
import { SERVICE_TITLES, type Thumbprint } from '@eigenveil/wire';
import type { CspConfiguration } from './cli/settings.ts';
import { cspRoutes } from './routes.ts';
import { CspService } from './service/service.ts';
import { StartLimit, TwoPartyServer } from './service/two-party-server.ts';
import { SqliteCspStore } from './store/sqlite-store.ts';

export interface RunningCsp {
  readonly url: string;
  readonly thumbprint: Thumbprint;
  readonly service: CspService;
  /** Reads certificate, data users and limits again. */
  reload(read: () => CspConfiguration): Promise<void>;
  close(): Promise<void>;
}

/** Parts that tests replace to watch or disturb a CSP. */
export interface CspOverrides {
  readonly paillier?: PaillierPool;
  readonly now?: () => Date;
  readonly randomness?: RandomSource;
  readonly log?: Logger;
}

const INFO = {
  title: SERVICE_TITLES.csp,
  version: '0.1.0',
  description: 'The crypto service provider of Eigenveil.',
};
const SWEEP_MILLISECONDS = 3_600_000;
const SECONDS_PER_DAY = 86_400;

/** Starts a CSP; resolves when it listens. */
export async function startCsp(config: CspConfiguration, overrides: CspOverrides = {}): Promise<RunningCsp> {
  selfTest({ allowBigintFallback: config.allowBigintFallback });
  const service = await openService('csp', config, overrides.log);
  const { database, key, sealer } = service.foundation;
  const store = new SqliteCspStore(database, overrides.now);
  await requireKeys(store, sealer).catch((error: unknown) => {
    store.close();
    service.release();
    throw error;
  });
  const paillier = overrides.paillier ?? new PaillierPool({ threads: config.threads });
  const policy = {
    allowSimulated: config.allowSimulated,
    allowInsecureKeys: config.allowInsecureKeys,
    allowFullRank: config.allowFullRank,
    minimumOwners: config.minimumOwners,
    ownerTokenLifetimeSeconds: config.ownerTokenDays * SECONDS_PER_DAY,
    answersPerTask: config.answersPerTask,
    retentionDays: config.retentionDays,
    openTasks: config.openTasks,
    tasksPerDay: config.tasksPerDay,
    quotas: config.quotas ?? {},
  };
  const csp = new CspService({
    store,
    sealer,
    paillier,
    key,
    policy,
    now: overrides.now ?? (() => new Date()),
    randomness: overrides.randomness ?? systemRandomness,
  });
  const dataUsers = new Set(config.dataUsers);
  const { routes, dataUser } = cspRoutes({
    service: csp,
    identity: key.publicJwk,
    publicUrl: service.publicUrl,
    dataUsers,
  });
  const { rateLimit, log, metrics } = service;
  measureStorage(metrics, config.dataDirectory, () => sqliteBytes(database));
  const startLimit = new StartLimit(config.computationsPerMinute);
  const twoParty = new TwoPartyServer({
    service: csp,
    dataUser,
    isAdmitted: (thumbprint) => dataUsers.has(thumbprint),
    rateLimit,
    startLimit,
    log,
    metrics,
    peers: service.peers,
  });
  const sweep = async () => {
    const ended = await csp.endOverdueTasks();
    if (ended > 0) service.log.warn({ ended }, 'ended tasks that their data users had abandoned');
  };
  await sweep();
  const reloader = new Reloader(config, log, [
    ...service.renewables,
    {
      settings: ['dataUsers', 'minimumOwners', 'computationsPerMinute', 'openTasks', 'tasksPerDay', 'quotas'],
      prepare: (next: CspConfiguration) => () => {
        dataUsers.clear();
        for (const thumbprint of next.dataUsers) dataUsers.add(thumbprint);
        const { minimumOwners, openTasks, tasksPerDay, quotas = {} } = next;
        Object.assign(policy, { minimumOwners, openTasks, tasksPerDay, quotas });
        startLimit.perMinute = next.computationsPerMinute;
      },
    },
  ]);
  const running = await service.listen({
    info: INFO,
    routes,
    checkReady: () => store.check(),
    onUpgrade: twoParty.onUpgrade,
  });
  // The timer starts only now, since it would keep a process alive that could not listen.
  const onFailure = (error: unknown) => service.log.error({ err: error }, 'sweep failed');
  const sweeping = setInterval(() => void sweep().catch(onFailure), SWEEP_MILLISECONDS);
  for (const thumbprint of dataUsers)
    if (await store.isDataUserRevoked(thumbprint))
      service.log.warn({ thumbprint }, 'the settings name a data user that was revoked: it stays so');
  if (policy.allowSimulated)
    service.log.warn('simulated two-party computation is allowed: it is not private');
  return {
    url: running.url,
    thumbprint: key.thumbprint,
    service: csp,
    reload: (read) => reloader.reload(read),
    async close() {
      clearInterval(sweeping);
      twoParty.close();
      await running.close();
      await paillier.close();
      store.close();
      service.release();
    },
  };
}
