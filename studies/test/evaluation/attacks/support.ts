/** Runs of attacks by their ids, over scenes that are read once. */
import type { Effort, Experiment, Trials } from '../../../evaluation/experiment.ts';
import type { BundledScene, Scene } from '../../../evaluation/scene.ts';
import { bundledScene } from '../../../evaluation/scenes/bundled.ts';

const scenes = new Map<BundledScene, Promise<Scene>>();

export function sceneOf(name: BundledScene): Promise<Scene> {
  const scene = scenes.get(name) ?? bundledScene(name, 'seed');
  scenes.set(name, scene);
  return scene;
}

type One = Pick<Experiment, 'id' | 'scenes' | 'omits' | 'run'>;

interface Asked {
  readonly scene?: Scene;
  readonly seed?: string | undefined;
  readonly effort?: Effort | undefined;
}

/** The outcome of one of the experiments, at its first scene unless another is given, which it must not leave out. */
export async function outcomeOf(
  experiments: readonly One[],
  id: string,
  { scene, seed = 'seed', effort = 'quick' }: Asked = {},
) {
  const experiment = experiments.find((one) => one.id === id)!;
  const over = scene ?? (await sceneOf(experiment.scenes[0]!));
  const why = experiment.omits?.(over);
  if (why !== undefined) throw new Error(`${id} leaves its scene out: ${why}`);
  return experiment.run({ scene: over, effort, seed, note: () => undefined });
}

export async function trialsOf(...run: Parameters<typeof outcomeOf>): Promise<Trials> {
  const outcome = await outcomeOf(...run);
  if (outcome.kind !== 'trials') throw new Error('expected trials');
  return outcome;
}
