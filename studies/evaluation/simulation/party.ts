/** A party of the game: how its real view is recorded, how its simulator makes one, and which features a distinguisher reads. */
import type { Draws } from '../draws.ts';
import type { Effort, Experiment } from '../experiment.ts';
import type { Scene } from '../scene.ts';

export interface Leak {
  readonly id: string;
  /** The leak, as a short sentence. */
  readonly title: string;
  /** The unit of its size, for an axis. */
  readonly size: string;
  /** Ascending; the last is the control's. */
  readonly sizes: readonly number[];
}

/** A leak that is planted into a real run. */
export interface Planted {
  readonly leak: string;
  readonly size: number;
}

/** By name, one number each for a whole run, the same in all runs. */
export type Features = Readonly<Record<string, number>>;

type Soon<T> = Promise<T> | T;

/** The entry of a party in the table beside the functions. */
interface Entry extends Pick<Experiment, 'id' | 'attacker' | 'secret' | 'claims' | 'scenes'> {
  readonly leaks: readonly Leak[];
  /** Runs on either side: of the experiment, and of a control, which need not look long. */
  readonly runs: Readonly<Record<Effort, number>>;
  readonly controlRuns: number;
  /** Tests at each size of a leak, for its power. */
  readonly repetitions: number;
  omits?(scene: Scene): string | undefined;
}

/** `World` is what all runs in a scene share. Each call of `real` and of `simulated` is a whole run with draws of its own. */
interface Playing<World, View> {
  open(scene: Scene): Soon<World>;
  real(world: World, draws: Draws, planted?: Planted): Soon<View>;
  simulated(world: World, draws: Draws): Soon<View>;
  features(world: World, view: View): Features;
}

/** Both ways to the features of a view. */
interface Sides {
  real(draws: Draws, planted?: Planted): Promise<Features>;
  simulated(draws: Draws): Promise<Features>;
}

export interface Party extends Entry {
  open(scene: Scene): Promise<Sides>;
}

/** A party whose views have a form of their own, which the game need not know. */
export function party<World, View>({
  open,
  real,
  simulated,
  features,
  ...entry
}: Entry & Playing<World, View>): Party {
  return {
    ...entry,
    async open(scene) {
      const world = await open(scene);
      return {
        real: async (draws, planted) => features(world, await real(world, draws, planted)),
        simulated: async (draws) => features(world, await simulated(world, draws)),
      };
    },
  };
}

/** Features of one kind, by names that follow from their places. */
export const named = (values: readonly number[], name: (place: number) => string): Features =>
  Object.fromEntries(values.map((value, i) => [name(i), value]));

/** Remembers runs by their draws: where a leak is planted into what a run left, one run serves all sizes of it. */
export function once<T>(run: (draws: Draws) => Promise<T>): (draws: Draws) => Promise<T> {
  const runs = new Map<string, Promise<T>>();
  return (draws) => {
    const name = Buffer.from(draws.of('name').source(16)).toString('hex');
    const known = runs.get(name) ?? run(draws);
    runs.set(name, known);
    return known;
  };
}
