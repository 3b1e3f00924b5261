/** The arms of the evaluation: what each chooses in validation, and its scores on rows that were not looked at until then. */
import type { Comparison } from '@eigenveil/testbed/recognition/error-rates';
import type { People } from '../people.ts';
import { type Chosen, rank } from './choice.ts';
import { normalised } from './comparisons.ts';
import { distancesOf, type Final, learn } from './protocol.ts';
import {
  BARE,
  COHORT_KINDS,
  type CohortKind,
  type Grid,
  isRaw,
  type Method,
  type Setting,
} from './settings.ts';

/** The templates that a window is compared with: the claimed user's alone, as frames of their own allow, or others' as well. */
export type Family = 'frames' | CohortKind;

export interface Arm {
  readonly name: string;
  readonly title: string;
  readonly method: Method;
  readonly family: Family;
  /** The setting in which scores are the service's, or bare distances, and validation chooses nothing. */
  readonly scores?: 'service' | 'bare';
}

const TITLES = {
  manhattan: 'raw rows, scaled Manhattan',
  mahalanobis: 'raw rows, pooled Mahalanobis',
  random: 'random projection',
  pca: 'PCA',
  dca: 'DCA',
  lda: 'LDA, with the settings of DCA',
} as const satisfies Record<Method, string>;

const arm = (method: Method, family: Family): Arm => ({
  name: family === 'frames' ? method : `${method}-${family}`,
  title: TITLES[method],
  method,
  family,
});

const WITH_COHORTS: readonly Method[] = ['manhattan', 'mahalanobis', 'pca', 'dca'];

/** DCA as the service scores its windows. */
export const SERVICE_ARM = 'dca-service';

export const ARMS: readonly Arm[] = [
  ...(['manhattan', 'mahalanobis', 'random', 'pca', 'dca', 'lda'] as const).map((method) =>
    arm(method, 'frames'),
  ),
  { ...arm('dca', 'frames'), name: SERVICE_ARM, title: 'DCA, the score of the service', scores: 'service' },
  { ...arm('dca', 'frames'), name: 'dca-bare', title: 'DCA, bare distances', scores: 'bare' },
  ...COHORT_KINDS.flatMap((family) => WITH_COHORTS.map((method) => arm(method, family))),
];
/** The titles for people to read. */
export const ARM_TITLES: Readonly<Record<string, string>> = Object.fromEntries(
  ARMS.map(({ name, title, family }) => [name, family === 'frames' ? title : `${title}, ${family}`]),
);
export const rawArms = (family: Family): readonly string[] =>
  ARMS.filter((it) => it.family === family && isRaw(it.method)).map(({ name }) => name);
/** The arm of the goals. */
export const headlineArm = (family: Family): string => arm('dca', family).name;

/** Seeds of random projections; their error rates are averaged. */
const RANDOM_SEEDS = [1, 2, 3, 4, 5];

/** All settings that were tried, by arm, the best first. */
export type Ranked = ReadonlyMap<string, readonly Chosen[]>;

/** LDA has the vectors of DCA with the same ρ, and so its settings. */
export async function rankAll(people: People, grid: Grid, note?: (text: string) => void): Promise<Ranked> {
  const byMethod = new Map<Method, readonly Chosen[]>();
  for (const method of new Set(ARMS.map((it) => it.method)))
    byMethod.set(
      method,
      method === 'lda'
        ? byMethod
            .get('dca')!
            .map((chosen): Chosen => ({ ...chosen, setting: { ...chosen.setting, method } }))
        : await rank(people, method, grid, note),
    );
  return new Map(
    ARMS.map(({ name, method, family, scores }) => [
      name,
      byMethod
        .get(method)!
        .filter(
          ({ setting }) =>
            familyOf(setting) === family &&
            (setting.service === true) === (scores === 'service') &&
            (scores !== 'bare' || isBare(setting)),
        ),
    ]),
  );
}

/** The setting of an arm that validation chose. */
export const settingOf = (ranked: Ranked, name: string): Setting => ranked.get(name)![0]!.setting;

const familyOf = ({ cohort }: Setting): Family => cohort?.who ?? 'frames';

const isBare = ({ own, everyone }: Setting): boolean => own === BARE.own && everyone === BARE.everyone;

/** Scores of a setting, once for each seed if it takes seeds. */
export interface Runs {
  readonly thresholds: readonly (readonly Comparison[])[];
  readonly test: readonly (readonly Comparison[])[];
}

/** Impostors have the victim's frame: no frame then changes any score (see frames.ts). */
export function runsOf(setting: Setting, { learn: rows, thresholds, test }: Final): Runs {
  const seeds = setting.method === 'random' ? RANDOM_SEEDS : [0];
  const spaces = seeds.map((seed) => learn(setting, rows, seed));
  const scores = (probe: Final['test']) =>
    spaces.map((space) => normalised(distancesOf(space, rows, probe), setting));
  return { thresholds: scores(thresholds), test: scores(test) };
}
