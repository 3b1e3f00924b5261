/** What the data user draws once for a task, sealed as it is kept. */
import type { Drawn } from '@eigenveil/protocol/servers';
import type { Sealer } from '@eigenveil/server';
import type { TaskId } from '@eigenveil/task';
import { blindingPlace } from './store.ts';

export function sealDrawn(sealer: Sealer, taskId: TaskId, { blinding, noise }: Drawn): Uint8Array {
  const bytes = Buffer.from(JSON.stringify({ blinding: blinding.map(String), noise: noise.map(String) }));
  return sealer.seal(blindingPlace(taskId), bytes);
}

export function openDrawn(sealer: Sealer, taskId: TaskId, sealed: Uint8Array): Drawn {
  const bytes = sealer.open(blindingPlace(taskId), sealed);
  const { blinding, noise } = JSON.parse(Buffer.from(bytes).toString()) as Record<keyof Drawn, string[]>;
  return { blinding: blinding.map(BigInt), noise: noise.map(BigInt) };
}
