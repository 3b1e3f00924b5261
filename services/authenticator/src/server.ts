/** Puts the authenticator together and runs it over HTTPS. */
import { readCertificates } from '@eigenveil/command';
import {
  type Logger,
  measureStorage,
  openService,
  Reloader,
  requireKeys,
  sqliteBytes,
} from '@eigenveil/server';
import { SERVICE_TITLES, type Thumbprint } from '@eigenveil/wire';
import type { AuthenticatorConfiguration } from './cli/settings.ts';
import { authenticatorRoutes } from './routes.ts';
import { authenticatorMetrics, Population } from './service/metrics.ts';
import { referencesOf } from './service/references.ts';
import { AuthenticatorService } from './service/service.ts';
import { Webhook, type WebhookTimes } from './service/webhook.ts';
import { SqliteAuthenticatorStore } from './store/sqlite-store.ts';

export interface RunningAuthenticator {
  readonly url: string;
  readonly thumbprint: Thumbprint;
  readonly service: AuthenticatorService;
  /**
   * Reads certificate, `webhookCa`, relying applications and the limits of requests and connections again.
   */
  reload(read: () => AuthenticatorConfiguration): Promise<void>;
  close(): Promise<void>;
}

/** Parts that tests replace to watch or disturb an authenticator. */
export interface AuthenticatorOverrides {
  readonly now?: () => Date;
  readonly monotonic?: () => number;
  readonly log?: Logger;
  readonly webhookTimes?: WebhookTimes;
}

const INFO = {
  title: SERVICE_TITLES.authenticator,
  version: '0.1.0',
  description: 'A continuous-authentication back end on reduced rows.',
};
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Starts an authenticator; resolves when it listens. */
export async function startAuthenticator(
  config: AuthenticatorConfiguration,
  overrides: AuthenticatorOverrides = {},
): Promise<RunningAuthenticator> {
  const references = referencesOf(config.projections);
  const ca = await readCertificates('webhookCa', config.webhookCa);
  const running = await openService('authenticator', config, overrides.log);
  const { log, metrics } = running;
  const { database, key, sealer } = running.foundation;
  const store = new SqliteAuthenticatorStore(database);
  await requireKeys(store, sealer).catch((error: unknown) => {
    store.close();
    running.release();
    throw error;
  });
  measureStorage(metrics, config.dataDirectory, () => sqliteBytes(database));
  const measured = authenticatorMetrics(metrics, store, () => service.activeSessions);
  let webhook: Webhook | undefined;
  const service = new AuthenticatorService({
    store,
    sealer,
    references,
    policy: config,
    now: overrides.now ?? (() => new Date()),
    monotonic: overrides.monotonic ?? (() => performance.now()),
    observer: {
      ...measured,
      decided(event) {
        measured.decided(event);
        webhook?.wake();
      },
    },
  });
  const relyingApplications = new Set(config.relyingApplications);
  const routes = authenticatorRoutes({
    service,
    publicUrl: running.publicUrl,
    relyingApplications,
    components: Math.max(...config.projections.map(({ components }) => components)),
  });
  service.forget();
  const { driftLevel: level, driftAlarm: falseAlarm } = config;
  const population = new Population({ store, log, metrics, level, falseAlarm });
  const reloader = new Reloader(config, log, [
    ...running.renewables,
    {
      settings: ['relyingApplications', 'webhookCa'],
      async prepare(next: AuthenticatorConfiguration) {
        const renewed = await readCertificates('webhookCa', next.webhookCa);
        return () => {
          relyingApplications.clear();
          for (const thumbprint of next.relyingApplications) relyingApplications.add(thumbprint);
          webhook?.trust(renewed);
        };
      },
    },
  ]);
  const listening = await running.listen({ info: INFO, routes, checkReady: async () => store.check() });
  // These start only now, since they would keep a process alive that could not listen.
  const { webhookUrl: url } = config;
  if (url !== undefined) {
    const times = overrides.webhookTimes;
    webhook = new Webhook({ store, key, log, url, ca, onAttempt: measured.attempted, times });
    webhook.wake();
  }
  const every = (milliseconds: number, work: () => void) =>
    setInterval(() => {
      try {
        work();
      } catch (error) {
        log.error({ err: error }, 'sweep failed'); // the next run tries again
      }
    }, milliseconds);
  const timers = [
    every(5 * SECOND, () => {
      service.tick();
      webhook?.wake();
    }),
    every(MINUTE, () => population.look()),
    every(HOUR, () => service.forget()),
  ];
  return {
    url: listening.url,
    thumbprint: key.thumbprint,
    service,
    reload: (read) => reloader.reload(read),
    async close() {
      for (const timer of timers) clearInterval(timer);
      await listening.close();
      await webhook?.close();
      try {
        service.close();
      } catch (error) {
        log.error({ err: error }, 'what templates have learnt last was not kept');
      }
      store.close();
      running.release();
    },
  };
}
