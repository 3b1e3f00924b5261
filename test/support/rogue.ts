/** A data user that does not keep to the protocol: it talks to the CSP by hand, with the credentials of a registered one. */
import { randomBytes } from 'node:crypto';
import { openSigningKey } from '@eigenveil/server';
import { newTaskId, type Task, type TaskProposal } from '@eigenveil/task';
import { type Channel, connectChannel } from '@eigenveil/two-party';
import {
  ContributionTree,
  type FixationRequest,
  type OwnerRecord,
  type Revocations,
  type SignedTask,
  type SigningKey,
  SPOKEN_VERSION,
  Thumbprint,
  VERSION_HEADER,
} from '@eigenveil/wire';
import { CSP_DATA_USER_ROUTES } from '@eigenveil/wire/routes/csp/data-user';
import { type Address, type Answer, credentials, payloadOf, send, sendAs } from './requests.ts';
import type { World } from './world.ts';

export class RogueDataUser {
  readonly key: SigningKey;
  readonly #csp: Address;
  readonly #cspThumbprint: Thumbprint;

  /** With `key` instead of that of the world's data user, which the CSP has registered. */
  static async of({ dataUserConfig, cspAddress }: World, key?: SigningKey): Promise<RogueDataUser> {
    const { dataDirectory, cspThumbprint } = dataUserConfig;
    return new RogueDataUser(cspAddress, cspThumbprint, key ?? (await openSigningKey(dataDirectory)));
  }

  private constructor(csp: Address, cspThumbprint: string, key: SigningKey) {
    this.#csp = csp;
    this.#cspThumbprint = Thumbprint.parse(cspThumbprint);
    this.key = key;
  }

  /** A task as this data user would propose it. */
  task(proposal: TaskProposal, changes: Partial<Task> = {}): Task {
    return {
      ...proposal,
      protocol: 'eigenveil/1',
      id: newTaskId(),
      csp: this.#cspThumbprint,
      dataUser: this.key.thumbprint,
      ...changes,
    };
  }

  propose(task: Task): Promise<Answer> {
    return sendAs(this.#csp, this, { method: 'POST', path: '/tasks', json: { task } });
  }

  /** Proposes a task that the CSP agrees to. */
  async agree(proposal: TaskProposal): Promise<SignedTask> {
    const task = this.task(proposal);
    const { json } = await this.propose(task);
    return { task, ...CSP_DATA_USER_ROUTES.propose.response.schema.parse(json) };
  }

  records(taskId: string, records: readonly string[]): Promise<Answer> {
    return sendAs(this.#csp, this, { method: 'POST', path: `/tasks/${taskId}/records`, json: { records } });
  }

  /** Asks to fix the task to just these records. */
  fix(taskId: string, records: readonly string[]): Promise<Answer> {
    const tree = new ContributionTree();
    const leaves = records.map((record) => payloadOf(record) as OwnerRecord);
    for (const leaf of leaves.toSorted((a, b) => (a.ownerId < b.ownerId ? -1 : 1))) tree.add(leaf);
    return this.fixTo(taskId, { verifiedOwners: tree.size, contributionsRoot: tree.root() });
  }

  fixTo(taskId: string, json: FixationRequest): Promise<Answer> {
    return sendAs(this.#csp, this, { method: 'POST', path: `/tasks/${taskId}/records/fixation`, json });
  }

  async revocations(): Promise<Revocations> {
    const { json } = await sendAs(this.#csp, this, { method: 'GET', path: '/revocations' });
    return payloadOf(String(json.list)) as Revocations;
  }

  unblind(taskId: string, body: Uint8Array): Promise<Answer> {
    return sendAs(this.#csp, this, { method: 'POST', path: `/tasks/${taskId}/unblinding`, body });
  }

  countersign(taskId: string, projectionDigest: string): Promise<Answer> {
    const path = `/tasks/${taskId}/countersignature`;
    return sendAs(this.#csp, this, { method: 'POST', path, json: { projectionDigest } });
  }

  end(taskId: string): Promise<Answer> {
    return sendAs(this.#csp, this, { method: 'DELETE', path: `/tasks/${taskId}` });
  }

  /** Asks for the two-party connection and returns the refusal; headers replace the proof of who asks. */
  async connect(taskId: string, headers?: Record<string, string>): Promise<Answer> {
    const message = { method: 'GET', path: `/tasks/${taskId}/two-party` };
    const proof = headers ?? (await credentials(this.#csp, this, message));
    return send(this.#csp, { ...message, headers: { ...proof, ...upgradeHeaders() } });
  }

  /** Opens the two-party connection and keeps it. Throws ChannelRefused. */
  async open(taskId: string): Promise<Channel> {
    const message = { method: 'GET', path: `/tasks/${taskId}/two-party` };
    const proof = await credentials(this.#csp, this, message);
    const headers = { ...proof, [VERSION_HEADER]: `${SPOKEN_VERSION}` };
    const url = `${this.#csp.url.replace(/^https/, 'wss')}${message.path}`;
    return connectChannel({ url, headers, ca: this.#csp.ca });
  }
}

/** What asks for a WebSocket. */
export function upgradeHeaders(): Record<string, string> {
  return {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': randomBytes(16).toString('base64'),
  };
}
