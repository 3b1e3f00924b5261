/**
 * One simulated run: a task is proposed, things happen to it, everything works again, and the task must come to its end.
 *
 * A run fails
 * - when an answer has no explanation: what was told to owners and the operator must come of some order of the requests that
 *   ran at once, where a request without an answer was carried out once or not at all (model.ts). So an owner's same bytes get
 *   its one receipt, to the letter, and other bytes a conflict; a withdrawal is final; too few owners cannot be closed;
 * - when a request has no answer although nothing was in its way, or one of 500 or above, or none of the stable codes;
 * - when the result does not count, once each, exactly the contributions of some explanation: with their number of samples
 *   (rows.ts) and with the projection of their rows;
 * - when a mended task is not done, cancelled or failed before long, or the CSP has not ended every task and wiped its secrets. It
 *   may fail only if the CSP has given it up after its time;
 * - when the CSP has decrypted two requests for a task, or was asked to, or its audit log is broken;
 * - when a service dies of anything but its SIGKILL, or logs a fault of its own or an error without a stable code.
 *
 * Not deterministic, so that a seed may pass the second time: keys, encryption and blinding; how far the computation is
 * when the next operation comes; the order of requests that run at once, and where a kill after some milliseconds strikes.
 * Crash points are deterministic as far as what the process writes before them is. The database survives a SIGKILL of its
 * process by the kernel's hand: whether it survives a power cut is not tried here.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { readAudit, verifyAudit } from '@eigenveil/csp';
import { newTaskId, TaskId } from '@eigenveil/task';
import type { ErrorCode, Projection, SignedTask, TaskStatus } from '@eigenveil/wire';
import { query } from '../database.ts';
import { expectReference } from '../expectations.ts';
import { SimulationFailure } from './failure.ts';
import {
  type Belief,
  type Conditions,
  type Held,
  initialBelief,
  type Observation,
  observe,
} from './model.ts';
import {
  type Message,
  type Operation,
  OWNERS,
  type Request,
  type RequestFault,
  type Scenario,
  type ServiceName,
} from './operations.ts';
import { Requests } from './requests.ts';
import { countedIn, proposalOf, rowsOf } from './rows.ts';
import { MESSAGES, SERVICES, type Services } from './services.ts';

/** What a run comes to. */
export interface Finished {
  readonly end: 'done' | 'cancelled' | 'failed';
  readonly operations: number;
  readonly requests: number;
  readonly lost: number;
  readonly deaths: number;
}

const HOUR_MILLISECONDS = 3_600_000;
const POLL_MILLISECONDS = 25;
/** How long an operation waits at most for the computation to go on. */
const WAIT_MILLISECONDS = 15_000;
/** Within which the data user has written down that the task has ended at the CSP. */
const LAST_WRITE_MILLISECONDS = 300;
/** Far longer than the longest pause between two attempts after so short a run. */
const END_MILLISECONDS = 40_000;
/** Of the CSP's tasks, or with a secret that should be gone. */
const UNENDED = `state <> 'ended' OR sealed_secret_key IS NOT NULL OR sealed_shares IS NOT NULL`;

export async function run(services: Services, scenario: Scenario): Promise<Finished> {
  await services.begin();
  const deathsBefore = services.deaths;
  const signed = await propose(services, scenario);
  const simulation = new Run(services, scenario, signed);
  for (const operation of scenario.operations) await simulation.carryOut(operation);
  const end = await simulation.finish();
  const { sent, lost } = simulation.tally;
  const operations = scenario.operations.length;
  return { end, operations, requests: sent, lost, deaths: services.deaths - deathsBefore };
}

/** Under what `creation` says, and then again until it is open: it is one task, however often that is said. */
async function propose(services: Services, scenario: Scenario): Promise<SignedTask> {
  const { creation } = scenario;
  if (creation?.kind === 'disturb') services.disturb(creation.message, creation.fault, creation.times);
  if (creation?.kind === 'crash') await services.arm(creation.service, creation.point);
  const { operator } = services;
  const proposal = { ...proposalOf(scenario), id: newTaskId() };
  const until = Date.now() + END_MILLISECONDS;
  try {
    for (;;) {
      const signed = await operator.create(proposal).catch((error: unknown) => {
        if (creation === null || Date.now() > until) throw error;
      });
      if (signed !== undefined) return signed;
      await services.heal();
      await sleep(POLL_MILLISECONDS);
    }
  } finally {
    await services.heal();
  }
}

class Run {
  readonly #services: Services;
  readonly #scenario: Scenario;
  readonly #signed: SignedTask;
  readonly #requests: Requests;
  readonly #downFor = new Map<ServiceName, number>();
  #beliefs: Belief[] = [initialBelief(OWNERS)];

  constructor(services: Services, scenario: Scenario, signed: SignedTask) {
    this.#services = services;
    this.#scenario = scenario;
    this.#signed = signed;
    this.#requests = new Requests(services, signed);
  }

  get tally() {
    return this.#requests.tally;
  }

  async carryOut(operation: Operation): Promise<void> {
    await this.#startAgain();
    const services = this.#services;
    switch (operation.kind) {
      case 'request':
        return this.#ask([operation.request], operation.fault);
      case 'at once':
        return this.#ask(operation.requests, null, operation.killed);
      case 'disturb':
        return services.disturb(operation.message, operation.fault, operation.times);
      case 'kill':
        this.#downFor.set(operation.service, operation.downFor);
        return services.kill(operation.service);
      case 'crash':
        return services.arm(operation.service, operation.point);
      case 'advance clock':
        return services.advanceClock(operation.hours * HOUR_MILLISECONDS);
      case 'wait':
        return this.#waitUntil(operation.until);
    }
  }

  /** Mends everything and brings the task to its end, which must be one that the beliefs allow. */
  async finish(): Promise<Finished['end']> {
    await this.#services.heal();
    await this.#ask([{ kind: 'status' }], null);
    if (this.#beliefs.some(({ phase }) => phase === 'open')) await this.#closeOrCancel();
    const status = await this.#untilFinal();
    await this.#ask([{ kind: 'status' }, { kind: 'result' }], null);
    const end = status.state as Finished['end'];
    if (end === 'failed' && !this.#conditions().allowedFailures.has(status.failure!.code))
      throw new SimulationFailure(`the task failed: ${status.failure!.code}: ${status.failure!.message}`);
    if (end === 'done') await this.#checkResult();
    await this.#checkCsp();
    const complaints = this.#services.takeComplaints();
    if (complaints.length > 0)
      throw new SimulationFailure(`the services complained:\n${complaints.join('\n')}`);
    return end;
  }

  async #closeOrCancel(): Promise<void> {
    await this.#ask([{ kind: 'close' }], null);
    if (this.#beliefs.some(({ phase }) => phase === 'open')) await this.#ask([{ kind: 'cancel' }], null);
  }

  /** Sends requests at once; what comes of them must have an explanation. */
  async #ask(
    requests: readonly Request[],
    fault: RequestFault | null,
    killed: number | null = null,
  ): Promise<void> {
    const asked = requests.map((request) => this.#requests.observe(request, fault));
    if (killed !== null) {
      await sleep(killed);
      await this.#services.kill('data user');
    }
    const observations = await Promise.all(asked);
    const next = observe(this.#beliefs, observations, this.#conditions());
    if (next.length === 0) throw new SimulationFailure(explain(this.#beliefs, observations));
    this.#beliefs = next;
  }

  #conditions(): Conditions {
    const { minimumOwners, maximumOwners } = this.#scenario;
    const { deadline } = this.#signed.task;
    const allowedFailures = new Set<ErrorCode>();
    if (this.#services.hasSweptAfter(deadline)) allowedFailures.add('ERR_TASK_CLOSED');
    const isLate = this.#services.now > new Date(deadline).getTime();
    const isAbandoned = this.#services.isAbandoned(deadline);
    return { minimumOwners, maximumOwners, isLate, isAbandoned, allowedFailures };
  }

  /** Starts what has been down for long enough, and what has died of itself. */
  async #startAgain(): Promise<void> {
    for (const service of SERVICES) {
      if (this.#services.isRunning(service)) continue;
      const operations = this.#downFor.get(service) ?? 0;
      this.#downFor.set(service, operations - 1);
      if (operations > 0) continue;
      this.#downFor.delete(service);
      await this.#services.start(service);
    }
  }

  /** Only for what may still happen: a computation does not go on while a service is down. */
  async #waitUntil(what: Message | 'death'): Promise<void> {
    const services = this.#services;
    const { seen } = services.world.proxies.csp;
    const isThere = () =>
      what === 'death'
        ? !services.isAnyDoomed
        : seen.some(({ name }) => MESSAGES[what].test(name) && this.#isMine(name));
    const isComputing = () =>
      services.areAllRunning && this.#beliefs.some(({ phase }) => phase === 'closed' || phase === 'done');
    const until = Date.now() + WAIT_MILLISECONDS;
    while (isComputing() && !isThere() && Date.now() < until) {
      const isOver = !this.#unendedAtCsp().includes(this.#signed.task.id);
      await sleep(isOver ? LAST_WRITE_MILLISECONDS : POLL_MILLISECONDS);
      if (isOver) return;
    }
  }

  #isMine(name: string): boolean {
    return name.includes(this.#signed.task.id);
  }

  async #untilFinal(): Promise<TaskStatus> {
    const { operator } = this.#services;
    const { id } = this.#signed.task;
    const until = Date.now() + END_MILLISECONDS;
    for (;;) {
      const status = await operator.status(id);
      const unended = this.#unendedAtCsp();
      if (isFinal(status) && unended.length === 0) return status;
      if (Date.now() > until)
        throw new SimulationFailure(
          `never ended: ${JSON.stringify(status)}, at the CSP ${unended.join(', ')}`,
        );
      await sleep(POLL_MILLISECONDS);
    }
  }

  /** Of every task that was ever proposed: nothing but the run's own task may be there, or it never ends. */
  #unendedAtCsp(): TaskId[] {
    const { dataDirectory } = this.#services.world.cspConfig;
    const rows = query(dataDirectory, `SELECT task_id FROM tasks WHERE ${UNENDED}`);
    return rows.map((row) => TaskId.parse(row.task_id));
  }

  /** Every owner that was told so is in the result, once; the projection is that of exactly their rows. */
  async #checkResult(): Promise<void> {
    const { task } = this.#signed;
    const { operator } = this.#services;
    const projection: Projection = await operator.result(task.id);
    const counted = countedIn(projection.sampleCount!);
    const agreeing = this.#beliefs.filter(({ owners }) => isCounted(owners, counted));
    if (counted === undefined || agreeing.length === 0) {
      const expected = JSON.stringify(this.#beliefs.map(({ owners }) => owners));
      throw new SimulationFailure(
        `${projection.sampleCount} samples were counted, those of ${JSON.stringify(counted)}; expected one of ${expected}`,
      );
    }
    const parts = counted.flatMap((held, owner) => (held === 'none' ? [] : [rowsOf(owner, held)]));
    expectReference(projection, task, parts);
  }

  /** The CSP's key has worked on one request only, which was never another one on the way either. */
  async #checkCsp(): Promise<void> {
    const { world } = this.#services;
    const { entries } = verifyAudit(readAudit(world.cspConfig.dataDirectory));
    const mine = entries.filter(({ taskId }) => taskId === this.#signed.task.id);
    const decrypted = new Set(
      mine.filter(({ operation }) => operation === 'unblinded').map(({ requestDigest }) => requestDigest),
    );
    const asked = world.proxies.csp.seen
      .filter(({ name }) => MESSAGES.unblinding.test(name) && this.#isMine(name))
      .map(({ body }) => body.toString('base64'));
    if (decrypted.size > 1 || new Set(asked).size > 1)
      throw new SimulationFailure(
        `the data user has asked for ${new Set(asked).size} unblindings, of which ${decrypted.size} were done`,
      );
  }
}

function isFinal({ state }: TaskStatus): boolean {
  return state === 'done' || state === 'cancelled' || state === 'failed';
}

function isCounted(owners: readonly Held[], counted: readonly Held[] | undefined): boolean {
  return owners.every((held, i) => (held === 'withdrawn' ? 'none' : held) === counted?.[i]);
}

function explain(beliefs: readonly Belief[], observations: readonly Observation[]): string {
  const told = observations.map((observation) => JSON.stringify(observation)).join('\n  ');
  const believed = beliefs.map((belief) => JSON.stringify(belief)).join('\n  ');
  return `no order of these explains their answers:\n  ${told}\nafter:\n  ${believed}`;
}
