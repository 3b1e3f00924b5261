/** The plan of a run: which experiments run over which scenes, and which do not, and why. */
import type { Effort, Experiment } from '../experiment.ts';
import type { ExperimentResult } from '../result.ts';
import type { Scene } from '../scene.ts';
import { missingScene } from '../scenes/bundled.ts';
import type { OwnSource } from '../scenes/own.ts';
import { type Case, caseOf } from './job.ts';
import { loadScene, type SceneSource } from './source.ts';

export interface RunSetting {
  readonly effort: Effort;
  readonly seed: string;
  /** Ids; undefined for all. */
  readonly only: readonly string[] | undefined;
  readonly own: OwnSource | undefined;
  readonly attack: string | undefined;
}

export interface PlannedCase {
  readonly scene: string;
  readonly first: Case;
  /** The case on a fresh seed. */
  readonly again: Case;
}

interface PlannedExperiment {
  readonly experiment: Experiment;
  readonly omitted: ExperimentResult['omitted'];
  readonly cases: readonly PlannedCase[];
}

export interface RunPlan {
  readonly experiments: readonly PlannedExperiment[];
  /** The scenes that an experiment runs over. */
  readonly scenes: readonly Scene[];
}

/** @throws as loadScene, for a scene of the user's own */
export async function planRun(
  experiments: readonly Experiment[],
  { effort, seed, only, own, attack }: RunSetting,
  folder: string,
): Promise<RunPlan> {
  const used = new Set<Scene>();
  const scenes = new Map<string, Promise<Scene | string>>();
  const sceneOf = (source: SceneSource) => {
    const key = source.kind === 'bundled' ? source.name : source.data;
    const scene = scenes.get(key) ?? loaded(source, seed);
    scenes.set(key, scene);
    return scene;
  };
  const wanted = experiments.filter(({ id }) => only?.includes(id) ?? true);
  const planned = await Promise.all(
    wanted.map(async (experiment): Promise<PlannedExperiment> => {
      const sources: SceneSource[] =
        own === undefined
          ? experiment.scenes.map((name) => ({ kind: 'bundled', name }))
          : [{ kind: 'own', ...own }];
      const omitted: { scene: string; why: string }[] = [];
      const cases: PlannedCase[] = [];
      for (const source of sources) {
        const scene = await sceneOf(source);
        if (typeof scene === 'string') {
          omitted.push({ scene: nameOf(source), why: scene });
          continue;
        }
        const why = experiment.omits?.(scene);
        if (why !== undefined) omitted.push({ scene: scene.name, why });
        else {
          used.add(scene);
          const { id, together } = experiment;
          const kept = source.kind === 'own' ? folder : undefined;
          const of = (own: string) =>
            caseOf({ experiment: id, attack, source, effort, seed: own, folder: kept }, together);
          cases.push({ scene: scene.name, first: of(seed), again: of(`${seed}/again`) });
        }
      }
      return { experiment, omitted, cases };
    }),
  );
  return { experiments: planned, scenes: [...used] };
}

/** The scene, or why there is none. */
async function loaded(source: SceneSource, seed: string): Promise<Scene | string> {
  const missing = source.kind === 'bundled' ? await missingScene(source.name) : undefined;
  return missing ?? loadScene(source, seed);
}

const nameOf = (source: SceneSource) => (source.kind === 'bundled' ? source.name : source.data);
