/**
 * The data user's way to the CSP: its pinned identity, the requests of the protocol, the two-party channel, and how
 * long its certificate is accepted.
 */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { type Logger, lookAtPeer, type Metrics, timesOf, ValidityTeller } from '@eigenveil/server';
import type { TaskId } from '@eigenveil/task';
import { type Channel, ChannelRefused, connectChannel } from '@eigenveil/two-party';
import {
  certificateError,
  clientClassOf,
  errorFromProblem,
  OLDEST_SERVER_VERSION,
  PublicJwk,
  pinnedCspKey,
  type ServiceAddress,
  type SigningKey,
  type Thumbprint,
  thumbprintOf,
} from '@eigenveil/wire';
import { proxyAgentFor } from '@eigenveil/wire/proxy';
import { CSP_DATA_USER_ROUTES, TWO_PARTY_PATH } from '@eigenveil/wire/routes/csp/data-user';

interface CspClientOptions extends ServiceAddress {
  readonly key: SigningKey;
  /** The pinned thumbprint of the CSP's identity key. */
  readonly thumbprint: Thumbprint;
  /** The file that keeps the identity key, so that collection goes on while the CSP is down. */
  readonly identityFile: string;
  /** The time, in milliseconds, for which a request goes on trying while the CSP cannot be reached. */
  readonly patienceMilliseconds: number;
  readonly traceparent?: () => string | undefined;
}

export class CspClient extends clientClassOf(CSP_DATA_USER_ROUTES) {
  readonly thumbprint: Thumbprint;
  readonly #identityFile: string;
  #ca: string | undefined;
  readonly #channels = new Set<Channel>();
  readonly #closing = new AbortController();
  #identity: Promise<PublicJwk> | undefined;

  constructor({ key, thumbprint, identityFile, ...options }: CspClientOptions) {
    super({ ...options, credentials: { kind: 'key', key }, oldestPeer: OLDEST_SERVER_VERSION });
    this.thumbprint = thumbprint;
    this.#identityFile = identityFile;
    this.#ca = options.ca;
  }

  /**
   * Returns the CSP's identity key, checked against the pinned thumbprint.
   * @throws ERR_CSP_IDENTITY
   */
  async identity(): Promise<PublicJwk> {
    // Requests that come at the same time right after the start share one look: otherwise each would
    // overwrite the file of the others.
    this.#identity ??= this.#findIdentity().catch((error: unknown) => {
      this.#identity = undefined;
      throw error;
    });
    return this.#identity;
  }

  /** Trusts other certificates for connections from now on; a two-party computation under way goes on. */
  override trust(ca: string | undefined): void {
    this.#ca = ca;
    super.trust(ca);
  }

  async openChannel(taskId: TaskId): Promise<Channel> {
    const path = TWO_PARTY_PATH.replace(':taskId', taskId);
    const headers = await this.introduce('GET', path);
    const url = `${this.url.replace(/^https/, 'wss')}${path}`;
    const { signal } = this.#closing;
    const agent = proxyAgentFor(url);
    const channel = await connectChannel({ url, headers, ca: this.#ca, agent, signal }).catch(
      (error: unknown) => {
        throw error instanceof ChannelRefused ? (errorFromProblem(error.body) ?? error) : error;
      },
    );
    this.#channels.add(channel);
    // If the client was closed meanwhile, nobody else would close this channel.
    if (signal.aborted) await this.closeChannel(channel);
    return channel;
  }

  async closeChannel(channel: Channel): Promise<void> {
    this.#channels.delete(channel);
    await channel.close();
  }

  /** Breaks off requests and two-party connections, so that nobody waits for a silent CSP. */
  override async close(): Promise<void> {
    this.#closing.abort(); // also ends attempts to connect
    await Promise.all([super.close(), ...[...this.#channels].map((channel) => this.closeChannel(channel))]);
  }

  async #findIdentity(): Promise<PublicJwk> {
    return (await this.#storedIdentity()) ?? (await this.#fetchIdentity());
  }

  async #storedIdentity(): Promise<PublicJwk | undefined> {
    const text = await readFile(this.#identityFile, 'utf8').catch(() => undefined);
    if (text === undefined) return undefined;
    try {
      const key = PublicJwk.parse(JSON.parse(text));
      return (await thumbprintOf(key)) === this.thumbprint ? key : undefined;
    } catch {
      return undefined; // damaged, so it is fetched again
    }
  }

  async #fetchIdentity(): Promise<PublicJwk> {
    const key = await pinnedCspKey(this, this.thumbprint);
    await writeFile(`${this.#identityFile}.new`, JSON.stringify(key));
    await rename(`${this.#identityFile}.new`, this.#identityFile);
    return key;
  }
}

const LOOK_MILLISECONDS = 6 * 3_600_000;

/**
 * The CSP's certificate as this data user sees it. When it is refused, or soon will be, no task goes on, and
 * the CSP's operator may not know.
 */
export class CspCertificate {
  readonly #url: string;
  readonly #ca: () => string | undefined;
  readonly #log: Logger;
  readonly #teller: ValidityTeller;
  #expires = Number.NaN;
  #isAccepted = Number.NaN;
  #timer: NodeJS.Timeout | undefined;
  readonly #stopping = new AbortController();

  constructor(dependencies: {
    readonly url: string;
    /** Returns PEM certificates to trust at the moment instead of the system's. */
    readonly ca: () => string | undefined;
    readonly metrics: Metrics;
    readonly log: Logger;
  }) {
    const { url, ca, metrics, log } = dependencies;
    this.#url = url;
    this.#ca = ca;
    this.#log = log;
    this.#teller = new ValidityTeller(
      log,
      (validity) => `the CSP's certificate ${validity}: tell its operator`,
    );
    metrics.gauge(
      'csp_certificate_expiry_seconds',
      "When the CSP's certificate expires, in seconds since 1970; NaN before it was seen.",
      () => this.#expires,
    );
    metrics.gauge(
      'csp_certificate_accepted',
      "Whether the CSP's certificate was accepted when it was last seen: 1 or 0; NaN before.",
      () => this.#isAccepted,
    );
  }

  /** Looks now and four times a day. */
  watch(): void {
    void this.look();
    this.#timer = setInterval(() => void this.look(), LOOK_MILLISECONDS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#stopping.abort();
  }

  /** Looks at the certificate. It never throws: requests to a CSP that is down fail where it matters. */
  async look(): Promise<void> {
    const { signal } = this.#stopping;
    try {
      const times = timesOf((await lookAtPeer(this.#url, '/healthz', this.#ca(), signal)).certificate);
      this.#expires = times.expires.getTime() / 1000;
      this.#isAccepted = 1;
      this.#teller.look(times);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      const refusal = certificateError(this.#url, code, error);
      if (refusal === undefined) return;
      this.#isAccepted = 0;
      this.#log.error({ err: refusal }, "the CSP's certificate is not accepted: no task goes on");
    }
  }
}
