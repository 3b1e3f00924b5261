/**
 * HTTPS with TLS 1.3 only, bounded in time and size, and closed in a way that lets requests in flight finish.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { IncomingMessage, RequestListener } from 'node:http';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, isIP, isIPv6, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createSecureContext } from 'node:tls';
import { COMMAND_CODES, readPem } from '@eigenveil/command';
import { CodedError } from '@eigenveil/platform';
import { MAX_CONNECTIONS } from '../cli/settings.ts';
import { SERVER_CODES } from '../codes.ts';
import { type ConnectionEvent, Connections } from './connections.ts';
import { refuseLine } from './raw-answers.ts';

/** Certificate and key as PEM texts. */
export interface TlsIdentity {
  readonly cert: string;
  readonly key: string;
}

export interface RunningServer {
  readonly server: Server;
  /** The base URL without a trailing slash. */
  readonly url: string;
  /** Returns the number of connections, from their acceptance on. */
  readonly connections: () => number;
  /**
   * Stops listening, and closes idle connections and those over which no request has come. Waits for requests
   * in flight and other open connections (WebSockets) until the grace time is over, then cuts the rest. Calls
   * after the first return the same promise.
   */
  close(): Promise<void>;
  /** Serves new connections with another certificate, which `requirePair` has taken. */
  replaceCertificate(identity: TlsIdentity): void;
  /** Sets how many connections an address may have from now on. */
  limitConnections(perAddress: number): void;
}

const MINIMUM_VERSION = 'TLSv1.3';
/** A TLS handshake takes two round trips; the default of 120 s would let silent peers hold sockets. */
const HANDSHAKE_TIMEOUT_MILLISECONDS = 10_000;
/** Headers are a few kilobytes and come at once; a peer that sends them slowly keeps a socket busy. */
const HEADERS_TIMEOUT_MILLISECONDS = 10_000;
/**
 * The largest contribution is a few megabytes: enough time for it over a slow link, and an end to trickled
 * bodies.
 */
const REQUEST_TIMEOUT_MILLISECONDS = 120_000;
/** Owners poll every few seconds, so connections last between two polls; longer ones serve nobody. */
const KEEP_ALIVE_TIMEOUT_MILLISECONDS = 15_000;
/**
 * A time longer than any request is worked on: it ends connections whose peer does not read its answer.
 * WebSockets have limits of their own.
 */
const SILENCE_TIMEOUT_MILLISECONDS = 300_000;
/**
 * The time between two looks that enforce the limits of headers and requests; Node's default of 30 s would
 * triple the shorter one.
 */
const CONNECTIONS_CHECK_MILLISECONDS = 2000;
/** An owner token and a proof take about 2 kB. */
const MAX_HEADER_BYTES = 8 * 1024;
/** A time longer than any one unblinding or upload; orchestrators usually kill after 30 s. */
const GRACE_MILLISECONDS = 20_000;
/** The time after its last answer at which a connection is closed while the server closes. */
const IDLE_SWEEP_MILLISECONDS = 50;

export interface ServerOptions extends TlsIdentity {
  readonly listener: RequestListener;
  readonly host: string;
  /** The port to listen on; 0 for any free port. */
  readonly port: number;
  /**
   * Takes over connections that will become something else, such as WebSockets; without it, such requests are
   * answered like others.
   */
  readonly onUpgrade?: ((request: IncomingMessage, socket: Duplex, head: Buffer) => void) | undefined;
  /**
   * The limit of connections of one address; without it, one address may have all that there may be (1000).
   */
  readonly connectionsPerAddress?: number;
  /** Told about connections that are refused, or ended because no request came over them. */
  readonly onConnection?: (event: ConnectionEvent) => void;
  /** The time for which `close` waits, in milliseconds; 20 s when left out. */
  readonly graceMilliseconds?: number;
  /** The time that a TLS handshake may take, in milliseconds; 10 s when left out. */
  readonly handshakeMilliseconds?: number;
}

/**
 * Starts to listen.
 * @throws ERR_TLS_FILE for a certificate or key that cannot be used, ERR_LISTEN for an address
 * @example
 * import { createLocalCertificate, startServer } from '@eigenveil/server';
 *
 * const identity = await createLocalCertificate();
 * const running = await startServer({ ...identity, listener, host: 'localhost', port: 0 });
 * console.log(running.url);
 * await running.close();
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { host, port, graceMilliseconds = GRACE_MILLISECONDS, onConnection: tell = () => {} } = options;
  const { onUpgrade } = options;
  const server = makeServer(options);
  const connections = new Connections(server, options.connectionsPerAddress ?? MAX_CONNECTIONS, tell);
  server.on('clientError', (error, socket) => {
    const { remoteAddress: address } = socket as Socket;
    const reason = refuseLine(error, socket);
    if (reason === 'handshake' || reason === 'request') tell({ kind: 'ended', reason, address });
  });
  if (onUpgrade !== undefined)
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      connections.use(request.socket);
      onUpgrade(request, socket, head);
    });
  // A peer may expect more than 100-continue (RFC 9110, section 10.1.1); this is no reason to answer in
  // Node's words.
  server.on('checkExpectation', options.listener);
  await listen(server, host, port);
  let closing: Promise<void> | undefined;
  return {
    server,
    url: `https://${urlHost(host)}${portPart((server.address() as AddressInfo).port)}`,
    connections: () => connections.count,
    close() {
      closing ??= closeGracefully(server, connections, graceMilliseconds);
      return closing;
    },
    replaceCertificate({ cert, key }) {
      server.setSecureContext({ cert, key, minVersion: MINIMUM_VERSION });
    },
    limitConnections(perAddress) {
      connections.most = perAddress;
    },
  };
}

/**
 * Reads certificate and key from PEM files, and checks that they belong together.
 * @throws ERR_TLS_FILE
 */
export async function readTlsFiles(certFile: string, keyFile: string): Promise<TlsIdentity> {
  const [cert, key] = await Promise.all([
    readPem('--tls-certificate', certFile, 'certificates'),
    readPem('--tls-key', keyFile, 'key'),
  ]);
  requirePair({ cert, key });
  return { cert, key };
}

/** TLS itself takes a certificate without any key, and then answers nobody. */
function requirePair({ cert, key }: TlsIdentity): void {
  asPair(() => {
    if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) throw new Error('two key pairs');
    createSecureContext({ cert, key, minVersion: MINIMUM_VERSION });
  });
}

const LOCAL_VALIDITY_MILLISECONDS = 7 * 24 * 3600 * 1000;

/**
 * Makes a self-signed certificate (EC P-256) with its key, for demonstrations and tests on one machine: it is
 * its own authority, valid for a week, and its key has been in this process's memory. It is not for
 * deployments.
 */
export async function createLocalCertificate(
  options: { readonly hosts: readonly [string, ...string[]] } = { hosts: ['localhost', '127.0.0.1', '::1'] },
): Promise<TlsIdentity> {
  const { generate } = await import('selfsigned'); // two hundred modules that no service needs
  const now = Date.now();
  const pems = await generate([{ name: 'commonName', value: options.hosts[0] }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notBeforeDate: new Date(now - 60_000), // for peers whose clock is a little behind
    notAfterDate: new Date(now + LOCAL_VALIDITY_MILLISECONDS),
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: options.hosts.map((host) =>
          isIP(host) === 0 ? ({ type: 2, value: host } as const) : ({ type: 7, ip: host } as const),
        ),
      },
    ],
  });
  return { cert: pems.cert, key: pems.private };
}

function makeServer({ cert, key, listener, handshakeMilliseconds }: ServerOptions): Server {
  const server = asPair(() =>
    createServer(
      {
        cert,
        key,
        minVersion: MINIMUM_VERSION,
        handshakeTimeout: handshakeMilliseconds ?? HANDSHAKE_TIMEOUT_MILLISECONDS,
        headersTimeout: HEADERS_TIMEOUT_MILLISECONDS,
        requestTimeout: REQUEST_TIMEOUT_MILLISECONDS,
        keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MILLISECONDS,
        connectionsCheckingInterval: CONNECTIONS_CHECK_MILLISECONDS,
        maxHeaderSize: MAX_HEADER_BYTES,
        requireHostHeader: false, // the application refuses requests without it, in its own words
      },
      listener,
    ),
  );
  server.timeout = SILENCE_TIMEOUT_MILLISECONDS;
  return server;
}

function asPair<T>(use: () => T): T {
  try {
    return use();
  } catch (cause) {
    throw new CodedError(COMMAND_CODES.ERR_TLS_FILE, 'certificate and key expected a matching pair in PEM', {
      cause,
    });
  }
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject).once('listening', resolve);
  server.listen({ host, port });
  try {
    await promise;
  } catch (cause) {
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown reason';
    throw new CodedError(SERVER_CODES.ERR_LISTEN, `cannot listen on ${urlHost(host)}:${port} (${reason})`, {
      cause,
    });
  } finally {
    server.off('error', reject);
  }
}

async function closeGracefully(server: Server, connections: Connections, grace: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  connections.cutUnused();
  // A connection that was in use when closing began stays open for its keep-alive time after its answer is
  // sent, so idle ones are looked for again and again.
  const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MILLISECONDS);
  const cut = setTimeout(() => connections.cutAll(), grace);
  await promise;
  clearInterval(sweep);
  clearTimeout(cut);
}

function urlHost(host: string): string {
  return isIPv6(host) ? `[${host}]` : host;
}

/**
 * Writes the port as clients do, whose proofs name the address: without the port that https has by default.
 */
function portPart(port: number): string {
  return port === 443 ? '' : `:${port}`;
}
