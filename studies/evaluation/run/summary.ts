/** A run in short, for programs, and whether it is a failure. */
import type { EvaluationResult } from '../result.ts';

/** The short form of a run for programs. Of an experiment over several scenes, the case nearest to broken stands for it. */
export function shortForm({ claims, experiments, controls }: EvaluationResult) {
  return {
    claims: claims.map(({ id, verdict }) => ({ id, verdict })),
    experiments: experiments.flatMap(({ id, kind, expectation, verdict, cases }) => {
      if (expectation === 'control' || verdict === null) return [];
      const { success, interval, n } = cases.reduce((worst, one) =>
        one.pBroken < worst.pBroken ? one : worst,
      );
      return [{ id, kind, expectation, verdict, success, interval, n }];
    }),
    controls,
  };
}

/** The problems that make the run a failure: a claim refuted and confirmed, a known leak that was not seen, a case that failed. */
export function problemsOf({ experiments, controls, failures }: EvaluationResult): string[] {
  const broken = experiments.filter(
    ({ expectation, verdict }) => expectation === 'holds' && verdict === 'broken',
  );
  const unseen = controls.filter(({ found, tooNoisy }) => !found && tooNoisy === undefined);
  return [
    ...broken.map(({ id, claims }) => `BROKEN: ${id}, against ${claims.join(', ') || 'no claim'}`),
    ...unseen.map(({ id }) => `NOT FOUND: the known leak of ${id}, so this run proves nothing`),
    ...(failures.length === 0 ? [] : [`FAILED: ${failures.length} cases`]),
  ];
}

/** The leaks that this machine is too busy for; a run on a quieter one may be a good one. */
export function noiseOf({ controls }: EvaluationResult): string[] {
  return controls.flatMap(({ id, tooNoisy }) =>
    tooNoisy === undefined ? [] : [`TOO NOISY HERE: the known leak of ${id} is hidden: ${tooNoisy}`],
  );
}
