/** Runs of the protocol in one process, with a trusted dealer for the products, and how far a result is from the reference. */
import { randomBytes } from 'node:crypto';
import { ofKind, type Result } from '@eigenveil/methods';
import { decompose } from '@eigenveil/projection';
import { MessageStream } from '../../src/channel/message-stream.ts';
import { type Channel, type Pace, systemClock } from '../../src/index.ts';
import { answerRotated } from '../../src/rotated/csp.ts';
import { askRotated } from '../../src/rotated/data-user.ts';
import type { RotatedParameters } from '../../src/rotated/parameters.ts';
import { RandomBits } from '../../src/rotated/random.ts';
import { drawSecrets, type RotationSecrets } from '../../src/rotated/secrets.ts';
import { dealtLattice } from '../support/dealers.ts';
import { memoryChannelPair } from '../support/memory-channel.ts';
import type { Setting } from './settings.ts';

/** For tests of what is computed, not of when it is sent. */
export const AT_ONCE: Pace = { milliseconds: 0, clock: systemClock };

export const systemBits = () => new RandomBits((length) => randomBytes(length));

export interface RunOptions {
  readonly channels?: [Channel, Channel];
  readonly secrets?: (parameters: RotatedParameters) => RotationSecrets;
  readonly markAnswered?: () => Promise<void>;
}

export async function runClear(
  { task, program, garbler, evaluator }: Setting,
  { channels = memoryChannelPair(), secrets, markAnswered = async () => undefined }: RunOptions = {},
) {
  const { csp, user, log } = dealtLattice();
  const draw =
    secrets ?? ((parameters: RotatedParameters) => drawSecrets(parameters, program.components, systemBits()));
  const [result] = await Promise.all([
    askRotated(new MessageStream(channels[1]), user, { task, program }, { ...evaluator, pace: AT_ONCE }),
    answerRotated(new MessageStream(channels[0]), csp, { task, program }, { ...garbler, markAnswered }, draw),
  ]);
  return { result, log };
}

/** Largest |Δλ|/λ₁ over the spectrum, and the largest sine · gap/λ₁ over the leading subspaces of the result. */
export function distanceToReference({ program, statistics }: Setting, found: Result) {
  const result = ofKind('components', found);
  const d = program.featureCount;
  const all = decompose({ ...program, components: d, allowFullRank: true }, statistics);
  const largest = all.eigenvalues[0]!;
  const eigenvalueError = Math.max(
    ...result.spectrum!.map((value, i) => Math.abs(value - all.eigenvalues[i]!) / largest),
  );
  // ‖(I − U Uᵀ) w‖ of each vector against the eigenspace up to the next clear gap.
  let sineGap = 0;
  for (let count = 1; count <= result.vectors.length; count += 1) {
    const gap = (all.eigenvalues[count - 1]! - (all.eigenvalues[count] ?? 0)) / largest;
    for (const vector of result.vectors.slice(0, count)) {
      const rest = all.vectors
        .slice(count)
        .map((other) => other.reduce((sum, entry, i) => sum + entry * vector[i]!, 0));
      if (count < d) sineGap = Math.max(sineGap, Math.hypot(...rest) * gap);
    }
  }
  return { eigenvalueError, sineGap };
}
