/** Either decision engine, by settings of plain JSON. */
import type { Engine } from './decision.ts';
import { SequentialEngine, type SequentialSettings } from './sequential.ts';
import { TrustEngine, type TrustSettings } from './trust.ts';

export type EngineSettings =
  | ({ readonly kind: 'trust' } & TrustSettings)
  | ({ readonly kind: 'sequential' } & SequentialSettings);

/** @throws ERR_SETTINGS_INVALID when a setting is out of its range */
export function engineOf(settings: EngineSettings): Engine {
  return settings.kind === 'trust' ? new TrustEngine(settings) : new SequentialEngine(settings);
}
