/** The verdict of t statistics: of an operation, and of the run as a whole. */
import { CLEAR, type Comparison, SUSPICIOUS } from './welch.ts';

/** The classes of a positive control must be distinguished, those of a negative one must not; both in every run, or its silence means nothing. */
export type Kind = 'positive control' | 'negative control' | 'operation';

type Reading = 'differs' | 'suspicious' | 'no difference seen';

interface Measured extends Comparison {
  readonly name: string;
  readonly kind: Kind;
  /** The names of the classes. */
  readonly classes: readonly [string, string];
}

export function readingOf({ t }: Pick<Comparison, 't'>): Reading {
  if (Math.abs(t) > CLEAR) return 'differs';
  return Math.abs(t) > SUSPICIOUS ? 'suspicious' : 'no difference seen';
}

/** The reasons why nothing may be concluded from this run; empty when it is valid. */
export function faultsOf(all: readonly Pick<Measured, 'name' | 'kind' | 't'>[]): string[] {
  const faults = all.flatMap((measured) => {
    const { name, kind, t } = measured;
    const differs = readingOf(measured) === 'differs';
    if (kind === 'positive control' && !differs)
      return [
        `"${name}" expected |t| above ${CLEAR}, got ${Math.abs(t).toFixed(1)}: too few samples or too much noise`,
      ];
    if (kind === 'negative control' && differs)
      return [
        `"${name}" expected |t| of at most ${CLEAR}, got ${Math.abs(t).toFixed(1)}: the harness distinguishes equal classes`,
      ];
    return [];
  });
  for (const kind of ['positive control', 'negative control'] as const) {
    if (!all.some((measured) => measured.kind === kind)) faults.push(`expected a ${kind}, got none`);
  }
  return faults;
}
