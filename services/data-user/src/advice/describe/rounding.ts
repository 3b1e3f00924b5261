/** What rounding does to a result, in words: an estimate from what is released. */
import { roundingAngles } from '@eigenveil/projection/portable';
import type { Projection } from '@eigenveil/wire';

/** By how many radians rounding turns each component, 0 for one that was not found; undefined of what has no such estimate, and where the noise does much more. */
export function roundingOf(projection: Projection): number[] | undefined {
  const { method, sketch, differentialPrivacy } = projection;
  const isCovariance = method.kind === 'pca' && method.scale !== 'correlation' && sketch === undefined;
  if (!isCovariance || differentialPrivacy !== null) return undefined;
  const { eigenvalues, converged } = projection;
  const isFound = (_: number, j: number) => converged?.[j] !== false;
  const angles = roundingAngles({ ...projection, eigenvalues: eigenvalues.filter(isFound) });
  return eigenvalues.map((value, j) => (isFound(value, j) ? angles.shift()! : 0));
}

/** A sentence, without its end; undefined where there is no estimate. */
export function roundingInWords(projection: Projection): string | undefined {
  const angles = roundingOf(projection);
  if (angles === undefined) return undefined;
  const { trace, spectrum, fractionBits } = projection;
  const from =
    trace === undefined && spectrum === undefined ? 'of the components alone' : 'that are declared';
  return `an estimate from the eigenvalues ${from}: rounding the rows to 2^-${fractionBits} turns the components by ${Math.max(...angles).toExponential(0)} rad at most`;
}
