/**
 * A game of real and simulated views: one protocol and one role, what sums its view up, and the leaks that can be planted into it. Of each game come one
 * experiment that shall find nothing, and for each leak a control that must find it.
 */
import type { Block } from '../../instrument/report/document.ts';
import { Draws } from '../draws.ts';
import type { Effort, Experiment, Setting, Test } from '../experiment.ts';
import type { Scene } from '../scene.ts';
import { type Curve, leastFound, measureCurve, POWER, powerChart } from './power.ts';
import { type Leak, type Sides, viewsOf } from './sides.ts';
import { type Comparison, compareViews } from './two-sample.ts';

export interface Game
  extends Pick<Experiment, 'id' | 'title' | 'attacker' | 'secret' | 'claims' | 'sees' | 'knows' | 'scenes'> {
  /** What the simulator is given. */
  readonly simulator: string;
  /** Names of the values of a run. */
  readonly values: readonly string[];
  readonly leaks: readonly Leak[];
  /** Runs on either side: of the experiment, and of a control, which need not look long. */
  readonly runs: Readonly<Record<Effort, number>>;
  readonly controlRuns: number;
  /** Tests at each size of a leak, for its power. */
  readonly repetitions: number;
  omits?(scene: Scene): string | undefined;
  open(scene: Scene, draws: Draws): Promise<Sides> | Sides;
}

/** That which shall find nothing, and a control for each leak. */
export function experimentsOf(game: Game): Experiment[] {
  const { id, title, attacker, secret, claims, sees, knows, scenes } = game;
  const shared = {
    kind: 'simulation' as const,
    ...{ attacker, secret, claims, sees, scenes },
    knows: `${knows} The simulator has ${game.simulator}.`,
    control: 'Views that the simulator makes, as many whole runs of it.',
    baseline: 'A guess of the side, right half of the time.',
    unit: 'run' as const,
    ...(game.omits && { omits: (scene: Scene) => game.omits!(scene) }),
  };
  return [
    {
      ...shared,
      id: `simulated-${id}`,
      title,
      expectation: 'holds',
      run: (setting) => tested(game, setting),
    },
    ...game.leaks.map(
      (leak): Experiment => ({
        ...shared,
        id: `simulated-${id}-${leak.id}`,
        title: `${title} Planted: ${leak.title}`,
        expectation: 'control',
        run: (setting) => controlled(game, leak, setting),
      }),
    ),
  ];
}

async function tested(game: Game, { scene, effort, seed, note }: Setting): Promise<Test> {
  const draws = new Draws(seed);
  const sides = await game.open(scene, draws.of('inputs'));
  const runs = game.runs[effort];
  const comparison = compareViews(
    game.values,
    await viewsOf(draws.of('real'), runs, (own) => sides.real(own)),
    await viewsOf(draws.of('simulated'), runs, (own) => sides.simulated(own)),
  );
  const curves: Curve[] = [];
  if (effort === 'full') {
    const simulated = await viewsOf(draws.of('simulated for power'), runs * game.repetitions, (own) =>
      sides.simulated(own),
    );
    for (const leak of game.leaks) {
      note(`power against: ${leak.title}`);
      curves.push(await measureCurve(game, leak, { sides, simulated, runs, draws: draws.of('power') }));
    }
  }
  const found = curves.map((curve) => ({ curve, least: leastFound(curve) }));
  const first = found.find(({ least }) => least !== undefined);
  return {
    ...outcomeOf(comparison, runs),
    detectable: first && { leak: `${first.curve.leak.title} (${first.curve.leak.size})`, size: first.least! },
    facts: {
      ...factsOf(comparison),
      ...Object.fromEntries(
        found.map(({ curve: { leak }, least }) => [
          `found with power ${POWER}: ${leak.size}`,
          least ?? `more than ${leak.sizes.at(-1)}`,
        ]),
      ),
    },
    blocks: [...curves.map((curve) => powerChart(game, curve, scene.name, runs)), tableOf(comparison)],
  };
}

async function controlled(game: Game, leak: Leak, { scene, seed }: Setting): Promise<Test> {
  const draws = new Draws(seed);
  const sides = await game.open(scene, draws.of('inputs'));
  const planted = { leak: leak.id, size: leak.sizes.at(-1)! };
  const comparison = compareViews(
    game.values,
    await viewsOf(draws.of('real'), game.controlRuns, (own) => sides.real(own, planted)),
    await viewsOf(draws.of('simulated'), game.controlRuns, (own) => sides.simulated(own)),
  );
  return {
    ...outcomeOf(comparison, game.controlRuns),
    detectable: undefined,
    facts: { ...factsOf(comparison), [leak.size]: planted.size },
    blocks: [tableOf(comparison)],
  };
}

function outcomeOf({ p, advantage }: Comparison, runs: number) {
  return { kind: 'test' as const, p, n: 2 * runs, distance: advantage };
}

function factsOf({ statistics, classifier }: Comparison) {
  const least = statistics.reduce((best, it) => (it.p < best.p ? it : best));
  return {
    'value that differs most': least.name,
    'its p, not corrected': least.p,
    'p of the classifier': classifier.p,
    'placed well by the classifier': `${classifier.right} of ${classifier.held}`,
  };
}

const MOST_ROWS = 12;

function tableOf({ statistics }: Comparison): Block {
  const shown = statistics.toSorted((a, b) => a.p - b.p).slice(0, MOST_ROWS);
  return {
    kind: 'table',
    caption: `Values that differ most between real and simulated runs, of ${statistics.length} (Smirnov's distance; p not corrected).`,
    columns: [
      { title: 'value', align: 'left' },
      { title: 'distance', align: 'right' },
      { title: 'p', align: 'right' },
    ],
    rows: shown.map(({ name, distance, p }) => [name, distance.toFixed(2), p.toPrecision(2)]),
  };
}
