/** The operator of the data user, who uses a connection of its own for every request: none is left that a death could break. */
import { readFile } from 'node:fs/promises';
import { adminTokenFile } from '@eigenveil/server';
import type { TaskCreation, TaskId } from '@eigenveil/task';
import {
  JwkSet,
  PROJECTION,
  type Projection,
  ResultResponse,
  SignedTask,
  TaskStatus,
  verifyStatement,
} from '@eigenveil/wire';
import { type Address, type Message, send } from '../requests.ts';
import { SimulationFailure } from './failure.ts';

export class Operator {
  readonly #address: Address;
  readonly #token: string;

  static async of(address: Address, dataDirectory: string): Promise<Operator> {
    return new Operator(address, (await readFile(adminTokenFile(dataDirectory), 'utf8')).trim());
  }

  private constructor(address: Address, token: string) {
    this.#address = address;
    this.#token = token;
  }

  /** The request with what shows that it is the operator's. */
  signed({ method, path, body }: Message): Message {
    const headers = { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' };
    return { method, path, headers, body };
  }

  async create(proposal: TaskCreation): Promise<SignedTask> {
    return SignedTask.parse(
      await this.#ask({ method: 'POST', path: '/tasks', body: JSON.stringify(proposal) }),
    );
  }

  async status(taskId: TaskId): Promise<TaskStatus> {
    return TaskStatus.parse(await this.#ask({ method: 'GET', path: `/tasks/${taskId}/status` }));
  }

  async cancel(taskId: TaskId): Promise<void> {
    await this.#ask({ method: 'POST', path: `/tasks/${taskId}/cancel`, body: '{}' });
  }

  /** The projection, its signature verified. */
  async result(taskId: TaskId): Promise<Projection> {
    const { keys } = JwkSet.parse(await this.#ask({ method: 'GET', path: '/.well-known/jwks.json' }));
    const answer = await this.#ask({ method: 'GET', path: `/tasks/${taskId}/result` });
    return verifyStatement(PROJECTION, ResultResponse.parse(answer).projection, keys[0]!);
  }

  async #ask(message: Message): Promise<unknown> {
    const { status, json, text } = await send(this.#address, this.signed(message));
    if (status >= 300)
      throw new SimulationFailure(`${message.method} ${message.path} was answered with ${status}: ${text}`);
    return json;
  }
}
