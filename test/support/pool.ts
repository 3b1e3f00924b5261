/** Paillier pools of tests: one that makes no key twice in a process, and one that counts its work and fails when it is told to. */
import { type GenerateKeyOptions, PaillierPool, type SecretKey } from '@eigenveil/paillier';

/** The keys that this process has made, by what was asked for. */
const KEPT = new Map<string, Promise<SecretKey>[]>();

/**
 * Gives keys that other pools of the process have given, since making one costs as much as a short task. One pool gives no key twice: its
 * tasks have a key of their own each.
 */
export class KeptKeys extends PaillierPool {
  readonly #given = new Map<string, number>();

  constructor() {
    super({ threads: 0 });
  }

  override generateKeyPair(options: GenerateKeyOptions): Promise<SecretKey> {
    const kind = JSON.stringify(options);
    const kept = KEPT.get(kind) ?? [];
    KEPT.set(kind, kept);
    const number = this.#given.get(kind) ?? 0;
    this.#given.set(kind, number + 1);
    kept[number] ??= super.generateKeyPair(options);
    return kept[number];
  }

  /** Does nothing: the pool outlives the service that closes it, so that its successor goes on. */
  override async close(): Promise<void> {}
}

type Work = 'decrypt' | 'aggregate' | 'generateKeyPair';

export class WatchedPool extends KeptKeys {
  /** How often each kind of work was begun. */
  readonly begun: Record<Work, number> = { decrypt: 0, aggregate: 0, generateKeyPair: 0 };
  /** Work that fails, as it would when memory runs out. */
  readonly failing = new Set<Work>();

  override async decrypt(...input: Parameters<PaillierPool['decrypt']>) {
    this.#begin('decrypt');
    return super.decrypt(...input);
  }

  override async aggregate(...input: Parameters<PaillierPool['aggregate']>) {
    this.#begin('aggregate');
    return super.aggregate(...input);
  }

  override async generateKeyPair(...input: Parameters<PaillierPool['generateKeyPair']>) {
    this.#begin('generateKeyPair');
    return super.generateKeyPair(...input);
  }

  #begin(work: Work): void {
    this.begun[work] += 1;
    if (this.failing.has(work)) throw new Error(`${work} fails on purpose`);
  }
}
