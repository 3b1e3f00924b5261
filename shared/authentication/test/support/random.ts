/** Numbers for tests, the same in each run: uniform ones by Mulberry32, normal ones by Box and Muller. */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** In (0, 1). */
  uniform(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32 + 2 ** -33;
  }

  normal(): number {
    return Math.sqrt(-2 * Math.log(this.uniform())) * Math.cos(2 * Math.PI * this.uniform());
  }

  /** Entry i is normal with mean and deviation of that place. */
  window(mean: ArrayLike<number>, deviation: (i: number) => number): Float64Array {
    return Float64Array.from(mean, (entry, i) => entry + deviation(i) * this.normal());
  }
}
