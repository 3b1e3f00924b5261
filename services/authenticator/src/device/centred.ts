/**
 * Verifies projections whose windows are centred: everybody's mean is the origin, also in a device's frame,
 * and scores are set against it.
 */
import { CodedError } from '@eigenveil/platform';
import { openProjection, type SignedProjection } from '@eigenveil/projection';
import { CODES, type Thumbprint } from '@eigenveil/wire';

/**
 * Verifies a projection. The Projector subtracts the mean that both servers have signed, so that no other
 * party chooses the origin.
 * @throws ERR_PROJECTION_INVALID for a projection without the mean, and as openProjection
 */
export async function openCentred(
  evidence: SignedProjection,
  csp: Thumbprint,
): ReturnType<typeof openProjection> {
  const verified = await openProjection(evidence, csp);
  if (verified.projection.mean === undefined)
    throw new CodedError(
      CODES.ERR_PROJECTION_INVALID,
      '"projection.mean" expected the mean of all rows, by which windows are centred: take a projection of a task with "mean" among its "outputs"',
    );
  return verified;
}
