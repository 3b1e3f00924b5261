/** The memory of a ring and of its prefixes, a stack from which scopes free what they allocated, and the tables of its primes. */
import { PAGE_BYTES } from '../garbling/assembler.ts';
import { type LatticeKernels, latticeKernels } from './kernels.ts';
import { type Factor, factorOf, inverseOf, inverseOfPrime, rootsOf } from './primes.ts';
import type { Degree } from './security.ts';

declare const WebAssembly: {
  Memory: new (size: {
    initial: number;
    maximum: number;
  }) => {
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  };
};

const MAXIMUM_PAGES = 2 ** 13; // 512 MiB
const BLOCK_BYTES = 64;

/** A prime's part of the memory, and numbers of its transforms. */
export interface Tables {
  readonly prime: number;
  readonly inverse: number;
  readonly forward: { readonly value: number; readonly times: number };
  readonly backward: { readonly value: number; readonly times: number };
  /** N^−1, with the factor 2^32 that a sum of products is short of. */
  readonly scale: Factor;
}

export class Arena {
  readonly memory = new WebAssembly.Memory({ initial: 1, maximum: MAXIMUM_PAGES });
  readonly kernels: LatticeKernels = latticeKernels(this.memory);
  /** Factors of rescaling, by the number of a prime that stays and of the one that is dropped: prefixes have them in common. */
  readonly dropping = new Map<string, Factor>();
  /** The address of the word that unpacking leaves its verdict in. */
  readonly verdict = 0;
  #top = BLOCK_BYTES;
  /** The beginnings of scopes that have not ended. */
  readonly #scopes: number[] = [];

  /** Begins a scope. */
  enter(): number {
    this.#scopes.push(this.#top);
    return this.#top;
  }

  /**
   * Ends a scope: clears and frees all that was allocated in it.
   * @throws TypeError where another one began in it and has not ended: its memory would be given twice
   */
  leave(scope: number): void {
    if (this.#scopes.at(-1) !== scope) throw new TypeError('"scope" expected the one that began last');
    this.#scopes.pop();
    new Uint8Array(this.memory.buffer, scope, this.#top - scope).fill(0);
    this.#top = scope;
  }

  allocate(bytes: number): number {
    const at = this.#top;
    const top = Math.ceil((at + bytes) / BLOCK_BYTES) * BLOCK_BYTES;
    const lacking = top - this.memory.buffer.byteLength;
    // This throws where there is no more memory: what has been given stays as it is, so that it can be cleared.
    if (lacking > 0) this.memory.grow(Math.ceil(lacking / PAGE_BYTES) + 16);
    this.#top = top;
    return at;
  }
}

/** Powers of roots by degree and prime, public and the same for all runs of a process: 256 kB each at most. */
const ROOTS = new Map<string, ReturnType<typeof rootsOf>>();

export function tablesOf(arena: Arena, degree: Degree, prime: number): Tables {
  const name = `${degree} ${prime}`;
  const roots = ROOTS.get(name) ?? rootsOf(degree, prime);
  ROOTS.set(name, roots);
  const place = (numbers: Uint32Array) => {
    const at = arena.allocate(4 * numbers.length);
    new Uint32Array(arena.memory.buffer, at, numbers.length).set(numbers);
    return at;
  };
  const placed = ({ values, times }: (typeof roots)['forward']) => ({
    value: place(values),
    times: place(times),
  });
  const q = BigInt(prime);
  return {
    prime,
    inverse: inverseOfPrime(prime),
    forward: placed(roots.forward),
    backward: placed(roots.inverse),
    scale: factorOf((inverseOf(BigInt(degree), q) << 32n) % q, prime),
  };
}
