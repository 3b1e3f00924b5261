/** A service from its data directory to its open port: the steps that all services share when they start. */
import { lookup } from 'node:dns/promises';
import { BlockList } from 'node:net';
import { COMMAND_CODES } from '@eigenveil/command';
import { CodedError } from '@eigenveil/platform';
import { IDENTITY_ROUTES } from '@eigenveil/wire/routes/common';
import { adminAuthenticator } from '../auth/tokens.ts';
import type { LogLevel, PeerNaming } from '../cli/settings.ts';
import { removeDraft } from '../database/backup.ts';
import { watchConnections } from '../http/connections.ts';
import { type AppOptions, createApp } from '../http/http.ts';
import { PeerNames } from '../http/peer-names.ts';
import { RateLimit } from '../http/rate-limit.ts';
import { type Authenticator, serve } from '../http/routes.ts';
import { type RunningServer, readTlsFiles, type ServerOptions, startServer } from '../http/tls.ts';
import { createLogger, type Logger } from '../observe/log.ts';
import { Metrics } from '../observe/metrics.ts';
import { NO_TRACING, type Tracing } from '../observe/tracing.ts';
import { WatchedCertificate } from './certificate.ts';
import { type Foundation, lockDirectory, openFoundation } from './foundation.ts';
import type { Renewable } from './reload.ts';

/** The part of SERVICE_SETTINGS that is used here. */
export interface ServiceConfiguration {
  readonly dataDirectory: string;
  readonly keyEncryptionKey?: string | undefined;
  readonly host: string;
  readonly port: number;
  readonly publicUrl?: string | undefined;
  readonly tlsCertificate: string;
  readonly tlsKey: string;
  readonly requestsPerMinute: number;
  readonly connectionsPerAddress: number;
  readonly logLevel: LogLevel;
  readonly logPeers: PeerNaming;
  readonly traceEndpoint?: string | undefined;
  readonly allowedOrigins?: readonly string[] | undefined;
}

export interface Service {
  readonly foundation: Foundation;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** The names that its log gives to peers. */
  readonly peers: PeerNames;
  readonly tracing: Tracing;
  readonly admin: Authenticator<'admin'>;
  /** The limit of the requests, which must also be asked about requests to upgrade. */
  readonly rateLimit: RateLimit;
  /** Returns the base address under which peers reach the service; known once it listens. */
  readonly publicUrl: () => string;
  /**
   * Starts to listen.
   * @throws ERR_TLS_FILE, ERR_LISTEN
   */
  listen(
    options: Pick<AppOptions, 'info' | 'routes' | 'checkReady'> & Pick<ServerOptions, 'onUpgrade'>,
  ): Promise<RunningServer>;
  /**
   * The parts that a Reloader can renew in every service: certificate and key, and the limits of requests and
   * connections.
   */
  readonly renewables: readonly Renewable<ServiceConfiguration>[];
  /** Releases the directory; call it last, when nothing of the data directory is used any more. */
  release(): void;
}

/** Addresses that stand for all addresses of a machine. */
const WILDCARDS = new BlockList();
WILDCARDS.addAddress('0.0.0.0');
WILDCARDS.addAddress('::', 'ipv6');

/**
 * Opens the data directory of the service called `name`.
 * @throws ERR_CONFIGURATION, ERR_KEY_FILE, ERR_TLS_FILE, ERR_DATA_DIRECTORY_IN_USE
 * @example
 * import { openService } from '@eigenveil/server';
 *
 * const service = await openService('csp', serviceConfiguration);
 * const running = await service.listen({ info, routes, checkReady: async () => {} });
 * await running.close();
 * service.release();
 */
export async function openService(
  name: string,
  config: ServiceConfiguration,
  logger?: Logger,
): Promise<Service> {
  await requireAddress(config);
  const log = logger ?? createLogger({ service: name, level: config.logLevel });
  const metrics = new Metrics(name.replaceAll('-', '_'));
  const foundation = await openFoundation(config);
  const lock = lockDirectory(config.dataDirectory);
  await removeDraft(config.dataDirectory);
  const tls = await readTlsFiles(config.tlsCertificate, config.tlsKey);
  const certificate = new WatchedCertificate(tls, metrics, log);
  const { traceEndpoint } = config;
  const tracing =
    traceEndpoint === undefined
      ? NO_TRACING
      : (await import('../observe/open-telemetry.ts')).openTelemetry(name, traceEndpoint);
  const peers = await PeerNames.open(config.logPeers, config.dataDirectory);
  const admin = adminAuthenticator(foundation.adminToken);
  const rateLimit = new RateLimit(config.requestsPerMinute, log);
  const onConnection = watchConnections(metrics, log, peers, () => running?.connections() ?? 0);
  const { host, port, connectionsPerAddress } = config;
  let publicUrl = config.publicUrl === undefined ? undefined : new URL(config.publicUrl).origin;
  let running: RunningServer | undefined;
  return {
    foundation,
    log,
    metrics,
    peers,
    tracing,
    admin,
    rateLimit,
    publicUrl: () => publicUrl ?? '',
    renewables: [
      {
        settings: ['tlsCertificate', 'tlsKey'],
        async prepare({ tlsCertificate, tlsKey }) {
          const renewed = await readTlsFiles(tlsCertificate, tlsKey);
          certificate.requireBetter(renewed);
          return () => {
            certificate.replace(renewed);
            running?.replaceCertificate(renewed);
          };
        },
      },
      {
        settings: ['requestsPerMinute', 'connectionsPerAddress'],
        prepare: (limits) => () => {
          rateLimit.requestsPerMinute = limits.requestsPerMinute;
          running?.limitConnections(limits.connectionsPerAddress);
        },
      },
    ],
    release() {
      certificate.stop();
      foundation.adminToken.stop();
      lock.release();
      log.info('stopped');
    },
    async listen({ info, routes, checkReady, onUpgrade }) {
      const keys = [foundation.key.publicJwk];
      const all = [...serve(IDENTITY_ROUTES, {}, { identity: () => ({ keys }) }), ...routes];
      const { allowedOrigins = [] } = config;
      const listener = createApp({
        ...{ info, log, peers, tracing, metrics, rateLimit, admin, checkReady },
        ...{ routes: all, allowedOrigins },
      });
      const options = {
        ...certificate.identity,
        listener,
        onUpgrade,
        host,
        port,
        connectionsPerAddress,
        onConnection,
      };
      running = await startServer(options);
      foundation.adminToken.watch(log);
      publicUrl ??= running.url;
      log.info({ url: running.url, thumbprint: foundation.key.thumbprint }, 'listening');
      const { close } = running;
      running = { ...running, close: () => close().then(() => tracing.close()) };
      return running;
    },
  };
}

/**
 * Checks that the host is one address, or that an address for peers is given. Peers sign the address that
 * they talk to, and nobody talks to a wildcard: every proof would be for another address.
 */
export async function requireAddress({ host, port, publicUrl }: ServiceConfiguration): Promise<void> {
  if (publicUrl !== undefined) return;
  // A host without an address cannot be listened on, either: ERR_LISTEN.
  const found = await lookup(host).catch(() => undefined);
  if (found === undefined || !WILDCARDS.check(found.address, found.family === 6 ? 'ipv6' : 'ipv4')) return;
  throw new CodedError(
    COMMAND_CODES.ERR_CONFIGURATION,
    `"host" ${host} means all addresses of this machine: give --public-url, the one address under which peers reach the service ` +
      `(https://name:${port}), or a --host of its own (127.0.0.1 where all peers run on this machine)`,
  );
}
