/** Where a run's scenes come from, said so that a child process can make the same one. */
import type { BundledScene, Scene } from '../scene.ts';
import { bundledScene } from '../scenes/bundled.ts';
import { type OwnSource, ownScene } from '../scenes/own.ts';

export type SceneSource =
  | { readonly kind: 'bundled'; readonly name: BundledScene }
  | ({ readonly kind: 'own' } & OwnSource);

/** @throws as bundledScene and ownScene */
export function loadScene(source: SceneSource, seed: string): Promise<Scene> {
  return source.kind === 'bundled' ? bundledScene(source.name, seed) : ownScene(source, seed);
}
