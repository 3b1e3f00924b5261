/** What the console asks of the data user that hands it out. */
import type { TaskCreation, TaskId } from '@eigenveil/task/schema';
import { type RenewalRequest, ResultResponse, SignedTask } from '@eigenveil/wire';
import {
  ConsoleSession,
  HEARTBEAT_MILLISECONDS,
  TaskList,
  TaskListLine,
  TaskOwners,
  TaskProgressLine,
  TaskStatus,
} from '@eigenveil/wire/console';
import type { z } from 'zod';
import { send, stream } from '../common/http.ts';
import { isRefusal, type Session } from './session.ts';

/** Longer silence of a stream is a broken line. */
const SILENCE = 3 * HEARTBEAT_MILLISECONDS;

/** @throws as send; ERR_AUTH_REQUIRED for a wrong token, ERR_BUSY or ERR_RATE_LIMITED after too many */
export function exchange(token: string): Promise<ConsoleSession> {
  return send({ method: 'POST', url: '/console/session', json: { token }, response: ConsoleSession });
}

export function renew(bearer: string): Promise<ConsoleSession> {
  return send({
    method: 'POST',
    url: '/console/session/renewal',
    bearer,
    json: {},
    response: ConsoleSession,
  });
}

/** All throw as `send` and `stream`. Each can be said again: the service does it once. */
export class ConsoleApi {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /** By the clock of the service. */
  now(): Date {
    return this.#session.now();
  }

  /** The tasks proposed last before this one. */
  older(taskId: TaskId, signal: AbortSignal): Promise<TaskList> {
    return this.#get(`/tasks/${taskId}/older`, TaskList, signal);
  }

  /** @throws ERR_TASK_UNKNOWN before the CSP has signed it, too */
  signed(taskId: TaskId, signal: AbortSignal): Promise<SignedTask> {
    return this.#get(`/tasks/${taskId}/signed`, SignedTask, signal);
  }

  /** @throws ERR_NOT_READY, ERR_TASK_CANCELLED, or that with which the task has failed */
  result(taskId: TaskId, signal: AbortSignal): Promise<ResultResponse> {
    return this.#get(`/tasks/${taskId}/result`, ResultResponse, signal);
  }

  /** Those after the one with this number. */
  owners(taskId: TaskId, after: number, signal: AbortSignal): Promise<TaskOwners> {
    const next = after === 0 ? '' : `/${after}/next`;
    return this.#get(`/tasks/${taskId}/owners${next}`, TaskOwners, signal);
  }

  create(creation: TaskCreation, signal: AbortSignal): Promise<SignedTask> {
    return this.#post('/tasks', creation, SignedTask, signal);
  }

  close(taskId: TaskId, signal: AbortSignal): Promise<TaskStatus> {
    return this.#post(`/tasks/${taskId}/close`, {}, TaskStatus, signal);
  }

  /** The next task of the series, made once. */
  renew(taskId: TaskId, json: RenewalRequest, signal: AbortSignal): Promise<SignedTask> {
    return this.#post(`/tasks/${taskId}/renewal`, json, SignedTask, signal);
  }

  cancel(taskId: TaskId, signal: AbortSignal): Promise<TaskStatus> {
    return this.#post(`/tasks/${taskId}/cancel`, {}, TaskStatus, signal);
  }

  followTask(taskId: TaskId, signal: AbortSignal): AsyncGenerator<TaskProgressLine> {
    return this.#stream(`/tasks/${taskId}/progress`, TaskProgressLine, signal);
  }

  followList(signal: AbortSignal): AsyncGenerator<TaskListLine> {
    return this.#stream('/progress', TaskListLine, signal);
  }

  #get<Schema extends z.ZodType>(url: string, response: Schema, signal: AbortSignal) {
    const { bearer } = this.#session;
    return this.#watched(send({ method: 'GET', url, bearer, response, signal }));
  }

  #post<Schema extends z.ZodType>(url: string, json: unknown, response: Schema, signal: AbortSignal) {
    const { bearer } = this.#session;
    return this.#watched(send({ method: 'POST', url, bearer, json, response, signal }));
  }

  async *#stream<Schema extends z.ZodType>(url: string, response: Schema, signal: AbortSignal) {
    const { bearer } = this.#session;
    try {
      yield* stream({ url, bearer, response, signal }, SILENCE);
    } catch (error) {
      this.#look(error);
      throw error;
    }
  }

  async #watched<Value>(answer: Promise<Value>): Promise<Value> {
    try {
      return await answer;
    } catch (error) {
      this.#look(error);
      throw error;
    }
  }

  /** A bearer that is refused is void: the page says so at once. */
  #look(error: unknown): void {
    if (isRefusal(error)) this.#session.end('void');
  }
}
