/**
 * Both services as real processes behind proxies that lose messages, with a clock that can be advanced. The data user's
 * database is what its settings say; only the CSP's, which is always SQLite, is looked into.
 */
import type { DataUserConfiguration } from '@eigenveil/data-user';
import { createLogger } from '@eigenveil/server';
import type { CrashPoint, Start } from '../service-process.ts';
import { type Enrolled, World } from '../world.ts';
import type { Message, MessageFault, ServiceName } from './operations.ts';
import { Operator } from './operator.ts';
import { ServiceProcess } from './process.ts';

export type DataUserSettings = Partial<DataUserConfiguration>;

export const SERVICES: readonly ServiceName[] = ['csp', 'data user'];
const SILENT = { log: createLogger({ service: 'simulation', level: 'silent' }) };
const RETENTION_DAYS = 30;
/** How long a process may take to die of a crash point that has broken a connection. */
const DYING_MILLISECONDS = 2000;

export const MESSAGES: Readonly<Record<Message, RegExp>> = {
  proposal: /^POST \/tasks$/,
  records: /\/records$/,
  unblinding: /\/unblinding$/,
  'two-party': /\/two-party$/,
  countersignature: /\/countersignature$/,
  end: /^DELETE \/tasks\/[^/]+$/,
};

export class Services {
  readonly world: World;
  readonly owners: readonly Enrolled[];
  readonly operator: Operator;
  readonly #running = new Map<ServiceName, ServiceProcess>();
  readonly #complaints: string[] = [];
  /** Crash points that wait for the next process, and the services that have one. */
  readonly #waiting = new Map<ServiceName, CrashPoint>();
  readonly #armed = new Set<ServiceName>();
  #offset = 0;
  #cspStarts: number[] = [];
  deaths = 0;

  static async start(owners: number, dataUser: DataUserSettings = {}): Promise<Services> {
    const world = await World.start({
      proxied: true,
      csp: { logLevel: 'warn', retentionDays: RETENTION_DAYS },
      // Every failure is tried again by the computation itself, at once.
      dataUser: { logLevel: 'warn', cspPatienceSeconds: 0, retentionDays: RETENTION_DAYS, ...dataUser },
      cspOverrides: SILENT,
      dataUserOverrides: SILENT,
    });
    const enrolled = await Promise.all(Array.from({ length: owners }, () => world.enrolledOwner()));
    // They have made what lies in their folders; from here on others run in their place.
    await world.stopDataUser();
    await world.stopCsp();
    const { dataDirectory } = world.dataUserConfig;
    return new Services(world, enrolled, await Operator.of(world.dataUserAddress, dataDirectory));
  }

  private constructor(world: World, owners: readonly Enrolled[], operator: Operator) {
    this.world = world;
    this.owners = owners;
    this.operator = operator;
  }

  isRunning(service: ServiceName): boolean {
    return this.#running.get(service)?.isRunning ?? false;
  }

  /** Starts a service that is down. False when it has died again of a crash point that was waiting for it. */
  async start(service: ServiceName): Promise<boolean> {
    const next = new ServiceProcess();
    this.#bury(service);
    this.#running.set(service, next);
    if (service === 'csp') this.#cspStarts.push(this.now);
    const crash = this.#waiting.get(service) ?? null;
    this.#waiting.delete(service);
    if (crash !== null) this.#armed.add(service);
    const place: Start =
      service === 'csp'
        ? { service, config: this.world.cspConfig, offset: this.#offset, crash }
        : { service, config: this.world.dataUserConfig, offset: this.#offset, crash };
    return next.start(place);
  }

  async kill(service: ServiceName): Promise<void> {
    await this.#running.get(service)?.kill();
  }

  /** Whether a service from which no answer came is dead; it may be just dying. */
  async isDead(service: ServiceName, withinMilliseconds = DYING_MILLISECONDS): Promise<boolean> {
    return (await this.#running.get(service)?.isDeadWithin(withinMilliseconds)) ?? true;
  }

  /** Has a service die at a durable write, or takes that back. It waits for the next process when there is none. */
  async arm(service: ServiceName, crash: CrashPoint | null): Promise<void> {
    this.#waiting.delete(service);
    this.#armed.delete(service);
    if (crash !== null) this.#armed.add(service);
    const isTold = await this.#running.get(service)?.tell({ kind: 'crash', crash });
    if (!isTold && crash !== null) this.#waiting.set(service, crash);
  }

  /** Whether a service is going to die, as far as it gets there. */
  get isAnyDoomed(): boolean {
    return SERVICES.some((service) => this.#armed.has(service) && this.isRunning(service));
  }

  get areAllRunning(): boolean {
    return SERVICES.every((service) => this.isRunning(service));
  }

  get now(): number {
    return Date.now() + this.#offset;
  }

  /** Sets both clocks so far ahead of real time. */
  async setClock(offsetMilliseconds: number): Promise<void> {
    this.#offset = offsetMilliseconds;
    for (const process of this.#running.values())
      await process.tell({ kind: 'clock', offset: offsetMilliseconds });
  }

  async advanceClock(milliseconds: number): Promise<void> {
    await this.setClock(this.#offset + milliseconds);
  }

  /** Whether a CSP has started so late after `deadline` that it had to end the tasks which are still there. */
  hasSweptAfter(deadline: string): boolean {
    return this.#cspStarts.some((start) => start > abandonedAfter(deadline));
  }

  /** Whether a service that starts now ends a task of this deadline. */
  isAbandoned(deadline: string): boolean {
    return this.now > abandonedAfter(deadline);
  }

  disturb(message: Message, fault: MessageFault, times: number): void {
    this.world.proxies.csp.inject(MESSAGES[message], fault, times);
  }

  /** As at the beginning of a run: everything is there, nothing is disturbed, and nothing was seen. */
  async begin(): Promise<void> {
    await this.heal();
    await this.setClock(0);
    this.#cspStarts = [];
    for (const { seen, streams } of Object.values(this.world.proxies)) {
      seen.length = 0;
      streams.length = 0;
    }
  }

  /** Takes all faults away and starts what is down. */
  async heal(): Promise<void> {
    this.world.proxies.csp.heal();
    this.world.proxies.dataUser.heal();
    for (const service of SERVICES) {
      await this.arm(service, null);
      if (!this.isRunning(service)) await this.start(service);
    }
  }

  /** What the services have logged that they must not, and how they died of themselves, since this was asked last. */
  takeComplaints(): string[] {
    for (const process of this.#running.values()) this.#complaints.push(...process.takeComplaints());
    return this.#complaints.splice(0);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#running.values()].map((process) => process.kill()));
    await this.world.close();
  }

  #bury(service: ServiceName): void {
    const dead = this.#running.get(service);
    this.#armed.delete(service);
    if (dead === undefined) return;
    this.deaths += 1;
    this.#complaints.push(...dead.takeComplaints());
  }
}

function abandonedAfter(deadline: string): number {
  return new Date(deadline).getTime() + RETENTION_DAYS * 86_400_000;
}
