/** Numbers for tests, the same in each run. */
import { generator, normal, seedOf } from '@eigenveil/testbed/random';

export class SeededRandom {
  /** In (0, 1). */
  readonly uniform: () => number;

  constructor(seed: number) {
    this.uniform = generator(seedOf(`${seed}`));
  }

  normal(): number {
    return normal(this.uniform);
  }

  /** Entry i is normal with mean and deviation of that place. */
  window(mean: ArrayLike<number>, deviation: (i: number) => number): Float64Array {
    return Float64Array.from(mean, (entry, i) => entry + deviation(i) * this.normal());
  }
}
