/**
 * The game of every party: is a view real or simulated? Of each party come one experiment that shall find nothing, and for each leak a control that must
 * find it. How large a leak must be to be found is measured beside the first.
 */
import { only } from '../../instrument/figure.ts';
import type { Block } from '../../instrument/report/document.ts';
import { Draws } from '../draws.ts';
import type { Experiment, Setting, Test, Words } from '../experiment.ts';
import type { Scene } from '../scene.ts';
import { recordTable } from '../shown.ts';
import type { Features, Leak, Party } from './party.ts';
import { type Curve, leastFound, measureCurve, POWER, powerChart } from './power.ts';
import { type Comparison, compareViews } from './two-sample.ts';

/** The experiment that shall find nothing, and a control for each leak. */
export function experimentsOf(party: Party & Words): Experiment[] {
  const { id, title, attacker, secret, claims, sees, knows, control, baseline, scenes, omits } = party;
  const experiment = {
    id: `simulated-${id}`,
    ...{ title, attacker, secret, claims, sees, knows, control, baseline, scenes },
    kind: 'simulation' as const,
    unit: 'run' as const,
    ...(omits && { omits: (scene: Scene) => omits(scene) }),
  };
  return [
    { ...experiment, expectation: 'holds', run: (setting) => play(party, setting) },
    ...party.leaks.map(
      (leak): Experiment => ({
        ...experiment,
        id: `simulated-${id}-${leak.id}`,
        title: `${title} Planted: ${leak.title}`,
        expectation: 'control',
        run: (setting) => play(party, setting, leak),
      }),
    ),
  ];
}

/** Plays with a leak at its largest, or with none. */
async function play(party: Party, { scene, effort, seed, note }: Setting, leak?: Leak): Promise<Test> {
  const draws = new Draws(seed);
  const sides = await party.open(scene);
  const runs = leak ? party.controlRuns : party.runs[effort];
  const planted = leak && { leak: leak.id, size: leak.sizes.at(-1)! };
  const real = await viewsOf(draws.of('real'), runs, (own) => sides.real(own, planted));
  const simulated = await viewsOf(draws.of('simulated'), runs, (own) => sides.simulated(own));
  const comparison = compareViews(real, simulated);
  const curves: Curve[] = [];
  if (leak === undefined && effort === 'full') {
    const more = await viewsOf(draws.of('simulated for power'), runs * party.repetitions, (own) =>
      sides.simulated(own),
    );
    for (const each of party.leaks) {
      note(`power against: ${each.title}`);
      curves.push(
        await measureCurve(each, party.repetitions, runs, more, (test, size) =>
          viewsOf(draws.of('power').of(test), runs, (own) => sides.real(own, { leak: each.id, size })),
        ),
      );
    }
  }
  const found = curves.map((curve) => ({ curve, least: leastFound(curve) }));
  const first = found.find(({ least }) => least !== undefined);
  return {
    kind: 'test',
    p: comparison.p,
    n: 2 * runs,
    distance: comparison.advantage,
    detectable: first && { leak: `${first.curve.leak.title} (${first.curve.leak.size})`, size: first.least! },
    facts: {
      ...factsOf(comparison),
      ...(planted && { [leak.size]: planted.size }),
      ...Object.fromEntries(
        found.map(({ curve: { leak: of }, least }) => [
          `found with power ${POWER}: ${of.size}`,
          least ?? `more than ${of.sizes.at(-1)}`,
        ]),
      ),
    },
    blocks: [
      ...curves.map((curve) => powerChart(party, curve, scene.name, runs)),
      ...differingTable(comparison),
    ],
  };
}

/** One run after the other, each with its own stream. */
async function viewsOf(
  draws: Draws,
  runs: number,
  run: (draws: Draws) => Promise<Features>,
): Promise<Features[]> {
  const views: Features[] = [];
  for (let i = 0; i < runs; i += 1) views.push(await run(draws.of(i)));
  return views;
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

function differingTable({ statistics }: Comparison): Block[] {
  return recordTable(
    {
      caption: `Values that differ most between real and simulated runs, of ${statistics.length} (Smirnov's distance; p not corrected).`,
      rows: ['value'],
      cells: { distance: only('distance', { digits: 2 }), p: only('p') },
    },
    statistics
      .toSorted((a, b) => a.p - b.p)
      .slice(0, MOST_ROWS)
      .map(({ name, distance, p }) => ({ value: name, distance, p: p.toPrecision(2) })),
  );
}
