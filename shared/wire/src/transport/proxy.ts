/**
 * Outgoing connections by the HTTP proxy that the environment names: HTTPS_PROXY is its address, NO_PROXY
 * what is reached without it. The proxy carries TLS from end to end (CONNECT), so it sees the name and the
 * port of a service and nothing that is said.
 */
import { request as plainRequest } from 'node:http';
import { Agent, type AgentOptions, request as tlsRequest } from 'node:https';
import { BlockList, isIP, isIPv6 } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ConnectionOptions, connect } from 'node:tls';
import { CodedError } from '@eigenveil/platform';
import { CODES } from '../codes.ts';

const CONNECT_MILLISECONDS = 10_000;
const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

/**
 * The proxy for a service's address; undefined: none, as for what is neither https nor wss. Nothing on this
 * machine is reached by a proxy, which might be another machine.
 * @throws ERR_PROXY for an address of the proxy that cannot be one; the message does not repeat it, since it
 * may hold a password
 */
export function proxyFor(address: string): URL | undefined {
  const { https_proxy, HTTPS_PROXY, no_proxy, NO_PROXY } = process.env;
  const text = https_proxy ?? HTTPS_PROXY ?? '';
  const { protocol, hostname, port } = new URL(address);
  if (!/^(https|wss):$/.test(protocol)) return undefined;
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  if (text === '' || isLoopback(host) || isExcepted(host, port || '443', no_proxy ?? NO_PROXY ?? ''))
    return undefined;
  const proxy = URL.parse(text.includes('://') ? text : `http://${text}`);
  if (proxy === null || !/^https?:$/.test(proxy.protocol) || credentialsOf(proxy) === undefined)
    throw new CodedError(CODES.ERR_PROXY, '"HTTPS_PROXY" expected the address of a proxy, http or https');
  return proxy;
}

/** `user:password`, which an address has in percent-encoding; undefined where that is broken. */
function credentialsOf({ username, password }: URL): string | undefined {
  try {
    return `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  } catch {
    return undefined;
  }
}

function isLoopback(host: string): boolean {
  if (isIP(host) !== 0) return LOOPBACK.check(host, isIPv6(host) ? 'ipv6' : 'ipv4');
  return /(^|\.)localhost\.?$/.test(host);
}

/**
 * Names with commas or blanks between: each stands for itself and for what is below it, with a port for that
 * port alone; `*` for all.
 */
function isExcepted(host: string, port: string, list: string): boolean {
  return list.split(/[,\s]+/).some((entry) => {
    if (entry === '*') return true;
    const [, name = '', onlyPort = port] = isIPv6(entry) ? ['', entry] : /^(.*?)(?::(\d+))?$/.exec(entry)!;
    const excepted = name
      .toLowerCase()
      .replace(/^\*?\./, '')
      .replace(/^\[(.*)\]$/, '$1');
    return excepted !== '' && onlyPort === port && (host === excepted || host.endsWith(`.${excepted}`));
  });
}

/** The proxy has answered, and makes no connection. */
class ProxyRefused extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`the proxy answered ${status}`);
    this.status = status;
  }
}

/** The error of undici when a proxy does not answer with a connection. */
const UNDICI_REFUSAL = /^Proxy response \((\d+)\)/;

/**
 * Returns why there is no connection to `url` by a proxy, if the proxy itself has said so: its user has to
 * correct a user or a rule that it refuses, and a service that it does not reach may come back.
 */
export function proxyRefusal(url: string, error: unknown): CodedError | undefined {
  const status =
    error instanceof ProxyRefused
      ? error.status
      : Number(error instanceof Error && UNDICI_REFUSAL.exec(error.message)?.[1]);
  if (!status) return undefined;
  if (status >= 500)
    return new CodedError(
      CODES.ERR_PEER_UNREACHABLE,
      `${url} cannot be reached (the proxy answered ${status})`,
      {
        cause: error,
      },
    );
  const advice = status === 407 ? 'it expects a user and a password in HTTPS_PROXY' : 'ask its operator';
  return new CodedError(
    CODES.ERR_PROXY,
    `the proxy does not connect to ${url} (status ${status}): ${advice}`,
    {
      cause: error,
    },
  );
}

/** Returns an agent that connects by the proxy, for requests that undici cannot send; undefined: no proxy. */
export function proxyAgentFor(address: string): Agent | undefined {
  const proxy = proxyFor(address);
  return proxy && new TunnelAgent(proxy);
}

type Made = (error: Error | null, socket?: Duplex) => void;

class TunnelAgent extends Agent {
  readonly #proxy: URL;

  constructor(proxy: URL, options?: AgentOptions) {
    super(options);
    this.#proxy = proxy;
  }

  override createConnection(options: ConnectionOptions, made: Made): undefined {
    const { host = '', port } = options;
    const path = `${isIPv6(host) ? `[${host}]` : host}:${port}`;
    const { protocol, username } = this.#proxy;
    const credentials = credentialsOf(this.#proxy) ?? '';
    const opening = (protocol === 'https:' ? tlsRequest : plainRequest)({
      host: this.#proxy.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: this.#proxy.port || (protocol === 'https:' ? 443 : 80),
      method: 'CONNECT',
      path,
      headers: {
        host: path,
        ...(username !== '' && {
          'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}`,
        }),
      },
      agent: false,
      timeout: CONNECT_MILLISECONDS,
    });
    opening.once('connect', (response, socket) => {
      const status = response.statusCode ?? 0;
      if (status === 200) made(null, connect({ ...options, path: undefined, socket }));
      else {
        socket.destroy();
        made(new ProxyRefused(status));
      }
    });
    opening.once('timeout', () => opening.destroy(new Error('the proxy did not answer in time')));
    opening.once('error', made);
    opening.end();
    return undefined;
  }
}
