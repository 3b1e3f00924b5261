/** How the data user keeps its next byte back, so that its time tells nothing. */
import type { MessageStream } from '../channel/message-stream.ts';
import { type Pace, waitUntil } from '../pace.ts';

/**
 * From the receipt of a matrix to the next byte it takes a public time, whatever the matrix holds. Where it took longer, since the machine is slow, the byte
 * leaves at once: to give the one answer up would cost the owners' contributions, and would tell as much.
 */
export function holdToPace(stream: MessageStream, { milliseconds, clock, onMiss }: Pace): void {
  const moment = clock.now() + milliseconds;
  stream.hold(async () => {
    const late = clock.now() - moment;
    if (late > 0) onMiss?.(late);
    await waitUntil(moment, clock);
  });
}
