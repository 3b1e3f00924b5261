/** The settings of an arm of the evaluation, and those that validation chooses from. */
import type { ScoreKind } from '@eigenveil/authentication';
import type { Scale } from '../../instrument/tidy.ts';
import { KEYS, type People, WALK } from '../people.ts';

export type Method = 'manhattan' | 'mahalanobis' | 'pca' | 'dca' | 'lda' | 'random';

/** The way from raw rows to distances. */
export interface SpaceSetting {
  readonly method: Method;
  /** Unit of the signed logarithm, in the file's units. */
  readonly logUnit: number;
  /** k; all features for the raw arms. */
  readonly components: number;
  /** ρ of `dca`, `lda` and `mahalanobis`, as a task has it; of `manhattan`, the share of the pooled deviations in a user's own; 0 of others. */
  readonly ridge: number;
  /** The scale of components. For `pca` it is their deviation, which the eigenvalues say. For `dca` it is what is within people, with ρ. */
  readonly whitened: boolean;
  readonly score: ScoreKind;
}

/**
 * The way in which scores of different users and windows are made to compare, the same for all arms: L = log(1 + (r·(u/ū)^(1−own))²) less what `everyone` or `cohort` says.
 *
 * r is the distance in the user's own unit u (see Scorer), ū the geometric mean of all templates' units. With own = 1 and nothing subtracted, L is r alone, in an order
 * that is the same. A service can do this though every user has a frame of their own: u and ū come from spreads.
 */
export interface Normalisation {
  readonly own: number;
  /**
   * The share of log(1 + e) that is subtracted, e being the squared distance of the window from everyone's mean over what that is on average. Rotations leave the length
   * of a window as it is, so a service can do this, too, with windows that are centred by the projection's declared mean and frames without a translation.
   */
  readonly everyone: number;
  readonly cohort?: Cohort;
  /** L is the logarithm of the service's own score instead (see Scorer), which takes the templates' units and windows as they are. */
  readonly service?: true;
}

/**
 * The share of the mean of the least L of other users' templates that is subtracted (a T-norm that looks at the nearest). A window is compared with templates that
 * stand in other frames then, which a service cannot do: this takes one frame for all users.
 */
export interface Cohort {
  readonly who: CohortKind;
  readonly nearest: number;
  readonly weight: number;
}

/** True if an impostor's own template is among the others: an impostor who is a user of the service, or one whom it does not know. */
export type CohortKind = (typeof COHORT_KINDS)[number];
export const COHORT_KINDS = ['insiders', 'outsiders'] as const;

export type Setting = SpaceSetting & Normalisation;

/** Distances in the user's own unit, and no more. */
export const BARE: Normalisation = { own: 1, everyone: 0 };
/** The score that the service computes. No grid has it: it is an arm of its own. */
const SERVICE: Normalisation = { ...BARE, service: true };
/** The service's default. */
const SERVICE_SCORE: ScoreKind = 'mahalanobis';

export interface Grid {
  readonly logUnits: readonly number[];
  readonly components: readonly number[];
  readonly ridges: readonly number[];
  readonly shares: readonly number[];
  readonly scores: readonly ScoreKind[];
  readonly normalisations: readonly Normalisation[];
}

const product = <A, B, C>(as: readonly A[], bs: readonly B[], of: (a: A, b: B) => C): C[] =>
  as.flatMap((a) => bs.map((b) => of(a, b)));

const GRID: Omit<Grid, 'components' | 'ridges'> = {
  logUnits: [1, 0.01],
  shares: [0, 0.3, 0.6, 1],
  scores: ['euclidean', 'mahalanobis', 'cosine'],
  normalisations: [
    ...product([0, 0.5, 1], [0, 0.5, 1], (own, everyone) => ({ own, everyone })),
    ...COHORT_KINDS.flatMap((who) =>
      product(
        [0, 0.5],
        [
          [1, 1],
          [3, 1],
          [3, 0.5],
        ] as const,
        (own, [nearest, weight]) => ({
          own,
          everyone: 0,
          cohort: { who, nearest, weight },
        }),
      ),
    ),
  ],
};

/** The grids by data set; the most components are those of the goals. */
const GRIDS: Readonly<Record<string, Grid>> = {
  [KEYS]: { ...GRID, ridges: [0.1, 1, 10, 100], components: [8, 12, 16, 20] },
  [WALK]: { ...GRID, ridges: [0.01, 0.1, 1, 10], components: [4, 6, 8, 12] },
};

/** For other people, as far as they and their features have room. */
const SIZES = [4, 6, 8, 12, 20];

/** A first look. */
const QUICK: Omit<Grid, 'components'> = {
  logUnits: [1],
  ridges: [1],
  shares: [0.6],
  scores: ['mahalanobis'],
  normalisations: [
    { own: 0.5, everyone: 0.5 },
    BARE,
    ...COHORT_KINDS.map((who) => ({ own: 0, everyone: 0, cohort: { who, nearest: 1, weight: 1 } })),
  ],
};

/** The scale that validation chooses from. A quick run has the fewest and the most components alone. */
export function gridOf({ dataset, features, people }: People, scale: Scale): Grid {
  const full = GRIDS[dataset] ?? gridFor(Math.min(features.length, people.length - 1));
  if (scale === 'full') return full;
  const ends = new Set([full.components[0]!, full.components.at(-1)!]);
  return { ...QUICK, components: [...ends] };
}

function gridFor(most: number): Grid {
  const sizes = SIZES.filter((size) => size <= most);
  return { ...GRID, ridges: [0.1, 1, 10], components: sizes.length === 0 ? [most] : sizes };
}

const RAW: readonly Method[] = ['manhattan', 'mahalanobis'];
export const isRaw = (method: Method): boolean => RAW.includes(method);

/** All settings of distances that a method is offered. Whitened spaces have Euclidean distances, which are Mahalanobis ones before whitening. */
export function spacesOf(method: Method, features: number, grid: Grid): SpaceSetting[] {
  const { logUnits, components, ridges, shares, scores } = grid;
  const sizes = isRaw(method) ? [features] : components;
  return logUnits.flatMap((logUnit) =>
    ridgesOf(method, ridges, shares).flatMap((ridge) =>
      (WHITENABLE.includes(method) ? [false, true] : [false]).flatMap((whitened) => {
        const kinds: readonly ScoreKind[] = isRaw(method) || whitened ? ['euclidean'] : scores;
        const of = { method, logUnit, ridge, whitened };
        return product(sizes, kinds, (size, score) => ({ ...of, components: size, score }));
      }),
    ),
  );
}

const WHITENABLE: readonly Method[] = ['pca', 'dca'];

/**
 * Returns the settings that go with a space. With a frame for each user, DCA has vectors of length 1, as they are signed; the lengths that whiten them are told by `rotated` to the
 * data user alone. Cohort scores go with raw and whitened spaces.
 */
export function normalisationsOf(
  { method, whitened, score }: SpaceSetting,
  grid: Grid,
): readonly Normalisation[] {
  const offered = grid.normalisations.filter(({ cohort }) =>
    cohort === undefined ? !(whitened && method === 'dca') : whitened || isRaw(method),
  );
  return method === 'dca' && !whitened && score === SERVICE_SCORE ? [...offered, SERVICE] : offered;
}

function ridgesOf(method: Method, ridges: readonly number[], shares: readonly number[]): readonly number[] {
  if (method === 'manhattan') return shares;
  return method === 'pca' || method === 'random' ? [0] : ridges;
}

/** Says a setting in words. */
export function settingText({
  method,
  logUnit,
  components,
  ridge,
  whitened,
  score,
  own,
  everyone,
  cohort,
  service,
}: Setting): string {
  return [
    `log unit ${logUnit}`,
    `k = ${components}`,
    ...(ridge > 0 ? [method === 'manhattan' ? `${100 * ridge} % pooled deviations` : `ρ = ${ridge}`] : []),
    ...(whitened ? ['whitened'] : []),
    ...(method === 'manhattan' ? [] : [score]),
    ...(service ? ['score of the service'] : [`own ${own}`]),
    ...(everyone > 0 ? [`everyone ${everyone}`] : []),
    ...(cohort ? [`cohort of ${cohort.nearest}, weight ${cohort.weight}`] : []),
  ].join(', ');
}
