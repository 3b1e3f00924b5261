/** Reads a file in small slices, between which the page answers. */
import { nextTurn } from '@eigenveil/platform';

/** The size of a slice: reading its rows takes some milliseconds. A browser's own pieces have megabytes. */
const SLICE_BYTES = 1 << 15;

/** @throws the signal's reason, once it is aborted; as the source */
export async function* inSlices(
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for await (const bytes of source) {
    for (let from = 0; from < bytes.length; from += SLICE_BYTES) {
      await nextTurn();
      signal.throwIfAborted();
      yield bytes.subarray(from, from + SLICE_BYTES);
    }
  }
}
