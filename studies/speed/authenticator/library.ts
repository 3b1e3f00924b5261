/** The cost of a window in the library, on one core: reduced on the device; scored, decided and summed up in the service. */
import {
  Frame,
  makeTemplate,
  Scorer,
  SequentialEngine,
  TrustEngine,
  WindowSums,
} from '@eigenveil/authentication';
import { Projector } from '@eigenveil/projection';
import { generator } from '@eigenveil/testbed/random';
import { interleavedMedians } from '../../instrument/measure.ts';
import { exampleProjection } from '../example-task.ts';

export interface LibraryResult {
  readonly features: number;
  readonly components: number;
  /** Windows a second, by step; `whole` is reducing, scoring and deciding. */
  readonly perSecond: Readonly<Record<Step, number>>;
}

const STEPS = [
  'reduce',
  'frame',
  'euclidean',
  'mahalanobis',
  'cosine',
  'trust',
  'sequential',
  'sums',
  'whole',
] as const;
type Step = (typeof STEPS)[number];

const FEATURES = 71;
const COMPONENTS = 20;
const ROWS = 4000;
const REPETITIONS = 15;

/** The windows stay at `step-up`: the engines have the same work with any others. */
export const TRUST = {
  threshold: 10,
  width: 1,
  reward: 1,
  penalty: 10,
  stepUpBelow: 60,
  lockBelow: 20,
  confidentFrom: 90,
} as const;
const SEQUENTIAL = {
  edges: Array.from({ length: 31 }, (_, i) => 2 + i / 4),
  logRatios: Array.from({ length: 32 }, (_, i) => (i - 29.5) / 10),
  falseStepUp: 0.01,
  falseLock: 0.001,
  missedImpostor: 0.01,
};

export async function measureLibrary(): Promise<LibraryResult> {
  const next = generator(1);
  const rows = Float64Array.from({ length: ROWS * FEATURES }, () => 2 * next() - 1);
  const { task, projection } = exampleProjection(FEATURES, COMPONENTS);
  const projector = new Projector(task, projection);
  const frame = Frame.fromSeed(new Uint8Array(32).fill(1), COMPONENTS);
  const windowsOf = (flat: Float64Array) =>
    Array.from({ length: ROWS }, (_, row) => flat.subarray(row * COMPONENTS, (row + 1) * COMPONENTS));
  const windows = windowsOf(projector.transform(rows));
  const template = makeTemplate(windows.slice(0, 40));
  const scorers = {
    euclidean: new Scorer(template, 'euclidean'),
    mahalanobis: new Scorer(template, 'mahalanobis'),
    cosine: new Scorer(template, 'cosine'),
  };
  const scores = windows.map((window) => scorers.mahalanobis.score(window));
  const engines = { trust: new TrustEngine(TRUST), sequential: new SequentialEngine(SEQUENTIAL) };
  const scoring = (kind: keyof typeof scorers) => ({
    run: () => {
      for (const window of windows) scorers[kind].score(window);
    },
  });
  const deciding = (kind: keyof typeof engines) => ({
    run: () => scores.reduce((state, score) => engines[kind].observe(state, score), engines[kind].start()),
  });
  const medians = await interleavedMedians<Step>(
    {
      reduce: { run: () => projector.transform(rows) },
      frame: { run: () => windows.map((window) => frame.apply(window)) },
      euclidean: scoring('euclidean'),
      mahalanobis: scoring('mahalanobis'),
      cosine: scoring('cosine'),
      trust: deciding('trust'),
      sequential: deciding('sequential'),
      sums: {
        run: () => {
          const sums = new WindowSums(template.mean);
          for (const window of windows) sums.add(window);
        },
      },
      whole: {
        run: () =>
          windowsOf(projector.transform(rows)).reduce(
            (state, window) => engines.trust.observe(state, scorers.mahalanobis.score(window)),
            engines.trust.start(),
          ),
      },
    },
    REPETITIONS,
  );
  const perSecond = Object.fromEntries(STEPS.map((step) => [step, (ROWS * 1000) / medians[step]]));
  return {
    features: FEATURES,
    components: COMPONENTS,
    perSecond: perSecond as Readonly<Record<Step, number>>,
  };
}
