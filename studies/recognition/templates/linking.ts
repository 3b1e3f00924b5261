/**
 * The attack that decides whether two templates at two services are one person's. Each person enrols at one service with the first 40 % of the rows, and at the other with
 * the last 40 %, with a frame of its own at each. The attacker has all templates of both services, whole, and knows of all people but the one
 * whom it looks for which two belong together: from those it learns what a likeness is worth.
 *
 * It weighs numbers that a frame does not change. Each is standardised over a service's templates; what remains is taken for a Gaussian pair of some
 * correlation, learnt from the known pairs, and its log likelihood ratio (one person's against two people's) adds up over the numbers.
 */
import type { Template } from '@eigenveil/authentication';
import { eigenpairs, fromUpperTriangle } from '../../privacy/methods/matrix.ts';
import { dot, meanOfRows, procrustes } from '../alignment.ts';
import { estimator } from '../estimator.ts';
import { bootstrapped, type Interval, shareOf, type Verdict, verdictOf } from '../intervals.ts';
import type { Row } from '../people.ts';
import { type Kind, type Projection, projectionOf, reduced } from './projections.ts';
import { TRANSLATION } from './reconstructing.ts';
import { framed, frameOf, type Scene, templateOf } from './scene.ts';

/** The projection of the other service. */
type OtherProjection = 'the same' | 'of other people' | 'of the other method';

export interface LinkageSetting {
  readonly kind: Kind;
  readonly other: OtherProjection;
  /** Frames have a translation; or there are none (a control: an attack must work then). */
  readonly frames: 'orthogonal' | 'translated' | 'none';
}

/** One service's side: templates in frames, and what attackers with known windows have. */
interface Service {
  readonly templates: readonly Template[];
  readonly projection: Projection;
  /** In the projection's coordinates, and in frames. */
  readonly windows: readonly (readonly Row[])[];
  readonly seen: readonly (readonly Row[])[];
}

interface Means {
  readonly name: string;
  /** By person, at one service. */
  readonly numbers: (service: Service) => Row[];
}

const spreadOf = ({ mean, spread }: Template) =>
  eigenpairs(fromUpperTriangle([...spread], mean.length)).map(({ value, vector }) => ({
    // Windows can be fewer than dimensions.
    value: Math.log(Math.max(value, 1e-9)),
    vector,
  }));
const totalSpread = (template: Template): number =>
  spreadOf(template).reduce((sum, { value }) => sum + Math.exp(value), 0);
const norm = ({ mean }: Template): number => Math.log(Math.hypot(...mean));
const spectrum = (template: Template): number[] => spreadOf(template).map(({ value }) => value);
/** Where the mean lies between the axes of the spread: with the spectrum all that is the same in every orthogonal frame. */
const inclination = (template: Template): number[] =>
  spreadOf(template).map(({ vector }) => Math.abs(dot(vector, [...template.mean])));
const each =
  (of: (template: Template) => number[]): Means['numbers'] =>
  ({ templates }) =>
    templates.map(of);

/** The means that need only the template. */
export const MEANS: readonly Means[] = [
  { name: 'length of the mean', numbers: each((template) => [norm(template)]) },
  { name: 'spectrum of the spread', numbers: each(spectrum) },
  { name: 'fourth moment', numbers: each(({ fourth }) => [Math.log(fourth)]) },
  { name: 'number of windows', numbers: each(({ count }) => [Math.log(count)]) },
  {
    name: 'length, total spread and fourth moment',
    numbers: each((template) => [norm(template), Math.log(totalSpread(template)), Math.log(template.fourth)]),
  },
  {
    name: 'all except the number of windows',
    numbers: each((template) => [
      norm(template),
      ...spectrum(template),
      Math.log(template.fourth),
      ...inclination(template),
    ]),
  },
  { name: 'the mean, as if there were no frame', numbers: each(({ mean }) => [...mean]) },
];

/**
 * t windows of each template are known in raw form, too: the template's mean in the projection's coordinates by Procrustes, and for directions that
 * stay unknown by the linear estimator. Beside it what the same raw windows tell without any template.
 */
function meansOfKnown(
  name: string,
  t: (components: number) => number,
): readonly [unmasked: Means, alone: Means] {
  const known = ({ projection }: Service, windows: readonly Row[]) =>
    Math.min(t(projection.vectors.length), windows.length);
  return [
    {
      name: `${name}, with the template`,
      numbers: (service) =>
        service.windows.map((own, person) => {
          const seen = service.seen[person]!;
          const pairs = own
            .slice(0, known(service, own))
            .map((window, i) => ({ known: window, seen: seen[i]! }));
          const span = procrustes(pairs);
          const others = service.windows.filter((_, p) => p !== person);
          const estimate = estimator(
            others.map((rows) =>
              rows.map((output) => ({ input: span.known.map((axis) => dot(axis, output)), output })),
            ),
          );
          return estimate(span.seen.map((axis) => dot(axis, [...service.templates[person]!.mean])));
        }),
    },
    {
      name: `${name}, without it`,
      numbers: (service) => service.windows.map((own) => meanOfRows(own.slice(0, known(service, own)))),
    },
  ];
}

export const KNOWN = [
  meansOfKnown('1 known window', () => 1),
  meansOfKnown('5 known windows', () => 5),
  meansOfKnown('k known windows', (k) => k),
  meansOfKnown('2k known windows', (k) => 2 * k),
].flat();

interface Linkage extends LinkageSetting {
  readonly dataset: string;
  readonly means: string;
  /** The right template has the highest score. */
  readonly rankOne: Interval;
  /** The probability that the right template has a higher score than one of another person. */
  readonly auc: Interval;
  readonly chance: number;
  readonly verdicts: { readonly rankOne: Verdict; readonly auc: Verdict };
}

/** Two services with the same people. */
export function services(
  { dataset, subjects }: Scene,
  { kind, other, frames }: LinkageSetting,
): readonly [Service, Service] {
  const people = subjects.map(({ early }) => early);
  const half = (odd: number) => people.filter((_, i) => other !== 'of other people' || i % 2 === odd);
  const otherMethod = kind.method === 'pca' ? 'dca' : 'pca';
  const kinds: Kind[] = [kind, other === 'of the other method' ? { ...kind, method: otherMethod } : kind];
  const [one, two] = ([0, 1] as const).map((s): Service => {
    const projection = projectionOf(kinds[s]!, half(s));
    const windows = subjects.map(({ early, late }) => reduced(projection, s === 0 ? early : late));
    const seen = windows.map((rows, person) => {
      if (frames === 'none') return rows;
      const frame = frameOf(
        `${dataset} service ${s} person ${person}`,
        projection.vectors.length,
        frames === 'translated' ? TRANSLATION : 0,
      );
      return framed(frame, rows);
    });
    return { templates: seen.map(templateOf), projection, windows, seen };
  });
  return [one!, two!];
}

interface Found {
  /** By person: the share of a first rank, and of other people's templates with a lower score. */
  readonly hits: readonly number[];
  readonly above: readonly number[];
}

/** A tie counts its share. */
function found(means: Means, [first, second]: readonly [Service, Service]): Found {
  const scores = scoresBetween(means.numbers(first), means.numbers(second));
  const others = scores.length - 1;
  return {
    hits: scores.map((row, person) => {
      const right = row[person]!;
      const better = row.some((score) => score > right);
      return better ? 0 : 1 / row.filter((score) => score === right).length;
    }),
    above: scores.map((row, person) =>
      row.reduce((sum, score, other) => {
        if (other === person) return sum;
        return sum + (score < row[person]! ? 1 : score === row[person]! ? 0.5 : 0) / others;
      }, 0),
    ),
  };
}

const meanOver = (values: readonly number[]) => (people: readonly number[]) =>
  people.reduce((sum, p) => sum + values[p]!, 0) / people.length;

/** @param sides of the setting, where they are there already */
export function link(
  scene: Scene,
  setting: LinkageSetting,
  means: Means,
  sides = services(scene, setting),
): Linkage {
  const { hits, above } = found(means, sides);
  const n = hits.length;
  const rankOne = shareOf(
    hits.reduce((sum, hit) => sum + hit, 0),
    n,
  );
  const auc = bootstrapped(n, `${scene.dataset} ${means.name} linkage`, meanOver(above));
  return {
    dataset: scene.dataset,
    ...setting,
    means: means.name,
    rankOne,
    auc,
    chance: 1 / n,
    verdicts: { rankOne: verdictOf(rankOne, 1 / n), auc: verdictOf(auc, 0.5) },
  };
}

interface TranslationGain {
  readonly dataset: string;
  readonly kind: Kind;
  readonly means: string;
  /** The drop in how often the right template has the higher score once frames have a translation: pairs of the same people. */
  readonly auc: Interval;
}

export function translationGain(scene: Scene, kind: Kind, means: Means): TranslationGain {
  const [without, with_] = (['orthogonal', 'translated'] as const).map(
    (frames) => found(means, services(scene, { kind, other: 'the same', frames })).above,
  );
  const differences = without!.map((share, p) => share - with_![p]!);
  return {
    dataset: scene.dataset,
    kind,
    means: means.name,
    auc: bootstrapped(
      differences.length,
      `${scene.dataset} ${means.name} translation`,
      meanOver(differences),
    ),
  };
}

const FARTHEST = 4;
const LARGEST_CORRELATION = 0.999;

/** Row p: the score of the first service's person p with each person of the second. */
function scoresBetween(first: readonly Row[], second: readonly Row[]): number[][] {
  const width = Math.min(first[0]!.length, second[0]!.length);
  const [one, two] = [standardised(first), standardised(second)];
  return one.map((probe, person) => {
    const correlations = Array.from({ length: width }, (_, j) => {
      const known = one.flatMap((row, p) => (p === person ? [] : [[row[j]!, two[p]![j]!] as const]));
      return correlation(known);
    });
    return two.map((candidate) =>
      correlations.reduce((sum, r, j) => sum + logRatio(probe[j]!, candidate[j]!, r), 0),
    );
  });
}

function standardised(rows: readonly Row[]): number[][] {
  const mean = meanOfRows(rows);
  const deviations = mean.map((centre, j) =>
    Math.sqrt(rows.reduce((sum, row) => sum + (row[j]! - centre) ** 2, 0) / rows.length),
  );
  return rows.map((row) =>
    row.map((x, j) => {
      const z = deviations[j]! > 0 ? (x - mean[j]!) / deviations[j]! : 0;
      return Math.min(FARTHEST, Math.max(-FARTHEST, z));
    }),
  );
}

function correlation(pairs: readonly (readonly [number, number])[]): number {
  const sum = (of: (a: number, b: number) => number) => pairs.reduce((total, [a, b]) => total + of(a, b), 0);
  const product = sum((a, b) => a * b);
  const scale = Math.sqrt(sum((a) => a * a) * sum((_a, b) => b * b));
  return scale === 0 ? 0 : Math.min(LARGEST_CORRELATION, Math.max(0, product / scale));
}

/** The logarithm of the ratio of likelihoods of two standard normal numbers: with correlation r over independent ones. */
function logRatio(a: number, b: number, r: number): number {
  const rest = 1 - r * r;
  return -Math.log(rest) / 2 - (r * r * (a * a + b * b) - 2 * r * a * b) / (2 * rest);
}
