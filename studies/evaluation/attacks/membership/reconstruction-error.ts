/**
 * A member is reconstructed better: Zari, Parra-Arnau, Ünsal, Strufe and Önen, "Membership inference attack against principal component analysis" (Privacy in
 * Statistical Databases 2022). What of a row is not in the span of the released components is compared with that of people who are not in.
 */

import type { FlatResult } from '@eigenveil/methods';
import { meanOfRows } from '../../../recognition/alignment.ts';
import { scaledRows } from '../../released.ts';
import type { Attack } from './attack.ts';
import { reconstructionError } from './statistics.ts';

export const byReconstructionError: Attack = ({ proposal, publicSample }) => {
  const populationMean = meanOfRows(scaledRows(proposal, publicSample.flat()));
  return (candidate) => {
    const rows = scaledRows(proposal, candidate);
    const error = (released: FlatResult) =>
      meanOfRows(rows.map((row) => [reconstructionError(released, row, populationMean)]))[0]!;
    return { rare: -Infinity, score: (released) => -error(released) };
  };
};
