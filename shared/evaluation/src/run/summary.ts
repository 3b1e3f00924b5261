/** What a run prints, and whether it is a failure. */
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

/** For the terminal: what is broken or failed by name, the rest in numbers. */
export function summaryOf(result: EvaluationResult): string {
  const { experiments, claims, controls, failures, missing, run } = result;
  const of = (expectation: string, verdict: string) =>
    experiments.filter((one) => one.expectation === expectation && one.verdict === verdict).length;
  const claimed = ['broken', 'undecided', 'holds', 'measured', 'not covered'].map(
    (verdict) => `${claims.filter((claim) => claim.verdict === verdict).length} ${verdict}`,
  );
  const found = controls.filter((control) => control.found).length;
  return [
    `experiments that could refute a claim: ${of('holds', 'broken')} broken, ${of('holds', 'undecided')} undecided, ${of('holds', 'holds')} hold`,
    `admitted leaks: ${of('admitted', 'broken')} measured above the margin, ${of('admitted', 'undecided')} undecided, ${of('admitted', 'holds')} below it`,
    `controls: ${found} of ${controls.length} found`,
    `claims: ${claimed.join(', ')}${run.only === null ? '' : ' (not all experiments ran)'}`,
    ...problemsOf(result),
    ...failures.map(
      ({ experiment, scene, why }) => `${experiment} over ${scene} failed: ${why.split('\n')[0]}`,
    ),
    ...(missing.length === 0 ? [] : [`${missing.length} cases are missing`]),
  ].join('\n');
}

/** What makes the run a failure: a claim refuted and confirmed, a known leak that was not seen, a case that failed. */
export function problemsOf({ experiments, controls, failures }: EvaluationResult): string[] {
  const broken = experiments.filter(
    ({ expectation, verdict }) => expectation === 'holds' && verdict === 'broken',
  );
  const unseen = controls.filter(({ found }) => !found);
  return [
    ...broken.map(({ id, claims }) => `BROKEN: ${id}, against ${claims.join(', ') || 'no claim'}`),
    ...unseen.map(({ id }) => `NOT FOUND: the known leak of ${id}, so this run proves nothing`),
    ...(failures.length === 0 ? [] : [`FAILED: ${failures.length} cases`]),
  ];
}
