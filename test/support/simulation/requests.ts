/** The requests of one run, as owners and the operator would send them, and what is known when no answer comes. */
import { setTimeout as sleep } from 'node:timers/promises';
import { digestBytes, RECEIPT, type SignedTask, verifyStatement } from '@eigenveil/wire';
import {
  type Answer,
  agreementOf,
  type Contribution,
  contributionOf,
  contributionRequest,
  credentials,
  type Message,
  ownerOf,
  send,
  sendCutOff,
} from '../requests.ts';
import { summarise } from '../tasks.ts';
import { SimulationFailure } from './failure.ts';
import { type Observation, type Outcome, type Phase, statusOutcome, TAKEN } from './model.ts';
import type { OwnersRequest, Request, RequestFault, Version } from './operations.ts';
import { rowsOf } from './rows.ts';
import type { Services } from './services.ts';

/** A proof is good for a minute; older requests are made anew. */
const PROOF_MILLISECONDS = 40_000;

/** In which a data user that has answered may still die of that request: nothing of it should be left to write. */
const ANSWERED_MILLISECONDS = 100;

const PHASES: Readonly<Record<string, Phase>> = {
  open: 'open',
  closed: 'closed',
  blinded: 'closed',
  unblinded: 'closed',
  decomposed: 'closed',
  done: 'done',
  cancelled: 'cancelled',
  failed: 'failed',
};

export class Requests {
  readonly #services: Services;
  readonly #signed: SignedTask;
  readonly #contributions = new Map<string, Promise<Contribution>>();
  readonly #receipts = new Map<number, string>();
  readonly #sent = new Map<string, { readonly message: Message; readonly at: number }>();
  /** How many requests there were, and how many of them had no answer. */
  readonly tally = { sent: 0, lost: 0 };

  constructor(services: Services, signed: SignedTask) {
    this.#services = services;
    this.#signed = signed;
  }

  /** Sends a request under a fault and tells what came of it. Throws SimulationFailure for an answer that nothing excuses. */
  async observe(request: Request, fault: RequestFault | null): Promise<Observation> {
    const services = this.#services;
    const message = await this.#message(request);
    const wasRunning = services.isRunning('data user');
    this.tally.sent += 1;
    if (fault?.kind === 'cut request' && message.body !== undefined) {
      await this.#cutOff(message);
      return this.#lost(request, 'no');
    }
    const answer = await this.#sendUnder(message, fault);
    if (answer !== undefined) return { request, outcome: await this.#outcome(request, answer) };
    if (!wasRunning || fault?.kind === 'lose request') return this.#lost(request, 'no');
    // Of a lost answer the data user does not know; it has answered unless it died before.
    if (fault?.kind === 'lose answer')
      return this.#lost(request, services.isRunning('data user') ? 'yes' : 'maybe');
    if (!(await services.isDead('data user')))
      throw new SimulationFailure(`${JSON.stringify(request)} got no answer although nothing was in its way`);
    return this.#lost(request, 'maybe');
  }

  #lost(request: Request, done: 'no' | 'maybe' | 'yes'): Observation {
    this.tally.lost += 1;
    return { request, done };
  }

  async #sendUnder(message: Message, fault: RequestFault | null): Promise<Answer | undefined> {
    const services = this.#services;
    const proxy = services.world.proxies.dataUser;
    if (fault?.kind === 'lose request' || fault?.kind === 'lose answer') proxy.inject(/./, fault);
    if (fault?.kind === 'crash') await services.arm('data user', fault);
    const answered = send(services.world.dataUserAddress, message).catch(() => undefined);
    if (fault?.kind === 'kill') {
      await sleep(fault.afterMilliseconds);
      await services.kill('data user');
    }
    const answer = await answered;
    proxy.heal();
    if (fault?.kind === 'crash' && !(await services.isDead('data user', ANSWERED_MILLISECONDS)))
      await services.arm('data user', null);
    return answer;
  }

  /** Past the proxy, which only passes on what is whole. */
  async #cutOff(message: Message): Promise<void> {
    if (!this.#services.isRunning('data user')) return;
    const { port } = this.#services.world.dataUserConfig;
    const address = { url: `https://127.0.0.1:${port}`, ca: this.#services.world.ca };
    const body = Buffer.from(message.body!);
    await sendCutOff(address, { ...message, body: body.subarray(0, body.length / 2) }, body.length);
  }

  async #message(request: Request): Promise<Message> {
    if (request.kind === 'send again') return this.#sentBefore(request.request);
    const message = await this.#fresh(request);
    this.#sent.set(JSON.stringify(request), { message, at: Date.now() });
    return message;
  }

  async #sentBefore(request: OwnersRequest): Promise<Message> {
    const sent = this.#sent.get(JSON.stringify(request));
    return sent !== undefined && Date.now() - sent.at < PROOF_MILLISECONDS
      ? sent.message
      : this.#message(request);
  }

  async #fresh(request: Exclude<Request, { kind: 'send again' }>): Promise<Message> {
    const path = `/tasks/${this.#signed.task.id}`;
    switch (request.kind) {
      case 'contribute': {
        const contribution = await this.#contribution(request.owner, request.version);
        return this.#asOwner(request.owner, contributionRequest(this.#signed.task.id, contribution));
      }
      case 'withdraw':
        return this.#asOwner(request.owner, { method: 'DELETE', path: `${path}/contribution` });
      case 'projection':
        return this.#asOwner(request.owner, { method: 'GET', path: `${path}/projection` });
      case 'close':
      case 'cancel':
        return this.#services.operator.signed({
          method: 'POST',
          path: `${path}/${request.kind}`,
          body: '{}',
        });
      case 'status':
      case 'result':
        return this.#services.operator.signed({ method: 'GET', path: `${path}/${request.kind}` });
    }
  }

  async #asOwner(owner: number, message: Message): Promise<Message> {
    const { dataUserAddress } = this.#services.world;
    const sender = await ownerOf(this.#services.owners[owner]!.home);
    const headers = {
      'content-type': 'application/octet-stream',
      ...message.headers,
      ...(await credentials(dataUserAddress, sender, message)),
    };
    return { ...message, headers };
  }

  /** Encrypted once: a repeat has the same bytes. */
  #contribution(owner: number, version: Version): Promise<Contribution> {
    const key = `${owner} ${version}`;
    const { home } = this.#services.owners[owner]!;
    const made =
      this.#contributions.get(key) ??
      contributionOf(this.#signed, home, summarise(this.#signed.task, rowsOf(owner, version)));
    this.#contributions.set(key, made);
    return made;
  }

  async #outcome(request: Request, answer: Answer): Promise<Outcome> {
    const { status, code, json, text } = answer;
    if (status >= 500 || (status >= 300 && code === undefined))
      throw new SimulationFailure(`${JSON.stringify(request)} was answered with ${status}: ${text}`);
    if (code !== undefined) return code;
    if (request.kind === 'status') {
      return statusOutcome(PHASES[String(json.state)]!, Number(json.contributions));
    }
    const asked = request.kind === 'send again' ? request.request : request;
    if (asked.kind === 'contribute')
      await this.#checkReceipt(asked.owner, asked.version, String(json.receipt));
    return TAKEN;
  }

  /** It is the data user's word about these bytes, and it never changes. */
  async #checkReceipt(owner: number, version: Version, receipt: string): Promise<void> {
    const { contributionDigest } = await verifyStatement(
      RECEIPT,
      receipt,
      agreementOf(this.#signed).dataUserKey,
    );
    const { bytes } = await this.#contribution(owner, version);
    if (contributionDigest !== digestBytes('contribution', bytes))
      throw new SimulationFailure(`owner ${owner} got a receipt for other bytes than it sent`);
    const known = this.#receipts.get(owner) ?? receipt;
    this.#receipts.set(owner, known);
    if (receipt !== known)
      throw new SimulationFailure(`owner ${owner} got another receipt for the same contribution`);
  }
}
