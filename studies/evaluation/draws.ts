/** Seeded draws of experiments: the same seed gives the same numbers on every machine. Nothing secret comes from here. */

import type { RandomSource } from '@eigenveil/privacy';
import { predictableRandomness, shuffled } from '@eigenveil/testbed/random';
import { RealDraws } from '../privacy/random/real.ts';

/**
 * One stream of draws. Each part of an experiment takes a stream of its own (`of`), so that one that draws more leaves the others as they are.
 * @example
 * const draws = new Draws(setting.seed);
 * const noise = draws.of('noise').normal();
 */
export class Draws {
  readonly #seed: string;
  readonly #real: RealDraws;
  /** Bytes, for samplers that take them. */
  readonly source: RandomSource;

  constructor(seed: string) {
    this.#seed = seed;
    this.source = predictableRandomness(seed);
    this.#real = new RealDraws(this.source);
  }

  /** The stream of this name, whatever this one has drawn. */
  of(name: string | number): Draws {
    return new Draws(`${this.#seed}/${name}`);
  }

  /** In (0, 1). */
  uniform = (): number => this.#real.uniform();

  /** Mean 0 and variance 1. */
  normal(): number {
    return this.#real.normal();
  }

  /** A whole number in [0, count). */
  below(count: number): number {
    return Math.floor(this.uniform() * count);
  }

  shuffled<T>(items: readonly T[]): T[] {
    return shuffled(items, this.uniform);
  }

  /** Draws a number of different items, or all of them where there are fewer. */
  some<T>(items: readonly T[], count: number): T[] {
    return this.shuffled(items).slice(0, count);
  }
}
