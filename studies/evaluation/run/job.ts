/** A case as a child process runs it: an experiment over a scene, by seeds that do not depend on what else runs. */
import { basename } from 'node:path';
import type { Job as CaseOfRun } from '../../instrument/run.ts';
import type { Effort, Experiment, Outcome } from '../experiment.ts';
import { EXPERIMENTS } from '../experiments.ts';
import { loadAttack } from '../own-attack.ts';
import type { Scene } from '../scene.ts';
import { loadScene, type SceneSource } from './source.ts';

export interface Job {
  readonly experiment: string;
  /** The file of a user's own attack, which is among the experiments then. */
  readonly attack: string | undefined;
  readonly source: SceneSource;
  readonly effort: Effort;
  readonly seed: string;
  /** The folder of what experiments keep. */
  readonly folder: string | undefined;
}

/** The job as the runner has it: a journal finds it by experiment, scene, seed and effort; the rest is the run's setting, or files whose digest is the run's. */
export interface Case extends CaseOfRun {
  readonly job: Job;
}

/** @param together as the experiment says: work is shared over one scene */
export function caseOf(job: Job, together: string | undefined): Case {
  const { experiment, source, seed, effort } = job;
  const scene = sceneOf(source);
  return {
    job,
    id: `${experiment}/${scene}/${seed}`,
    title: `${experiment}, ${scene}`,
    parameters: { effort },
    expectedSeconds: 1,
    together: together && JSON.stringify([together, source, seed]),
  };
}

const sceneOf = (source: SceneSource) => (source.kind === 'bundled' ? source.name : basename(source.data));

/** The message of a child process about its job. */
export type Said =
  | { readonly kind: 'note'; readonly text: string }
  | { readonly kind: 'done'; readonly outcome: Outcome }
  | { readonly kind: 'failed'; readonly why: string };

/** @throws as loadAttack */
export async function allExperiments(attack: string | undefined): Promise<readonly Experiment[]> {
  if (attack === undefined) return EXPERIMENTS;
  const taken = new Set(EXPERIMENTS.map(({ id }) => id));
  return [...EXPERIMENTS, await loadAttack(attack, taken)];
}

/** Scenes and experiments that jobs share are loaded once. */
export class Workshop {
  readonly #scenes = new Map<string, Promise<Scene>>();
  readonly #experiments = new Map<string | undefined, Promise<readonly Experiment[]>>();

  /** @throws as loadScene, and what the experiment throws */
  async run(
    { experiment: id, attack, source, effort, seed, folder }: Job,
    note: (text: string) => void,
  ): Promise<Outcome> {
    const experiments = await kept(this.#experiments, attack, () => allExperiments(attack));
    const scene = await kept(this.#scenes, JSON.stringify([source, seed]), () => loadScene(source, seed));
    const experiment = experiments.find((one) => one.id === id);
    if (experiment === undefined) throw new Error(`there is no experiment ${id}`);
    const own = { scene, effort, seed: `${seed}/${id}/${scene.name}`, note };
    return experiment.run(folder === undefined ? own : { ...own, folder });
  }
}

function kept<K, V>(values: Map<K, Promise<V>>, key: K, make: () => Promise<V>): Promise<V> {
  const value = values.get(key) ?? make();
  values.set(key, value);
  return value;
}
