/**
 * Published figures, which reports have beside measured ones: the only figures that are typed in. They are from
 * "Privacy-Preserving Machine Learning" (Zhuang et al.), chapter 9, tables 9.1–9.3, unless they name another source.
 * They were taken on another machine: compare orders of magnitude.
 */

export const PUBLISHED_KEY_BITS = 1024;
export const PUBLISHED_OWNERS = 10;

/** One row of the tables of efficiency. */
export interface PublishedEfficiency {
  /** The data set of that name here, or what stands in its place. */
  readonly dataset: string;
  readonly title: string;
  readonly features: number;
  readonly classes: number;
  readonly ownerSeconds: number;
  readonly userMillisecondsPerOwner: number;
  readonly cspSeconds: number;
  /** The decomposition in a garbled circuit. */
  readonly garbledSeconds: number;
  readonly components: number;
}

const PIMA = { dataset: 'pima', title: 'Diabetes (pima)', features: 8, classes: 2 };
const BREAST_CANCER = { dataset: 'breast_cancer_10', title: 'Breast cancer', features: 10, classes: 2 };
const AUSTRALIAN = { dataset: 'australian', title: 'Australian', features: 14, classes: 2 };
const GERMAN = { dataset: 'german', title: 'German', features: 24, classes: 2 };
const IONOSPHERE = { dataset: 'ionosphere', title: 'Ionosphere', features: 34, classes: 2 };
/** The data could not be had: a synthetic set of as many features and classes stands in their place. */
const SENSIT = { dataset: 'synthetic50', title: 'SensIT Vehicle (acoustic)', features: 50, classes: 3 };

type Figures = readonly [
  ownerSeconds: number,
  userMillisecondsPerOwner: number,
  cspSeconds: number,
  garbledSeconds: number,
  components: number,
];

function efficiency(
  dataset: Pick<PublishedEfficiency, 'dataset' | 'title' | 'features' | 'classes'>,
  [ownerSeconds, userMillisecondsPerOwner, cspSeconds, garbledSeconds, components]: Figures,
): PublishedEfficiency {
  return { ...dataset, ownerSeconds, userMillisecondsPerOwner, cspSeconds, garbledSeconds, components };
}

/** Minutes where the tables give minutes. */
const minutes = (count: number) => 60 * count;

/** Paillier of 1024 bits, 10 owners. */
export const PUBLISHED_EFFICIENCY = {
  pca: [
    efficiency(PIMA, [0.63, 10, 0.67, 13.8, 8]),
    efficiency(BREAST_CANCER, [0.93, 11, 1.0, 20.7, 8]),
    efficiency(AUSTRALIAN, [1.7, 12, 1.8, 37.4, 8]),
    efficiency(GERMAN, [5.0, 17, 5.0, minutes(3.28), 15]),
    efficiency(IONOSPHERE, [9.8, 24, 9.9, minutes(6.44), 15]),
    efficiency(SENSIT, [22.5, 40, 22.7, minutes(13.8), 15]),
  ],
  dca: [
    efficiency(PIMA, [0.7, 12, 0.8, 4.0, 1]),
    efficiency(BREAST_CANCER, [1.2, 13, 1.3, 5.8, 1]),
    efficiency(AUSTRALIAN, [2.1, 15, 2.2, 12.1, 1]),
    efficiency(GERMAN, [5.6, 22, 5.8, 46.6, 1]),
    efficiency(IONOSPHERE, [11.2, 29, 11.6, minutes(1.9), 1]),
    efficiency(SENSIT, [26.2, 48, 26.9, minutes(6.7), 2]),
  ],
} as const satisfies Record<string, readonly PublishedEfficiency[]>;

export type PublishedMethod = keyof typeof PUBLISHED_EFFICIENCY;

/** The published row of a data set; undefined where there is none. */
export function publishedRow(method: unknown, dataset: unknown): PublishedEfficiency | undefined {
  const rows: Readonly<Record<string, readonly PublishedEfficiency[]>> = PUBLISHED_EFFICIENCY;
  return rows[String(method)]?.find((row) => row.dataset === dataset);
}

/** Weighted F1 in percent, of classification after projection by DCA. */
interface PublishedF1 {
  readonly dataset: string;
  readonly title: string;
  /** The accuracy by the published protocol. */
  readonly protocolPercent: number;
  /** The accuracy by NumPy on the plain rows. */
  readonly numpyPercent: number;
}

function weightedF1(
  { dataset, title }: Pick<PublishedEfficiency, 'dataset' | 'title'>,
  protocolPercent: number,
  numpyPercent: number,
): PublishedF1 {
  return { dataset, title, protocolPercent, numpyPercent };
}

export const PUBLISHED_F1: readonly PublishedF1[] = [
  weightedF1(PIMA, 76.5, 76.4),
  weightedF1(BREAST_CANCER, 96.9, 96.8),
  weightedF1(AUSTRALIAN, 86.1, 85.5),
  weightedF1(GERMAN, 72.7, 73.8),
  weightedF1(IONOSPHERE, 84.3, 83.4),
  weightedF1(SENSIT, 67.8, 68.4),
];
