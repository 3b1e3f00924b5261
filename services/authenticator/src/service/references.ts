/**
 * The projections in use: the form of their windows, how windows are scored, and how decisions follow from
 * scores.
 */
import {
  AUTHENTICATION_CODES,
  checkWindow,
  type Engine,
  engineOf,
  type ScoreKind,
} from '@eigenveil/authentication';
import { COMMAND_CODES } from '@eigenveil/command';
import { CodedError, isOf } from '@eigenveil/platform';
import { CODES, type Digest } from '@eigenveil/wire';
import type { ProjectionSettings } from '../cli/settings.ts';

export class Reference {
  readonly projection: Digest;
  readonly components: number;
  readonly score: ScoreKind;
  readonly engine: Engine;
  /** The movement of users, as driftProbability takes it, or undefined if it was not measured. */
  readonly movement: number | undefined;
  readonly #largestLength: number;

  /** @throws ERR_SETTINGS_INVALID */
  constructor({ digest, components, largestLength, score, engine, movement }: ProjectionSettings) {
    this.projection = digest;
    this.components = components;
    this.score = score;
    this.engine = engineOf(engine);
    this.movement = movement;
    this.#largestLength = largestLength ?? Number.POSITIVE_INFINITY;
  }

  /**
   * Returns windows as the library takes them.
   * @throws ERR_WINDOW_INVALID for one of another width, with an entry beyond the library's bound, or
   *   longer than a row of the projection can be
   */
  windows(rows: readonly (readonly number[])[]): Float64Array[] {
    return rows.map((row) => {
      const window = Float64Array.from(row);
      checkWindow(window, this.components);
      if (Math.hypot(...window) > this.#largestLength)
        throw new CodedError(
          CODES.ERR_WINDOW_INVALID,
          '"windows" expected rows no longer than the projection makes any',
        );
      return window;
    });
  }
}

/**
 * Returns the projections by their digests.
 * @throws ERR_CONFIGURATION when two have the same digest, or an engine's setting is out of its range
 */
export function referencesOf(projections: readonly ProjectionSettings[]): ReadonlyMap<Digest, Reference> {
  const references = new Map<Digest, Reference>();
  for (const [i, projection] of projections.entries()) {
    if (references.has(projection.digest))
      throw new CodedError(
        COMMAND_CODES.ERR_CONFIGURATION,
        `"projections[${i}].digest" expected one that is not listed before`,
      );
    try {
      references.set(projection.digest, new Reference(projection));
    } catch (error) {
      if (!isOf(AUTHENTICATION_CODES, error)) throw error;
      throw new CodedError(COMMAND_CODES.ERR_CONFIGURATION, `"projections[${i}].engine": ${error.message}`);
    }
  }
  return references;
}
