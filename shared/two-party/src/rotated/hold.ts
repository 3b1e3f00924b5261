/** The data user keeps its next byte back, so that its time tells nothing. */
import type { MessageStream } from '../channel/message-stream.ts';
import { type Pace, systemClock, waitUntil } from '../channel/pace.ts';
import { type DataUserInput, hangUp } from '../protocol.ts';

/** The pace that a caller asks for, or the public one of this number of milliseconds. */
export function paceOf({ pace }: Pick<DataUserInput, 'pace'>, milliseconds: number): Pace {
  return pace ?? { milliseconds, clock: systemClock };
}

/** Returns the part of a pace that `milliseconds` are of its `whole`, unless another pace was asked for. */
export function partOf(pace: Pace, milliseconds: number, whole: number): Pace {
  return { ...pace, milliseconds: Math.ceil((pace.milliseconds * milliseconds) / whole) };
}

/**
 * From the receipt of a matrix to the next byte it takes a public time, whatever the matrix holds. Where it
 * took longer, since the machine is slow, the byte leaves at once: to give the one answer up would cost the
 * owners' contributions, and would tell as much.
 */
export function holdToPace(stream: MessageStream, { milliseconds, clock, onMiss }: Pace): void {
  const moment = clock.now() + milliseconds;
  stream.hold(async () => {
    const late = clock.now() - moment;
    if (late > 0) onMiss?.(late);
    await waitUntil(moment, clock);
  });
}

/**
 * Holds the byte after each of the first openings back by one of these parts of the pace: what is returned is called with an opening's
 * number.
 */
export function holdAfterOpenings(
  stream: MessageStream,
  pace: Pace,
  parts: readonly number[],
  whole: number,
): (opening: number) => void {
  return (opening) => {
    const milliseconds = parts[opening];
    if (milliseconds !== undefined) holdToPace(stream, partOf(pace, milliseconds, whole));
  };
}

/**
 * Runs the last steps and ends the conversation. A failure of theirs waits for the byte that is held, too.
 */
export async function toTheEnd<Result>(
  stream: MessageStream,
  input: DataUserInput,
  steps: () => Promise<Result>,
): Promise<Result> {
  const result = await steps().catch(async (error: unknown) => {
    await stream.released(); // an abort is a byte, too, and another connection that is tried
    throw error;
  });
  await hangUp(stream.channel, input);
  return result;
}
