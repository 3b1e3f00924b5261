/**
 * Seals what the data user draws once for a task, and opens it: the bytes of the blinding, and behind them
 * those of the noise.
 */
import { type Drawn, readDrawn } from '@eigenveil/protocol/servers';
import type { Sealer } from '@eigenveil/server';
import { blindingPlace } from '../store/store.ts';
import type { OpenTask } from '../tasks/tasks.ts';

type DrawnFor = Pick<OpenTask, 'task' | 'packing'>;

export function sealDrawn(sealer: Sealer, { task }: DrawnFor, { blinding, noise }: Drawn): Uint8Array {
  return sealer.seal(blindingPlace(task.id), [blinding.bytes, noise.bytes]);
}

/**
 * Returns what `make` makes of it; its bytes are overwritten then.
 * @throws ERR_SEAL_BROKEN, ERR_ENCODING_INVALID for what cannot have been drawn for this task, and what
 *   `make` throws
 */
export function withDrawn<T>(
  sealer: Sealer,
  open: DrawnFor,
  sealed: Uint8Array,
  make: (drawn: Drawn) => T,
): T {
  const bytes = sealer.open(blindingPlace(open.task.id), sealed);
  try {
    return make(readDrawn(open, bytes));
  } finally {
    bytes.fill(0);
  }
}
