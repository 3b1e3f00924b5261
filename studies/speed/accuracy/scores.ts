/** Measurements of the accuracy benchmark, gathered over splits. */
import type { Measurement } from '../../instrument/unit.ts';

/** All measured splits of one data set and method. */
export interface Group {
  readonly dataset: string;
  readonly method: string;
  /** Numbers of components, ascending. */
  readonly components: readonly number[];
  readonly splits: readonly Measurement[];
}

export type Arm = 'none' | `${'encrypted' | 'clear'}/${number}`;

export function groupsOf(measurements: readonly Measurement[]): Group[] {
  const groups = Map.groupBy(measurements, ({ parameters: { dataset, method } }) => `${dataset} ${method}`);
  return [...groups.values()].map((splits) => {
    const { dataset, method, components } = splits[0]!.parameters;
    return {
      dataset: `${dataset}`,
      method: `${method}`,
      components: `${components}`.split(' ').map(Number),
      splits,
    };
  });
}

/** One score per split, in percent. */
export function scoresOf({ splits }: Group, arm: Arm): number[] {
  return splits.flatMap(({ series }) => series[arm]?.samples ?? []);
}

/** |F1 encrypted − F1 clear| of every split, for one number of components or for all. */
export function differencesOf(group: Group, components: readonly number[] = group.components): number[] {
  return components.flatMap((k) =>
    group.splits.flatMap(({ series }) => {
      const [encrypted, clear] = [series[`encrypted/${k}`]?.samples[0], series[`clear/${k}`]?.samples[0]];
      return encrypted === undefined || clear === undefined ? [] : [Math.abs(encrypted - clear)];
    }),
  );
}

export interface Moments {
  readonly mean: number;
  /** Of a sample: the squares are divided by one less than their number. Undefined for a single score. */
  readonly deviation: number | undefined;
}

/** Undefined without scores. */
export function momentsOf(scores: readonly number[]): Moments | undefined {
  if (scores.length === 0) return undefined;
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  const squares = scores.reduce((sum, score) => sum + (score - mean) ** 2, 0);
  return { mean, deviation: scores.length > 1 ? Math.sqrt(squares / (scores.length - 1)) : undefined };
}
