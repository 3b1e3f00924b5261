/** A Paillier pool that counts its work and fails when it is told to. */
import { PaillierPool } from '@eigenveil/paillier';

type Work = 'decrypt' | 'aggregate' | 'generateKeyPair';

export class WatchedPool extends PaillierPool {
  /** How often each kind of work was begun. */
  readonly begun: Record<Work, number> = { decrypt: 0, aggregate: 0, generateKeyPair: 0 };
  /** Work that fails, as it would when memory runs out. */
  readonly failing = new Set<Work>();

  constructor() {
    super({ threads: 0 });
  }

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

  /** Does nothing: the pool outlives the service that closes it, so that its successor goes on counting. */
  override async close(): Promise<void> {}

  #begin(work: Work): void {
    this.begun[work] += 1;
    if (this.failing.has(work)) throw new Error(`${work} fails on purpose`);
  }
}
