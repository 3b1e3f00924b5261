/** A data user that does not keep to the protocol: it talks to the CSP by hand, with the credentials of a registered one. */
import { randomBytes } from 'node:crypto';
import type { OwnerHome } from '@eigenveil/data-owner';
import { openSigningKey } from '@eigenveil/server';
import type { Statistics } from '@eigenveil/statistics';
import {
  AgreementResponse,
  type SignedTask,
  type SigningKey,
  type Task,
  TaskId,
  type TaskProposal,
  Thumbprint,
} from '@eigenveil/wire';
import { type Address, type Answer, contributionOf, proofHeaders, send, sendAs } from './requests.ts';
import type { World } from './world.ts';

export class RogueDataUser {
  readonly key: SigningKey;
  readonly #csp: Address;
  readonly #cspThumbprint: Thumbprint;

  constructor(csp: Address, cspThumbprint: string, key: SigningKey) {
    this.#csp = csp;
    this.#cspThumbprint = Thumbprint.parse(cspThumbprint);
    this.key = key;
  }

  /** With the key of the world's data user, which the CSP has registered. */
  static async of(world: World): Promise<RogueDataUser> {
    const key = await openSigningKey(world.dataUserConfig.dataDirectory);
    return new RogueDataUser(world.cspAddress, world.dataUserConfig.cspThumbprint, key);
  }

  /** A task that this data user would propose. */
  task(proposal: TaskProposal, changes: Partial<Task> = {}): Task {
    return {
      ...proposal,
      protocol: 'eigenveil/1',
      id: TaskId.parse(randomBytes(16).toString('base64url')),
      csp: this.#cspThumbprint,
      dataUser: this.key.thumbprint,
      ...changes,
    };
  }

  propose(task: Task): Promise<Answer> {
    return sendAs(this.#csp, this.key, { method: 'POST', path: '/tasks', json: { task } });
  }

  /** Proposes a task that the CSP must agree to. */
  async agree(task: Task): Promise<SignedTask> {
    const { json } = await this.propose(task);
    return { task, ...AgreementResponse.parse(json) };
  }

  records(taskId: TaskId, records: readonly string[]): Promise<Answer> {
    return sendAs(this.#csp, this.key, {
      method: 'POST',
      path: `/tasks/${taskId}/records`,
      json: { records },
    });
  }

  unblind(taskId: TaskId, body: Uint8Array): Promise<Answer> {
    return sendAs(this.#csp, this.key, { method: 'POST', path: `/tasks/${taskId}/unblinding`, body });
  }

  end(taskId: TaskId): Promise<Answer> {
    return sendAs(this.#csp, this.key, { method: 'DELETE', path: `/tasks/${taskId}` });
  }

  /** Asks for the two-party connection and returns the refusal; without `proof` the request does not say who asks. */
  async connect(taskId: string, proof = true): Promise<Answer> {
    const message = { method: 'GET', path: `/tasks/${taskId}/two-party` };
    const headers = proof ? await proofHeaders(this.#csp, this.key, message) : {};
    return send(this.#csp, {
      ...message,
      headers: {
        ...headers,
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': randomBytes(16).toString('base64'),
      },
    });
  }

  /** Records of honest owners, one each, and one owner's ciphertexts, which can stand for a blinded aggregate. */
  static async contributionsOf(
    signed: SignedTask,
    homes: readonly OwnerHome[],
    statistics: readonly Statistics[],
  ): Promise<{ bytes: Uint8Array; record: string }[]> {
    return Promise.all(homes.map((home, i) => contributionOf(signed, home, statistics[i]!)));
  }
}
