/** All experiments on what a template gives away, in one run; the figures of docs/authentication-study/templates.md. */
import type { ScoreKind } from '@eigenveil/authentication';
import { type CountLinkage, linkCounts } from './class-counts.ts';
import { type Forgery, forge, STRATEGIES } from './forged-streams.ts';
import { type Interval, MARGIN, shareOf } from './intervals.ts';
import { loadPeople, type People } from './people.ts';
import { type Kind, projectionOf, reduced } from './projections.ts';
import { recover, scoresNeeded } from './revealed-scores.ts';
import { type Scene, sceneOf, templateOf } from './scene.ts';
import {
  KNOWN,
  type Linkage,
  type LinkageSetting,
  link,
  MEANS,
  services,
  type TranslationGain,
  translationGain,
} from './template-linkage.ts';
import { ATTACKS, type Reconstruction, reconstruct } from './template-reconstruction.ts';
import { alignBoth, type BothTemplates, type Renewal, renew } from './template-renewal.ts';

export interface Recoveries {
  readonly dataset: string;
  readonly score: ScoreKind;
  readonly components: number;
  readonly scores: number;
  /** People whose template's mean came back to six digits. */
  readonly recovered: Interval;
}

export interface TemplateStudy {
  readonly profile: 'full' | 'quick';
  readonly margin: number;
  readonly datasets: readonly {
    readonly name: string;
    readonly people: number;
    readonly rows: number;
    readonly features: number;
  }[];
  readonly missing: readonly string[];
  readonly reconstruction: readonly Reconstruction[];
  readonly linkage: readonly Linkage[];
  readonly translation: readonly TranslationGain[];
  readonly recovery: readonly Recoveries[];
  readonly forgery: readonly Forgery[];
  readonly counts: readonly CountLinkage[];
  readonly renewal: readonly Renewal[];
  readonly both: readonly BothTemplates[];
}

interface Plan {
  readonly dataset: string;
  readonly people: number;
  /** At which all experiments run: the components that recognition is measured with. */
  readonly components: number;
  /** At which windows are also reconstructed with the frame unknown. */
  readonly few: number;
  /** At which windows are reconstructed with the frame known. */
  readonly sweep: { readonly dca: readonly number[]; readonly pca: readonly number[] };
  readonly minimumClassRows: readonly number[];
  /** Of renewed frames. */
  readonly scores: readonly ScoreKind[];
}

const FULL: readonly Plan[] = [
  {
    dataset: 'wisdm_walk_user',
    people: Infinity,
    components: 12,
    few: 4,
    sweep: { dca: [2, 4, 8, 12, 20, 35], pca: [2, 4, 8, 12, 20, 35] },
    minimumClassRows: [1, 50, 60],
    scores: ['euclidean', 'mahalanobis', 'cosine'],
  },
  {
    dataset: 'meu_keystroke',
    people: Infinity,
    components: 20,
    few: 4,
    sweep: { dca: [4, 8, 12, 20, 40, 55], pca: [4, 8, 12, 20, 40, 55] },
    minimumClassRows: [1, 50],
    scores: ['euclidean', 'mahalanobis', 'cosine'],
  },
];

const QUICK: readonly Plan[] = [
  {
    dataset: 'wisdm_walk_user',
    people: 12,
    components: 3,
    few: 3,
    sweep: { dca: [3], pca: [35] },
    minimumClassRows: [1, 50],
    scores: ['euclidean'],
  },
];

/** Attempts at most. */
const LIMITS = [1, 3, 5, 10, 20, 60, 100];
/** Templates that scores are asked of. */
const RECOVERED_PEOPLE = 10;
const CLOSE = 1e-6;

/** @param tell a line on what is done now */
export async function runTemplateStudy(
  quick: boolean,
  tell: (line: string) => void = () => {},
): Promise<TemplateStudy> {
  const plans = quick ? QUICK : FULL;
  const loaded = await Promise.all(
    plans.map(async (plan) => ({ plan, people: await loadPeople(plan.dataset) })),
  );
  const missing = loaded.flatMap(({ plan, people }) => (people === undefined ? [plan.dataset] : []));
  const parts = loaded.flatMap(({ plan, people }) => {
    if (people === undefined) return [];
    const some = { ...people, people: people.people.slice(0, plan.people) };
    return [partOf(plan, some, sceneOf(some), (what) => tell(`${plan.dataset}: ${what}`))];
  });
  const all = <T>(of: (part: Part) => readonly T[]): T[] => parts.flatMap(of);
  return {
    profile: quick ? 'quick' : 'full',
    margin: MARGIN,
    datasets: all(({ dataset }) => [dataset]),
    missing,
    reconstruction: all(({ reconstruction }) => reconstruction),
    linkage: all(({ linkage }) => linkage),
    translation: all(({ translation }) => translation),
    recovery: all(({ recovery }) => recovery),
    forgery: all(({ forgery }) => forgery),
    counts: all(({ counts }) => counts),
    renewal: all(({ renewal }) => renewal),
    both: all(({ both }) => both),
  };
}

type Part = ReturnType<typeof partOf>;

function partOf(plan: Plan, people: People, scene: Scene, tell: (what: string) => void) {
  const kind: Kind = { method: 'dca', components: plan.components };
  const did = <T>(what: string, of: () => T): T => {
    tell(what);
    return of();
  };
  return {
    dataset: {
      name: people.dataset,
      people: people.people.length,
      rows: people.people.reduce((sum, { rows }) => sum + rows.length, 0),
      features: people.features.length,
    },
    reconstruction: did('features from windows', () => reconstructions(plan, scene)),
    linkage: did('templates of two services', () => linkages(scene, kind)),
    translation: did('frames with a translation', () =>
      MEANS.map((means) => translationGain(scene, kind, means)),
    ),
    recovery: did('scores revealed', () => recoveries(scene, kind)),
    forgery: did('forged streams', () => forgeries(scene, kind)),
    counts: did('numbers of rows', () =>
      plan.minimumClassRows.flatMap((minimum) => [
        linkCounts(people, 'the same rows', minimum),
        linkCounts(people, 'the first 60 % and all rows', minimum),
        linkCounts(people, 'at most the median number', minimum),
      ]),
    ),
    renewal: did('renewed frames', () =>
      plan.scores.flatMap((score) =>
        [false, true].map((translated) => renew(scene, { kind, score, translated })),
      ),
    ),
    both: did('old and new templates', () =>
      [false, true].map((translated) => alignBoth(scene, kind, translated)),
    ),
  };
}

function reconstructions(plan: Plan, scene: Scene): Reconstruction[] {
  const [known, ...unknown] = ATTACKS;
  const swept = (['dca', 'pca'] as const).flatMap((method) =>
    plan.sweep[method].flatMap((components) =>
      [true, false].map((enrolled) => reconstruct(scene, { method, components }, known!, enrolled)),
    ),
  );
  const attacked = [...new Set([plan.few, plan.components])].flatMap((components) =>
    unknown.map((attack) => reconstruct(scene, { method: 'dca', components }, attack)),
  );
  return [...swept, ...attacked];
}

function linkages(scene: Scene, kind: Kind): Linkage[] {
  const settings: readonly LinkageSetting[] = [
    { kind, other: 'the same', frames: 'orthogonal' },
    { kind, other: 'of other people', frames: 'orthogonal' },
    { kind, other: 'of the other method', frames: 'orthogonal' },
    { kind, other: 'the same', frames: 'translated' },
    { kind, other: 'the same', frames: 'none' },
  ];
  return settings.flatMap((setting, i) => {
    const sides = services(scene, setting);
    const means = setting.frames === 'none' ? [MEANS.at(-1)!] : [...MEANS, ...(i === 0 ? KNOWN : [])];
    return means.map((by) => link(scene, setting, by, sides));
  });
}

function recoveries(scene: Scene, kind: Kind): Recoveries[] {
  const projection = projectionOf(
    kind,
    scene.subjects.map(({ early }) => early),
  );
  const asked = scene.subjects.slice(0, RECOVERED_PEOPLE);
  return (['euclidean', 'mahalanobis'] as const).flatMap((score) =>
    [-1, 0].map((more) => {
      const scores = scoresNeeded(projection.vectors.length, score) + more;
      const errors = asked.map(({ name, early }) =>
        recover(templateOf(reduced(projection, early)), score, scores, `${scene.dataset} ${name}`),
      );
      return {
        dataset: scene.dataset,
        score,
        components: projection.vectors.length,
        scores,
        recovered: shareOf(errors.filter((error) => error < CLOSE).length, errors.length),
      };
    }),
  );
}

function forgeries(scene: Scene, kind: Kind): Forgery[] {
  return (['nothing', 'everybody'] as const).flatMap((against) =>
    (['euclidean', 'mahalanobis'] as const).flatMap((score) =>
      (['trust', 'sequential'] as const).flatMap((engine) =>
        STRATEGIES.map((strategy) => forge(scene, { kind, score, against, engine }, strategy, LIMITS)),
      ),
    ),
  );
}
