/** Collections of garbage at moments of which the runtime cannot know that there is much of it. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collector = (options: { readonly type: 'major' | 'minor' }) => void;
let collector: Collector | undefined;

/** Of all garbage, a tenth of a second for a hundred megabytes that live, or of what is young, a millisecond. */
export function collectGarbage(type: 'major' | 'minor'): void {
  collector ??= openCollector();
  collector({ type });
}

/** The runtime shows it to contexts that are made while this flag is set. One that does not is left to collect as it likes: slower, and as right. */
function openCollector(): Collector {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('globalThis.gc') as Collector | undefined;
  setFlagsFromString('--no-expose-gc');
  return collect ?? (() => undefined);
}
