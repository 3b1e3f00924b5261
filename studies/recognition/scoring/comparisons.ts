/** Everyone's windows against everyone's templates, and scores of them that compare between users. */
import type { Comparison } from '@eigenveil/testbed/recognition/error-rates';
import type { Cohort, Normalisation } from './settings.ts';
import type { Enrolled, Space } from './spaces.ts';

/** Windows of one person, in the order of time. */
export interface Stream {
  readonly name: string;
  readonly windows: readonly Float64Array[];
}

/** Distances before they are normalised. */
export interface Distances {
  readonly names: readonly string[];
  /** By target: their own unit. */
  readonly units: readonly number[];
  /** By target and source: distances in the target's own unit. */
  readonly scores: readonly (readonly Float64Array[])[];
  /** By target and source: logarithms of scores of the service, where it has any. */
  readonly service?: () => readonly (readonly Float64Array[])[];
  /** The remoteness by source. */
  readonly remoteness: readonly Float64Array[];
}

/**
 * Every stream against every template.
 * @param seenBy what a window looks like to the service that compares it with this target's template; as it is, if impostors have the target's frame
 */
export function compareAll(
  space: Space,
  enrolments: readonly Stream[],
  probes: readonly Stream[],
  seenBy: (window: Float64Array, source: string, target: string) => Float64Array = (window) => window,
): Distances {
  const enrolled = enrolments.map(({ name, windows }) =>
    space.enrol(windows.map((window) => seenBy(window, name, name))),
  );
  const compared = (by: (template: Enrolled, window: Float64Array) => number) =>
    enrolled.map((template, target) =>
      probes.map(({ name, windows }) =>
        Float64Array.from(windows, (window) => by(template, seenBy(window, name, enrolments[target]!.name))),
      ),
    );
  return {
    names: enrolments.map(({ name }) => name),
    units: enrolled.map(({ unit }) => unit),
    scores: compared((template, window) => template.distance(window)),
    service: () => compared((template, window) => template.score!(window)),
    remoteness: probes.map(({ windows }) => Float64Array.from(windows, (window) => space.remoteness(window))),
  };
}

/** Scores of the same people on both sides, as `Normalisation` says. */
export function normalised(
  distances: Distances,
  { own, everyone, cohort, service }: Normalisation,
): Comparison[] {
  const { names, units, scores, remoteness } = distances;
  if (service) {
    const all = distances.service!();
    return names.flatMap((target, t) =>
      names.map((source, s) => ({ target, source, scores: [...all[t]![s]!] })),
    );
  }
  const common = units.reduce((sum, unit) => sum + Math.log(unit), 0) / units.length;
  const logs = scores.map((bySource, t) => {
    const factor = Math.exp((1 - own) * (Math.log(units[t]!) - common));
    return bySource.map((values) => values.map((r) => Math.log1p((r * factor) ** 2)));
  });
  const backgrounds = remoteness.map((values) => values.map((e) => everyone * Math.log1p(e)));
  const others = cohort && cohortOf(logs, cohort);
  return names.flatMap((target, t) =>
    names.map((source, s) => ({
      target,
      source,
      scores: Array.from(
        logs[t]![s]!,
        (log, i) => log - backgrounds[s]![i]! - (others === undefined ? 0 : others(t, s, i)),
      ),
    })),
  );
}

/** Returns what is subtracted from window i of source s when it claims to be target t. */
function cohortOf(
  logs: readonly (readonly Float64Array[])[],
  { who, nearest, weight }: Cohort,
): (t: number, s: number, i: number) => number {
  // One more than are needed: the claimed user may be among them.
  const kept = nearest + 1;
  const nearests = logs.map((_, s) =>
    Array.from(logs[0]![s]!, (_log, i) => {
      const [targets, values] = [new Array<number>(kept).fill(-1), new Array<number>(kept).fill(Infinity)];
      for (const [other, bySource] of logs.entries()) {
        if (who === 'outsiders' && other === s) continue;
        let [target, value] = [other, bySource[s]![i]!];
        // Ascending: a nearer one pushes the farthest out.
        for (let place = 0; place < kept; place += 1) {
          if (value >= values[place]!) continue;
          [targets[place], target] = [target, targets[place]!];
          [values[place], value] = [value, values[place]!];
        }
      }
      return { targets, values };
    }),
  );
  return (t, s, i) => {
    const { targets, values } = nearests[s]![i]!;
    let [sum, count] = [0, 0];
    for (let place = 0; count < nearest; place += 1) {
      if (targets[place] === t) continue;
      sum += values[place]!;
      count += 1;
    }
    return (weight * sum) / nearest;
  };
}
