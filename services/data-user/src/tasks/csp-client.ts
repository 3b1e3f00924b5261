/** The data user's line to the CSP: the CSP's pinned identity, the requests of the protocol, the two-party channel. */
import { readFile, rename, writeFile } from 'node:fs/promises';
import type { Task, TaskId } from '@eigenveil/task';
import { type Channel, ChannelRefused, connectChannel } from '@eigenveil/two-party';
import {
  AgreementResponse,
  CountersignatureResponse,
  type Digest,
  errorFromProblem,
  type FixationRequest,
  FixationResponse,
  OLDEST_SERVER_VERSION,
  PublicJwk,
  pinnedCspKey,
  RECORDS_PER_REQUEST,
  RecordsResponse,
  RevocationsResponse,
  ServiceClient,
  type SignedLink,
  type SigningKey,
  type TaskRequest,
  type Thumbprint,
  thumbprintOf,
  UnblindingResponse,
} from '@eigenveil/wire';
import { proxyAgentFor } from '@eigenveil/wire/proxy';
import { z } from 'zod';

export interface CspClientOptions {
  readonly url: string;
  readonly ca?: string | undefined;
  readonly key: SigningKey;
  /** The pinned thumbprint of the CSP's identity key. */
  readonly thumbprint: Thumbprint;
  /** Where the identity key is kept, so that collection goes on while the CSP is down. */
  readonly identityFile: string;
  /** How long a request goes on trying while the CSP cannot be reached, in milliseconds. */
  readonly patienceMilliseconds: number;
  readonly traceparent?: () => string | undefined;
}

export class CspClient {
  readonly thumbprint: Thumbprint;
  readonly #options: CspClientOptions;
  #ca: string | undefined;
  readonly #client: ServiceClient;
  readonly #channels = new Set<Channel>();
  readonly #closing = new AbortController();
  #identity: Promise<PublicJwk> | undefined;

  constructor(options: CspClientOptions) {
    this.thumbprint = options.thumbprint;
    this.#options = options;
    this.#ca = options.ca;
    this.#client = new ServiceClient({
      url: options.url,
      ca: options.ca,
      credentials: { kind: 'key', key: options.key },
      patienceMilliseconds: options.patienceMilliseconds,
      ...(options.traceparent && { traceparent: options.traceparent }),
      oldestPeer: OLDEST_SERVER_VERSION,
    });
  }

  /**
   * The CSP's identity key, checked against the pinned thumbprint.
   * @throws ERR_CSP_IDENTITY
   */
  async identity(): Promise<PublicJwk> {
    // Requests that come together right after the start share one look: each would write the file under the others.
    this.#identity ??= this.#findIdentity().catch((error: unknown) => {
      this.#identity = undefined;
      throw error;
    });
    return this.#identity;
  }

  /** Trusts other certificates for connections from now on; a two-party computation under way goes on. */
  trust(ca: string | undefined): void {
    this.#ca = ca;
    this.#client.trust(ca);
  }

  /** @param refined what a sketch refines, of which the CSP makes Ω, too */
  async agree(task: Task, refined?: SignedLink): Promise<string> {
    const response = AgreementResponse;
    const json: z.infer<typeof TaskRequest> = { task, ...(refined && { refined }) };
    return (await this.#client.send({ method: 'POST', path: '/tasks', json, response })).agreement;
  }

  /** Sends owner-signed records, at most RECORDS_PER_REQUEST of them; returns how many owners the CSP has verified. */
  async sendRecords(taskId: TaskId, records: readonly string[]): Promise<number> {
    if (records.length > RECORDS_PER_REQUEST) {
      throw new RangeError(`"records" expected at most ${RECORDS_PER_REQUEST}, got ${records.length}`);
    }
    const path = `/tasks/${taskId}/records`;
    return (await this.#client.send({ method: 'POST', path, json: { records }, response: RecordsResponse }))
      .verifiedOwners;
  }

  /** Has the CSP fix a task's set of records, if it is exactly this one; the same again is the same answer. */
  async fixRecords(taskId: TaskId, { verifiedOwners, contributionsRoot }: FixationRequest): Promise<void> {
    const path = `/tasks/${taskId}/records/fixation`;
    const json: FixationRequest = { verifiedOwners, contributionsRoot };
    await this.#client.send({ method: 'POST', path, json, response: FixationResponse });
  }

  /** The CSP's signed list of revoked owners, as JWS, not verified yet. */
  async revocations(): Promise<string> {
    const response = RevocationsResponse;
    return (await this.#client.send({ method: 'GET', path: '/revocations', response })).list;
  }

  /** Returns the CSP's signed statement. */
  async unblind(taskId: TaskId, blinded: Uint8Array): Promise<string> {
    const path = `/tasks/${taskId}/unblinding`;
    return (await this.#client.send({ method: 'POST', path, bytes: blinded, response: UnblindingResponse }))
      .statement;
  }

  /** Returns the CSP's signature of a projection's salted digest. */
  async countersign(taskId: TaskId, projectionDigest: Digest): Promise<string> {
    const path = `/tasks/${taskId}/countersignature`;
    const response = CountersignatureResponse;
    return (await this.#client.send({ method: 'POST', path, json: { projectionDigest }, response }))
      .countersignature;
  }

  async openChannel(taskId: TaskId): Promise<Channel> {
    const path = `/tasks/${taskId}/two-party`;
    const headers = await this.#client.introduce('GET', path);
    const url = `${this.#client.url.replace(/^https/, 'wss')}${path}`;
    const { signal } = this.#closing;
    const agent = proxyAgentFor(url);
    const channel = await connectChannel({ url, headers, ca: this.#ca, agent, signal }).catch(
      (error: unknown) => {
        throw error instanceof ChannelRefused ? (errorFromProblem(error.body) ?? error) : error;
      },
    );
    this.#channels.add(channel);
    // Closed meanwhile: nobody else would close this one.
    if (signal.aborted) await this.closeChannel(channel);
    return channel;
  }

  async closeChannel(channel: Channel): Promise<void> {
    this.#channels.delete(channel);
    await channel.close();
  }

  /** Tells the CSP that the task has ended, so that it destroys the task's secrets. */
  async end(taskId: TaskId): Promise<void> {
    await this.#client.send({ method: 'DELETE', path: `/tasks/${taskId}`, response: z.undefined() });
  }

  /** Breaks off requests and two-party connections, so that nobody waits for a silent CSP. */
  async close(): Promise<void> {
    this.#closing.abort(); // what is still connecting, too
    await Promise.all([
      this.#client.close(),
      ...[...this.#channels].map((channel) => this.closeChannel(channel)),
    ]);
  }

  async #findIdentity(): Promise<PublicJwk> {
    return (await this.#storedIdentity()) ?? (await this.#fetchIdentity());
  }

  async #storedIdentity(): Promise<PublicJwk | undefined> {
    const text = await readFile(this.#options.identityFile, 'utf8').catch(() => undefined);
    if (text === undefined) return undefined;
    try {
      const key = PublicJwk.parse(JSON.parse(text));
      return (await thumbprintOf(key)) === this.thumbprint ? key : undefined;
    } catch {
      return undefined; // damaged, so it is fetched again
    }
  }

  async #fetchIdentity(): Promise<PublicJwk> {
    const key = await pinnedCspKey(this.#client, this.thumbprint);
    const { identityFile } = this.#options;
    await writeFile(`${identityFile}.new`, JSON.stringify(key));
    await rename(`${identityFile}.new`, identityFile);
    return key;
  }
}
