/**
 * The CSP's end of the two-party connection: a WebSocket, opened by an authenticated data user for one of its
 * tasks.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { CodedError } from '@eigenveil/platform';
import {
  type Authenticator,
  type Logger,
  type Metrics,
  type PeerNames,
  type RateLimit,
  refuse,
} from '@eigenveil/server';
import { programOf, type Task, TaskId } from '@eigenveil/task';
import { type Channel, ChannelAcceptor, TWO_PARTY_PROTOCOLS } from '@eigenveil/two-party';
import {
  CODES,
  type ErrorCode,
  errorCodeOf,
  type Thumbprint,
  toProblem,
  type VerifiedProof,
} from '@eigenveil/wire';
import { PARAMETER } from '@eigenveil/wire/routes';
import { TWO_PARTY_PATH } from '@eigenveil/wire/routes/csp/data-user';
import { answered } from './refusals.ts';
import type { CspService, TwoPartyState } from './service.ts';

/** Most tasks that are computed at a time; each holds some 20 MB and a share of a core. */
const MOST_COMPUTATIONS = 32;

/**
 * The interval of the checks whether a computation may go on: commands of the operator end tasks without this
 * service, and the settings name the data users.
 */
const LOOK_MILLISECONDS = 1000;

const PATH = new RegExp(`^${TWO_PARTY_PATH.replace(PARAMETER, '([^/]+)')}$`);

const MINUTE_MILLISECONDS = 60_000;

/**
 * The most two-party computations of one task that may start in a minute. A connection that breaks now and
 * then stays far below it.
 */
export class StartLimit {
  perMinute: number;
  readonly #now: () => number;
  /** The times at which each task's computations of the last minute have started, the earliest first. */
  readonly #starts = new Map<TaskId, readonly number[]>();

  /** @param now milliseconds since any one moment */
  constructor(perMinute: number, now: () => number = () => performance.now()) {
    this.perMinute = perMinute;
    this.#now = now;
  }

  /**
   * Counts a start.
   * @throws ERR_RATE_LIMITED; a data user that comes back after a while is admitted, however often it was
   *   refused before
   */
  admit(taskId: TaskId): void {
    const now = this.#now();
    const recent = (this.#starts.get(taskId) ?? []).filter((start) => start > now - MINUTE_MILLISECONDS);
    if (recent.length >= this.perMinute) {
      const retryAfterSeconds = Math.ceil((recent[0]! + MINUTE_MILLISECONDS - now) / 1000);
      throw new CodedError(
        CODES.ERR_RATE_LIMITED,
        `expected at most ${this.perMinute} two-party computations of a task a minute`,
        { retryAfterSeconds },
      );
    }
    this.#starts.set(taskId, [...recent, now]);
  }

  /** Forgets a task that has ended. */
  forget(taskId: TaskId): void {
    this.#starts.delete(taskId);
  }
}

/** A computation, on the connection that the data user opened last. */
interface Running {
  readonly channel: Channel;
  readonly dataUser: Thumbprint;
  /**
   * Set when the last answer of the task is given on this connection: no other connection can bring it, so
   * none may replace this one.
   */
  isLast: boolean;
}

export class TwoPartyServer {
  readonly #service: CspService;
  readonly #dataUser: Authenticator<VerifiedProof>;
  readonly #isAdmitted: (dataUser: Thumbprint) => boolean;
  readonly #rateLimit: RateLimit;
  readonly #startLimit: StartLimit;
  readonly #log: Logger;
  readonly #metrics: Metrics;
  readonly #peers: PeerNames;
  readonly #acceptor = new ChannelAcceptor();
  readonly #starts: ReturnType<Metrics['counter']>;
  readonly #answers: ReturnType<Metrics['counter']>;
  readonly #resumptions: ReturnType<Metrics['counter']>;
  /** One computation per task: a data user that connects again has given up the connection before. */
  readonly #running = new Map<TaskId, Running>();
  /**
   * The number of connections of each task that are being opened or have not ended: a task takes one place,
   * however often it connects.
   */
  readonly #connections = new Map<TaskId, number>();
  readonly #looking: NodeJS.Timeout;

  constructor(dependencies: {
    service: CspService;
    dataUser: Authenticator<VerifiedProof>;
    /** Says whether the settings, which may change, name the data user. */
    isAdmitted: (dataUser: Thumbprint) => boolean;
    rateLimit: RateLimit;
    startLimit: StartLimit;
    log: Logger;
    metrics: Metrics;
    peers: PeerNames;
  }) {
    this.#service = dependencies.service;
    this.#dataUser = dependencies.dataUser;
    this.#isAdmitted = dependencies.isAdmitted;
    this.#rateLimit = dependencies.rateLimit;
    this.#startLimit = dependencies.startLimit;
    this.#log = dependencies.log;
    this.#metrics = dependencies.metrics;
    this.#peers = dependencies.peers;
    this.#starts = this.#metrics.counter(
      'computations_started_total',
      'Two-party computations that started.',
    );
    this.#answers = this.#metrics.counter(
      'computations_answered_total',
      'Two-party computations that were answered.',
    );
    this.#resumptions = this.#metrics.counter(
      'computations_resumed_total',
      'Answers that were given before, and are given again, the same, after a line broke.',
    );
    this.#service.onEnded((taskId) => {
      this.#startLimit.forget(taskId);
      void this.#running.get(taskId)?.channel.abort('ERR_TASK_CLOSED');
    });
    this.#looking = setInterval(() => this.#lookAtAll(), LOOK_MILLISECONDS).unref();
  }

  /** Handles a server's `upgrade` event. */
  readonly onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    // Node.js hands the socket over without a listener, and there is no WebSocket yet: without this listener
    // a reset would be an uncaught error.
    socket.on('error', () => {});
    this.#open(request, socket, head).then(
      ([state, channel]) => this.#compute(state, channel),
      (error: unknown) => {
        this.#tellRefusal(error, request);
        refuse(socket, error);
      },
    );
  };

  close(): void {
    clearInterval(this.#looking);
    this.#acceptor.close();
  }

  /**
   * Checks all computations at once and waits for no peer: one that hangs would keep the others' connections
   * open.
   */
  #lookAtAll(): void {
    for (const [taskId, running] of this.#running)
      this.#obstacle(taskId, running).then(
        (code) => code && void running.channel.abort(code),
        (error: unknown) =>
          this.#log.error({ err: error, taskId }, 'it is not known whether the operator has ended this task'),
      );
  }

  /**
   * Returns the error with which a computation must be ended, if there is one. The task's secrets are
   * destroyed when it ends, so it gives no new answer; but the computation still has shares in memory.
   */
  async #obstacle(taskId: TaskId, { dataUser }: Running): Promise<ErrorCode | undefined> {
    if (!this.#isAdmitted(dataUser)) return 'ERR_AUTH_FORBIDDEN';
    return (await this.#service.hasEnded(taskId)) ? 'ERR_TASK_CLOSED' : undefined;
  }

  /**
   * Counts a refusal as other requests are counted. Only errors of this service are logged, since the
   * operator must see them; mistakes of a peer are not.
   */
  #tellRefusal(error: unknown, { socket }: IncomingMessage): void {
    const { code, status } = toProblem(error);
    this.#metrics.countProblem(TWO_PARTY_PATH, code);
    if (status === 500)
      this.#log.error({ route: TWO_PARTY_PATH, code, err: error }, 'two-party connection failed');
    else
      this.#log.info(
        { route: TWO_PARTY_PATH, code, peer: this.#peers.name(socket.remoteAddress) },
        'two-party connection refused',
      );
  }

  async #open(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<[TwoPartyState, Channel]> {
    await this.#rateLimit.admitUpgrade(request);
    const state = await this.#admit(request);
    const { id } = state.task;
    this.#startLimit.admit(id);
    this.#takePlace(id);
    try {
      // The acceptor never answers for a peer that has hung up meanwhile.
      if (!socket.readable || !socket.writable)
        throw new CodedError(CODES.ERR_CHANNEL_CLOSED, 'the peer hung up before the connection was open');
      return [state, await this.#acceptor.accept(request, socket, head)];
    } catch (error) {
      this.#leavePlace(id);
      throw error;
    }
  }

  /**
   * Takes a place without waiting for anything between the check and the count: otherwise connections that
   * come together could all find the last place free.
   */
  #takePlace(taskId: TaskId): void {
    const connections = this.#connections.get(taskId) ?? 0;
    if (connections === 0 && this.#connections.size >= MOST_COMPUTATIONS)
      throw new CodedError(CODES.ERR_BUSY, `expected at most ${MOST_COMPUTATIONS} computations at a time`);
    this.#connections.set(taskId, connections + 1);
  }

  #leavePlace(taskId: TaskId): void {
    const left = this.#connections.get(taskId)! - 1;
    if (left > 0) this.#connections.set(taskId, left);
    else this.#connections.delete(taskId);
  }

  async #admit(request: IncomingMessage): Promise<TwoPartyState> {
    const [, id] = PATH.exec(request.url ?? '') ?? [];
    const taskId = TaskId.safeParse(id);
    if (!taskId.success) throw new CodedError(CODES.ERR_ROUTE_UNKNOWN, 'expected /tasks/{taskId}/two-party');
    const { thumbprint } = await this.#dataUser.authenticate(request);
    return this.#service.twoPartyState(taskId.data, thumbprint);
  }

  async #compute({ task, shares, signs, verifiedOwners }: TwoPartyState, channel: Channel): Promise<void> {
    const running: Running = { channel, dataUser: task.dataUser, isLast: false };
    try {
      this.#takeOver(task.id, running);
      await this.#service.noteStart(task.id);
      this.#starts.inc();
      const protocol = TWO_PARTY_PROTOCOLS[task.twoParty];
      const answering = protocol.answersOnce
        ? { answer: await this.#service.keptAnswer(task.id), markAnswered: () => this.#markRun(task.id) }
        : { markAnswered: () => this.#markAnswered(task, running) };
      const input = { shares, signs, verifiedOwners, ...answering };
      await protocol.runCsp(channel, { task, program: programOf(task) }, input);
      await channel.receive().catch(() => undefined); // the data user closes when it has what it needs
    } catch (error) {
      this.#log.warn(
        { err: error, taskId: task.id },
        'the two-party connection broke; the data user starts it again',
      );
      if (errorCodeOf(error) === 'ERR_TASK_ANSWERED') await channel.abort('ERR_TASK_ANSWERED');
    } finally {
      if (this.#running.get(task.id) === running) this.#running.delete(task.id);
      this.#leavePlace(task.id);
      await channel.close();
    }
  }

  async #markAnswered(task: Task, running: Running): Promise<void> {
    running.isLast = true; // set first: the answer may be written down before this server knows
    running.isLast = (await this.#service.noteAnswer(task)) === 0;
    this.#answers.inc();
  }

  /** Writes down a run of the task's one answer, which is the same on every connection. */
  async #markRun(taskId: TaskId): Promise<void> {
    const runs = await this.#service.noteRun(taskId);
    if (runs === 1) return this.#answers.inc();
    this.#resumptions.inc();
    this.#log.info({ taskId, runs }, 'an answer is resumed: the same is given again');
  }

  /**
   * Ends the task's earlier connection.
   * @throws ERR_TASK_ANSWERED if the last answer is given on that one
   */
  #takeOver(taskId: TaskId, running: Running): void {
    const before = this.#running.get(taskId);
    if (before?.isLast) throw answered();
    void before?.channel.close();
    this.#running.set(taskId, running);
  }
}
