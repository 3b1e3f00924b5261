/**
 * Computes from windows of some users how the service scores windows of a projection, and when a score is
 * strange. Scores are in each user's own unit, set against everybody's mean, and the same in every frame, so
 * results from some users serve all.
 */
import {
  crossScores,
  FEWEST_PAIRS,
  likelihoodRatios,
  makeTemplate,
  momentsOf,
  movementOf,
  type ScoreKind,
  Scorer,
  trustSettings,
} from '@eigenveil/authentication';
import { Projector } from '@eigenveil/projection';
import type { ProjectionSettings } from './cli/settings.ts';
import { type EnrolOptions, openCentred, type Rows } from './device/client.ts';

/**
 * The promises of an engine: both kinds promise error rates for the right user, and the sequential one also
 * for an impostor.
 */
type Promised =
  | { readonly kind: 'trust'; readonly windowsPerFalseStepUp: number }
  | {
      readonly kind: 'sequential';
      readonly falseStepUp: number;
      readonly falseLock: number;
      readonly missedImpostor: number;
    };

/**
 * Returns the entry of the setting `projections` for this projection and users like these.
 * @param rows the rows of each user, in the order of time and with the projection's features: of two users
 *   or more, at least 10 of each
 * @throws ERR_TOO_FEW_WINDOWS, ERR_CALIBRATION_INVALID, and as openCentred and Projector.transform
 */
export async function calibrated(
  { evidence, csp }: Pick<EnrolOptions, 'evidence' | 'csp'>,
  rows: readonly Rows[],
  { score, promised }: { readonly score: ScoreKind; readonly promised: Promised },
): Promise<ProjectionSettings> {
  const { task, projection, basis, provenance } = await openCentred(evidence, csp);
  const projector = new Projector(task, projection, basis);
  const windows = rows.map((it) => projector.transform(it).map((row) => Float64Array.from(row)));
  const movement = movementOfUsers(windows);
  return {
    digest: provenance.projectionDigest,
    components: projection.vectors.length,
    largestLength: largestLength(projector),
    score,
    engine: engineFor(windows, score, promised),
    ...(movement === undefined ? {} : { movement }),
  };
}

function engineFor(
  users: readonly (readonly Float64Array[])[],
  score: ScoreKind,
  promised: Promised,
): ProjectionSettings['engine'] {
  const genuine = users.flatMap((windows) => crossScores(windows, score));
  const impostor = users.flatMap((windows, user) => {
    const scorer = new Scorer(makeTemplate(windows), score);
    return users.flatMap((others, other) =>
      other === user ? [] : others.map((window) => scorer.score(window)),
    );
  });
  if (promised.kind === 'trust') return { kind: 'trust', ...trustSettings(genuine, impostor, promised) };
  const { edges, logRatios } = likelihoodRatios(genuine, impostor);
  return { ...promised, edges: [...edges], logRatios: [...logRatios] };
}

/**
 * Returns how far users move from one time to another, measured from the halves of their windows, or
 * undefined if there are too few users to measure it.
 */
function movementOfUsers(users: readonly (readonly Float64Array[])[]): number | undefined {
  if (users.length < FEWEST_PAIRS) return undefined;
  return movementOf(
    users.map((windows) => {
      const half = Math.floor(windows.length / 2);
      return [momentsOf(windows.slice(0, half)), momentsOf(windows.slice(half))];
    }),
  );
}

/**
 * Returns a bound on the length of every row that this projector reduces: a scaled feature lies in [−1, 1]
 * before the mean is subtracted.
 */
function largestLength({ projection: { vectors, mean } }: Projector): number {
  return Math.hypot(
    ...vectors.map((vector) =>
      vector.reduce((sum, entry, i) => sum + Math.abs(entry) * (1 + Math.abs(mean?.[i] ?? 0)), 0),
    ),
  );
}
