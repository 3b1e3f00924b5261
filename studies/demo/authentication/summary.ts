/** The findings of the demo of authentication, and the summary of them that it prints for people. */
import type { Decision, TrustSettings } from '@eigenveil/authentication';
import type { DecisionEvent } from '@eigenveil/authenticator/relying';
import type { Task } from '@eigenveil/task';
import type { Comparison } from '@eigenveil/testbed/recognition/error-rates';
import Table from 'cli-table3';
import colours from 'picocolors';
import type { ContributionSize } from '../task.ts';
import { type Moment, type Subject, WINDOWS_PER_FALSE_STEP_UP } from './evaluation.ts';
import type { SetSetting } from './sets.ts';
import { figuresOf, type Stream, type StreamFigures } from './streams.ts';

/** Equal error rates in [0, 1], with one threshold for all users. */
interface Rates {
  readonly perSample: number;
  /** The rates of means of five windows in a row, without overlap. */
  readonly overFive: number;
}

/** The summary that `--json` prints. */
export interface AuthenticationSummary {
  readonly dataset: string;
  readonly users: number;
  readonly features: number;
  readonly components: number;
  readonly twoParty: string;
  readonly totalSeconds: number;
  readonly eer: Rates;
  readonly rawEer: Rates;
}

export interface Figures {
  readonly summary: AuthenticationSummary;
  readonly setting: SetSetting;
  readonly task: Pick<Task, 'keyBits' | 'outputs'>;
  readonly times: {
    /** The times by name of the data user's stage. */
    readonly stages: Readonly<Record<string, number>>;
    /** Medians over devices while all work. */
    readonly contributionMilliseconds: number;
    readonly verificationMilliseconds: number;
    readonly registrationMilliseconds: number;
    readonly observingSeconds: number;
    readonly contribution: ContributionSize;
  };
  readonly comparisons: { readonly projected: readonly Comparison[]; readonly raw: readonly Comparison[] };
  readonly decided: {
    readonly trust: TrustSettings;
    readonly subjects: readonly Pick<Subject, 'name' | 'userId'>[];
    readonly streams: readonly Stream[];
    /** The decisions of the library about the same streams. */
    readonly replays: readonly (readonly Moment[])[];
    /** All that the relying application was told. */
    readonly events: readonly DecisionEvent[];
  };
}

export const percent = (rate: number): string => `${(100 * rate).toFixed(1)} %`;

/** Streams of the users themselves, and of others with their devices. */
export function decidedFigures({ streams }: Figures['decided']): {
  readonly genuine: StreamFigures;
  readonly impostor: StreamFigures;
} {
  return {
    genuine: figuresOf(streams.filter(({ target, source }) => target === source)),
    impostor: figuresOf(streams.filter(({ target, source }) => target !== source)),
  };
}

/** A window about which the service decided otherwise than the library about the same rows and the template as it was enrolled. */
interface Differing {
  /** Places in the file of whose device it is, and of who walked with it. */
  readonly target: number;
  readonly source: number;
  /** From 1, in its session. */
  readonly window: number;
  readonly service: Decision | undefined;
  readonly library: Decision | undefined;
}

/** The number of the service's decisions that are those of the library for the same rows, of how many, and which ones are not. */
export function agreement({ streams, replays }: Pick<Figures['decided'], 'streams' | 'replays'>): {
  readonly all: number;
  readonly differing: readonly Differing[];
} {
  const pairs = streams.flatMap(({ target, source, decisions }, i) => {
    const expected = replays[i]!.map(({ decision }) => decision);
    const length = Math.max(decisions.length, expected.length);
    return Array.from({ length }, (_, at) => ({
      ...{ target, source, window: at + 1 },
      ...{ service: decisions[at], library: expected[at] },
    }));
  });
  return { all: pairs.length, differing: pairs.filter(({ service, library }) => service !== library) };
}

/** A sentence: how many decisions agree, which do not, and why. */
export function agreementInWords(decided: Figures['decided']): string {
  const { all, differing } = agreement(decided);
  const told = differing.map(
    ({ target, source, window, service = 'nothing', library = 'nothing' }) =>
      `window ${window} of person ${source + 1} with the device of person ${target + 1} (${service}, not ${library})`,
  );
  return `${all - differing.length} of ${all} decisions are what the library decides about the same rows and the templates as they were enrolled${told.length === 0 ? '' : `; not ${told.join(', nor ')}: the service locks at a user's tenth step-up of a day because of windows, which the library does not count, and a lock ends the session`}.`;
}

const PLAIN = { style: { head: [], border: [] } };

export function printSummary(figures: Figures, out: string): void {
  const { summary, decided, times } = figures;
  const { dataset, users, features, components, twoParty, totalSeconds, eer, rawEer } = summary;
  const rates = new Table({ ...PLAIN, head: ['equal error rate', 'per window', 'over 5 windows'] });
  for (const [name, { perSample, overFive }] of [
    [`projected to ${components} components`, eer],
    [`raw, ${features} features, scaled Manhattan`, rawEer],
  ] as const)
    rates.push([name, percent(perSample), percent(overFive)]);
  const sessions = new Table({
    ...PLAIN,
    head: ['sessions at the service', 'windows', 'step-ups and locks', 'stopped', 'windows until then'],
  });
  const { genuine, impostor } = decidedFigures(decided);
  for (const [name, it] of [
    [`${genuine.streams} of the users themselves`, genuine],
    [`${impostor.streams} of others with the device`, impostor],
  ] as const)
    sessions.push([
      name,
      it.windows,
      it.stops,
      `${it.stopped} of ${it.streams}`,
      it.medianWindows === undefined ? '–' : `${it.medianWindows} (median)`,
    ]);
  process.stdout.write(`
${colours.bold(`${dataset}: ${users} users, each a device with one class, ${features} features, DCA by ${twoParty}`)}

Impostors have the victim's device, with its key and frame:
${rates.toString()}

Decisions that the relying application read (settings for ${WINDOWS_PER_FALSE_STEP_UP} windows per false step-up):
${sessions.toString()}

${agreementInWords(decided)}
Scores never left the service: the rates above come from the same rows and templates, by the library that the service runs, in this process, which alone has everybody's rows.
A device encrypted and sent in ${times.contributionMilliseconds.toFixed(0)} ms (median, all at once), ${(times.contribution.bytes / 1024).toFixed(1)} KiB. The servers decomposed in ${((times.stages.decompose ?? 0) / 1000).toFixed(1)} s.
Ranges of the features come from everybody's first 40 % of rows: public metadata here.
The projection: ${out}/projection.json. All of it as a page with plots: ${out}/report.html
Everything took ${totalSeconds.toFixed(1)} s.
`);
}
