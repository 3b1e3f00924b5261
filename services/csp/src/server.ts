/** Puts the CSP together and runs it over HTTPS. */

import type { Configuration } from '@eigenveil/command';
import { PaillierPool, selfTest } from '@eigenveil/paillier';
import {
  adminAuthenticator,
  createApp,
  createLogger,
  type Logger,
  Metrics,
  openFoundation,
  readTlsFiles,
  SERVICE_SETTINGS,
  startServer,
} from '@eigenveil/server';
import { Thumbprint } from '@eigenveil/wire';
import { z } from 'zod';
import { Garbler } from './garbler.ts';
import { cspRoutes } from './routes.ts';
import { CspService } from './service.ts';
import { SqliteCspStore } from './sqlite-store.ts';

export const CSP_SETTINGS = {
  ...SERVICE_SETTINGS,
  dataUsers: {
    schema: z.array(Thumbprint),
    description: 'JSON list of the key thumbprints of the data users that may propose tasks',
    placeholder: 'LIST',
  },
  minimumOwners: {
    schema: z.int().min(2),
    description: 'smallest minimum of owners that a task may have',
    default: 2,
    placeholder: 'NUMBER',
  },
  ownerTokenDays: {
    schema: z.int().min(1).max(3650),
    description: 'lifetime of owner tokens, in days',
    default: 90,
    placeholder: 'NUMBER',
  },
  allowSimulated: {
    schema: z.boolean(),
    description: 'take tasks with the simulated two-party protocol, which is NOT private',
    default: false,
  },
  allowInsecureKeys: {
    schema: z.boolean(),
    description: 'take tasks with keys under 2048 bits, for benchmarks',
    default: false,
  },
} as const;
export type CspConfiguration = Configuration<typeof CSP_SETTINGS>;

export interface RunningCsp {
  readonly url: string;
  readonly thumbprint: Thumbprint;
  readonly service: CspService;
  close(): Promise<void>;
}

/** What tests replace to watch or disturb a CSP. */
export interface CspOverrides {
  readonly paillier?: PaillierPool;
  readonly now?: () => Date;
  readonly log?: Logger;
}

const SECONDS_PER_DAY = 86_400;

/** Starts a CSP; resolves when it listens. */
export async function startCsp(config: CspConfiguration, overrides: CspOverrides = {}): Promise<RunningCsp> {
  selfTest({ allowBigintFallback: config.allowBigintFallback });
  const log = overrides.log ?? createLogger({ service: 'csp', level: config.logLevel });
  const metrics = new Metrics('csp');
  const { database, key, sealer, adminToken } = await openFoundation(config);
  const tls = await readTlsFiles(config.tlsCertificate, config.tlsKey);
  const store = new SqliteCspStore(database);
  const paillier = overrides.paillier ?? new PaillierPool({ threads: config.threads });
  const policy = {
    allowSimulated: config.allowSimulated,
    allowInsecureKeys: config.allowInsecureKeys,
    minimumOwners: config.minimumOwners,
    ownerTokenLifetimeSeconds: config.ownerTokenDays * SECONDS_PER_DAY,
  };
  const service = new CspService({
    store,
    sealer,
    paillier,
    key,
    policy,
    now: overrides.now ?? (() => new Date()),
  });
  let publicUrl = config.publicUrl?.replace(/\/$/, '');
  const { routes, dataUser } = cspRoutes({
    service,
    key,
    publicUrl: () => publicUrl ?? '',
    dataUsers: new Set(config.dataUsers),
  });
  const app = createApp({
    info: {
      title: 'Eigenveil CSP',
      version: '0.1.0',
      description: 'The crypto service provider of Eigenveil.',
    },
    log,
    metrics,
    requestsPerMinute: config.requestsPerMinute,
    admin: adminAuthenticator(adminToken),
    routes,
  });
  const garbler = new Garbler({ service, dataUser, log });
  const running = await startServer({ ...tls, listener: app, host: config.host, port: config.port });
  publicUrl ??= running.url;
  running.server.on('upgrade', garbler.onUpgrade);
  if (policy.allowSimulated) log.warn('simulated two-party computation is allowed: it is not private');
  log.info({ url: running.url, thumbprint: key.thumbprint }, 'listening');
  return {
    url: running.url,
    thumbprint: key.thumbprint,
    service,
    async close() {
      garbler.close();
      await running.close();
      await paillier.close();
      store.close();
      log.info('stopped');
    },
  };
}
