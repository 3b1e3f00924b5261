/**
 * The messages that one end has received in an answer that may be run again from its beginning, with the same
 * secrets: nothing that depends on it leaves before it is known to be the same as in every run before. Two
 * different messages at one place would be two answers under the same secrets.
 *
 * A position is where this end writes for the first time after it has read: it follows from the protocol, not
 * from the line. The tag of a position is that of everything received since the position before, and of this
 * end's first message behind it: so an end that would itself send something else there, since it runs another
 * program, stops, too. The messages between two positions depend on what was received before the first of
 * them. Secrets that messages hide or spread over many of them are fixed in the tag before: two drafts of
 * them behind the same masks would show how they differ.
 *
 * A check that fails for a wrong guess at this end's secrets must not be tried again with another guess.
 * Whoever `keepsChecks` ends a position before each of them: even if all that follows a failure is
 * lost, a crash or a failed disk included, the next run meets the same failure or ERR_ANSWER_DIFFERS.
 *
 * Tags are those of AES-256-GMAC, the position being the nonce, under a key that never leaves this end, no
 * more than its tags do. GMAC is a universal hash (NIST SP 800-38D; McGrew, Viega, INDOCRYPT 2004): another
 * message of n blocks of 16 bytes has the same tag with probability at most (n + 2)/2^128, 2^−100 for 4 GB,
 * whatever the peer computes; and who has failed has no second try. SHA-256 would take eight times as long.
 */
import { type CipherGCM, createCipheriv, timingSafeEqual } from 'node:crypto';
import { CodedError } from '@eigenveil/platform';
import { TWO_PARTY_CODES } from '../codes.ts';

/** The keeper of the tags of an answer. */
export interface TagKeeper {
  /** Keeps the tag of a position durably, unless there is one; resolves to the one that is kept. */
  readonly keep: (position: number, tag: Uint8Array) => Promise<Uint8Array>;
  /** Sees to it that the answer is never run again. */
  readonly giveUp?: () => Promise<void>;
}

interface Message {
  readonly type: number;
  readonly payload: Uint8Array;
}

const NONCE_BYTES = 12;
const HEADER_BYTES = 8;
/** Types of messages are smaller. */
const OWN = 2 ** 31;
/** The type of a value that this end has drawn or decided, which is no message. */
const FIXED = 2 ** 32 - 1;

export class Transcript {
  readonly #key: Uint8Array;
  readonly #keeper: TagKeeper;
  readonly #keepsChecks: boolean;
  readonly #header = Buffer.alloc(HEADER_BYTES);
  #position = 0;
  #mac: CipherGCM | undefined;
  /** Positions are kept one after the other, so that there is none without those before it. */
  #kept: Promise<void> = Promise.resolve();

  /**
   * @param key 32 bytes, of this answer alone
   * @param program what runs it: another one may make other messages of the same secrets, so it is part of
   * the first position
   * @param keepsChecks says whether what has come is kept before it is checked, too
   */
  constructor(
    key: Uint8Array,
    program: string,
    keeper: TagKeeper,
    { keepsChecks = false }: { readonly keepsChecks?: boolean } = {},
  ) {
    this.#key = key;
    this.#keeper = keeper;
    this.#keepsChecks = keepsChecks;
    this.#add(OWN, Buffer.from(program));
  }

  /** True if something was received since the last position. */
  get isUnbound(): boolean {
    return this.#mac !== undefined;
  }

  receive(type: number, payload: Uint8Array): void {
    this.#add(type, payload);
  }

  /** See MessageStream. */
  fix(own: Uint8Array): void {
    this.#add(FIXED, own);
  }

  /**
   * Ends a position; resolves when what follows may leave.
   * @throws ERR_ANSWER_DIFFERS when another run has received something else, or would have sent something
   * else, and as the keeper
   */
  bind(own?: Message): Promise<void> {
    if (own !== undefined) this.#add(OWN + own.type, own.payload);
    const mac = this.#current();
    mac.final();
    const tag = mac.getAuthTag();
    const position = this.#position;
    this.#position += 1;
    this.#mac = undefined;
    this.#kept = this.#kept.then(() => this.#compare(position, tag));
    return this.#kept;
  }

  /** See MessageStream. What this end writes after it is compared as well. */
  async beforeCheck(): Promise<void> {
    if (!this.#keepsChecks || !this.isUnbound) return;
    await this.bind();
    this.fix(new Uint8Array(0));
  }

  async #compare(position: number, tag: Uint8Array): Promise<void> {
    const kept = await this.#keeper.keep(position, tag);
    if (kept.length === tag.length && timingSafeEqual(kept, tag)) return;
    await this.#keeper.giveUp?.();
    throw new CodedError(
      TWO_PARTY_CODES.ERR_ANSWER_DIFFERS,
      'an answer that is resumed expected the same messages and the same release as before: the task has ended, and the data need a new one',
    );
  }

  #add(type: number, payload: Uint8Array): void {
    this.#header.writeUInt32LE(type, 0);
    this.#header.writeUInt32LE(payload.length, 4);
    this.#current().setAAD(this.#header).setAAD(payload);
  }

  #current(): CipherGCM {
    if (this.#mac === undefined) {
      const nonce = Buffer.alloc(NONCE_BYTES);
      nonce.writeUInt32LE(this.#position);
      this.#mac = createCipheriv('aes-256-gcm', this.#key, nonce);
    }
    return this.#mac;
  }
}
