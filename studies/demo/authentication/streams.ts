/** Sessions at the service: windows one at a time by a device, and the decision that the relying application reads after each. */
import type { Decision } from '@eigenveil/authentication';
import type { RelyingClient } from '@eigenveil/authenticator/relying';
import type { Decisions } from './decisions.ts';
import type { Devices } from './devices.ts';
import { isAnswered, type Subject } from './evaluation.ts';

export interface Stream {
  /** The person whose device it is, and the one whose walk it is. */
  readonly target: number;
  readonly source: number;
  /** The decision after each window that was sent. A lock ends the stream. */
  readonly decisions: readonly Decision[];
}

interface Parties {
  readonly devices: Devices;
  readonly application: RelyingClient;
  readonly told: Decisions;
  readonly subjects: readonly Subject[];
}

async function runStream(
  { devices, application, told, subjects }: Parties,
  target: number,
  source: number,
): Promise<Stream> {
  const { userId } = subjects[target]!;
  const decisions: Decision[] = [];
  for (const [i, row] of subjects[source]!.rows.late.entries()) {
    await devices.ask(target, { kind: 'observe', rows: [row] });
    const event = await told.lastOf(userId);
    decisions.push(event.decision);
    if (event.decision === 'lock') break;
    if (isAnswered(event.decision, i, target === source))
      await application.confirm({ userId, body: { event: event.sequence } });
  }
  await devices.ask(target, { kind: 'end' });
  if (decisions.at(-1) === 'lock')
    await application.unlock({ userId, body: { event: (await told.lastOf(userId)).sequence } });
  return { target, source, decisions };
}

/** The streams of one person each: themselves first, then the next people of the file, as far as `impostors` goes. */
export async function runStreams(parties: Parties, impostors: number, tick: () => void): Promise<Stream[]> {
  const count = parties.subjects.length;
  const ofEach = await Promise.all(
    parties.subjects.map(async (_, target) => {
      const streams: Stream[] = [];
      for (let step = 0; step <= impostors; step += 1) {
        streams.push(await runStream(parties, target, (target + step) % count));
        tick();
      }
      return streams;
    }),
  );
  return ofEach.flat();
}

/** The outcome of streams of one kind. */
export interface StreamFigures {
  readonly streams: number;
  readonly windows: number;
  /** The number of times that windows took `allow` away: by a step-up or a lock. */
  readonly stops: number;
  readonly locks: number;
  /** Streams with a stop. */
  readonly stopped: number;
  /** Windows until the first stop, that one included: the median over those streams. */
  readonly medianWindows: number | undefined;
}

export function figuresOf(streams: readonly Stream[]): StreamFigures {
  const stops = streams.map(stopsOf);
  const first = stops.flatMap(([stop]) => (stop === undefined ? [] : [stop + 1])).sort((a, b) => a - b);
  return {
    streams: streams.length,
    windows: streams.reduce((sum, { decisions }) => sum + decisions.length, 0),
    stops: stops.flat().length,
    locks: streams.filter(({ decisions }) => decisions.at(-1) === 'lock').length,
    stopped: first.length,
    medianWindows: first[Math.floor(first.length / 2)],
  };
}

/** Windows that took `allow` away. A session begins at a step-up, which is not one of them. */
function stopsOf({ target, source, decisions }: Stream): number[] {
  return decisions.flatMap((decision, i) => {
    const before = decisions[i - 1];
    const wasAllowed =
      before === 'allow' || (before !== undefined && isAnswered(before, i - 1, target === source));
    return decision !== 'allow' && (wasAllowed || (i === 0 && decision === 'lock')) ? [i] : [];
  });
}
