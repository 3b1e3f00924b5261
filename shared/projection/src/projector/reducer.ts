/** Makes the numbers of reduced rows, whatever the result is. */
import type { Predictor } from './predictor.ts';
import type { Projector } from './projector.ts';

/** Makes the numbers of reduced rows. It counts what it clips. */
export interface Reducer {
  /** The columns that rows have. */
  readonly features: Projector['features'];
  /** The names of the columns that come out. */
  readonly names: readonly string[];
  readonly apply: (rows: readonly ArrayLike<number>[]) => readonly (readonly number[])[];
  /** Returns, for each column that rows have, the number of cells that were clipped so far. */
  readonly clippedCells: () => readonly number[];
}

export const byProjector = (projector: Projector): Reducer => ({
  features: projector.features,
  names: projector.componentNames,
  apply: (rows) => projector.transform(rows),
  clippedCells: () => projector.clippedCells,
});

/**
 * Makes a reducer of one column, whose name is `predicted_` and the name of the feature that is predicted.
 */
export const byPredictor = (predictor: Predictor): Reducer => ({
  features: predictor.features,
  names: [`predicted_${predictor.targetName}`],
  apply: (rows) => predictor.predict(rows).map((value) => [value]),
  clippedCells: () => predictor.clippedCells,
});
