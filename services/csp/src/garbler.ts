/** The CSP's end of the two-party connection: a WebSocket, opened by an authenticated data user for one of its tasks. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { programOf } from '@eigenveil/projection';
import { type Authenticator, type Logger, type Metrics, type RateLimit, refuse } from '@eigenveil/server';
import { type Channel, ChannelAcceptor, TWO_PARTY_PROTOCOLS } from '@eigenveil/two-party';
import { ServiceError, TaskId, toProblem, type VerifiedProof } from '@eigenveil/wire';
import type { CspService, GarblerState } from './service.ts';

/** Tasks that are computed at a time; each holds some 20 MB and a share of a core. */
const MOST_COMPUTATIONS = 32;

const ROUTE = '/tasks/:taskId/two-party';
const PATH = /^\/tasks\/([^/]+)\/two-party$/;

export class Garbler {
  readonly #service: CspService;
  readonly #dataUser: Authenticator<VerifiedProof>;
  readonly #rateLimit: RateLimit;
  readonly #log: Logger;
  readonly #metrics: Metrics;
  readonly #acceptor = new ChannelAcceptor();
  /** One for each task: a data user that connects again has given the connection before up. */
  readonly #running = new Map<TaskId, Channel>();
  /** How many connections of each task are being opened or have not ended: a task takes one place, however often it connects. */
  readonly #connections = new Map<TaskId, number>();

  constructor(dependencies: {
    service: CspService;
    dataUser: Authenticator<VerifiedProof>;
    rateLimit: RateLimit;
    log: Logger;
    metrics: Metrics;
  }) {
    this.#service = dependencies.service;
    this.#dataUser = dependencies.dataUser;
    this.#rateLimit = dependencies.rateLimit;
    this.#log = dependencies.log;
    this.#metrics = dependencies.metrics;
    this.#service.onEnded((taskId) => void this.#running.get(taskId)?.abort('ERR_TASK_CLOSED'));
  }

  /** Listener for a server's `upgrade` event. */
  readonly onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    // Node hands the socket over without a listener of its own, and there is no WebSocket yet: a reset would be uncaught.
    socket.on('error', () => {});
    this.#open(request, socket, head).then(
      ([state, channel]) => this.#garble(state, channel),
      (error: unknown) => {
        this.#tellRefusal(error);
        refuse(socket, error);
      },
    );
  };

  close(): void {
    this.#acceptor.close();
  }

  /** Counted as other requests are. What is wrong in this service, its operator has to see; a peer's mistakes are no news. */
  #tellRefusal(error: unknown): void {
    const { code, status } = toProblem(error);
    this.#metrics.countProblem(ROUTE, code);
    if (status === 500) this.#log.error({ route: ROUTE, code, err: error }, 'two-party connection failed');
    else this.#log.info({ route: ROUTE, code }, 'two-party connection refused');
  }

  async #open(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<[GarblerState, Channel]> {
    await this.#rateLimit.admitUpgrade(request);
    const state = await this.#admit(request);
    const { id } = state.task;
    this.#takePlace(id);
    try {
      // The acceptor never answers for a peer that has hung up meanwhile.
      if (!socket.readable || !socket.writable)
        throw new ServiceError('ERR_CHANNEL_CLOSED', 'the peer hung up before the connection was open');
      return [state, await this.#acceptor.accept(request, socket, head)];
    } catch (error) {
      this.#leavePlace(id);
      throw error;
    }
  }

  /** At once, without waiting for anything in between: connections that come together cannot all find the last place free. */
  #takePlace(taskId: TaskId): void {
    const connections = this.#connections.get(taskId) ?? 0;
    if (connections === 0 && this.#connections.size >= MOST_COMPUTATIONS)
      throw new ServiceError('ERR_BUSY', `expected at most ${MOST_COMPUTATIONS} computations at a time`);
    this.#connections.set(taskId, connections + 1);
  }

  #leavePlace(taskId: TaskId): void {
    const left = this.#connections.get(taskId)! - 1;
    if (left > 0) this.#connections.set(taskId, left);
    else this.#connections.delete(taskId);
  }

  async #admit(request: IncomingMessage): Promise<GarblerState> {
    const [, id] = PATH.exec(request.url ?? '') ?? [];
    const taskId = TaskId.safeParse(id);
    if (!taskId.success) throw new ServiceError('ERR_ROUTE_UNKNOWN', 'expected /tasks/{taskId}/two-party');
    const { thumbprint } = await this.#dataUser.authenticate(request);
    return this.#service.garblerState(taskId.data, thumbprint);
  }

  async #garble({ task, shares, verifiedOwners }: GarblerState, channel: Channel): Promise<void> {
    void this.#running.get(task.id)?.close();
    this.#running.set(task.id, channel);
    try {
      const protocol = TWO_PARTY_PROTOCOLS[task.twoParty];
      if (!protocol.answersOnce) await this.#service.noteAnswer(task.id);
      const markAnswered = () => this.#service.markAnswered(task.id);
      const input = { shares, verifiedOwners, markAnswered };
      await protocol.garble(channel, { task, program: programOf(task) }, input);
      await channel.receive().catch(() => undefined); // the data user closes when it has what it needs
    } catch (error) {
      this.#log.warn(
        { err: error, taskId: task.id },
        'the two-party connection broke; the data user starts it again',
      );
    } finally {
      if (this.#running.get(task.id) === channel) this.#running.delete(task.id);
      this.#leavePlace(task.id);
      await channel.close();
    }
  }
}
