/** The verdict of a run on each claim. */
import type { ClaimResult, ClaimVerdict, ExperimentResult } from '../result.ts';
import type { Claim } from './read.ts';

/** @throws Error when an experiment names a claim that the documents do not have */
export function judgedClaims(
  claims: readonly Claim[],
  experiments: readonly ExperimentResult[],
): ClaimResult[] {
  const known = new Set(claims.map(({ id }) => id));
  for (const { id, claims: named } of experiments)
    for (const claim of named)
      if (!known.has(claim)) throw new Error(`${id} names ${claim}, which no document has`);
  return claims.map((claim): ClaimResult => {
    const about = experiments.filter(
      ({ claims: named, verdict }) => verdict !== null && named.includes(claim.id),
    );
    const [holds, admitted, controls] = (['holds', 'admitted', 'control'] as const).map((expectation) =>
      about.filter((experiment) => experiment.expectation === expectation),
    );
    return {
      ...claim,
      verdict: verdictOf(holds!, admitted!),
      experiments: [...holds!, ...admitted!].map(({ id }) => id),
      controls: controls!.map(({ id }) => id),
    };
  });
}

/** A control says that the instrument sees, nothing of a claim; a claim that no experiment could refute is measured at most. */
function verdictOf(holds: readonly ExperimentResult[], admitted: readonly ExperimentResult[]): ClaimVerdict {
  if (holds.length === 0) return admitted.length === 0 ? 'not covered' : 'measured';
  if (holds.some(({ verdict }) => verdict === 'broken')) return 'broken';
  return holds.every(({ verdict }) => verdict === 'holds') ? 'holds' : 'undecided';
}
