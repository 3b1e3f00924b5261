/** The page of the demo of authentication: error rates, decisions of the service, one device window by window, and what each party saw. */

import {
  operatingPoints,
  overWindows,
  pool,
  WINDOWS_TOGETHER,
} from '@eigenveil/testbed/recognition/error-rates';
import type {
  Chart,
  Line,
  Paragraph,
  Point,
  Report,
  Section,
  Table,
} from '../../instrument/report/document.ts';
import { WINDOWS_PER_FALSE_STEP_UP } from './evaluation.ts';
import { agreementInWords, decidedFigures, type Figures, percent } from './summary.ts';

export function authenticationReport(figures: Figures): Report {
  const { summary, setting, task } = figures;
  const { dataset, users, features, components, twoParty, totalSeconds } = summary;
  return {
    title: `Eigenveil: ${users} users of ${dataset}, recognised window by window`,
    introduction: [
      `${users} devices with one user's rows each, a CSP and a data user computed a projection from ${features} features to ${components} components: a DCA by \`${twoParty}\` with a class for each user, ${task.keyBits}-bit keys. An authenticator then recognised the users from reduced rows. All were processes of one machine that talk TLS; it took ${totalSeconds.toFixed(1)} s.`,
      `A window is ${setting.window}. Rows are in the order of their file, which is taken to be that of time: the first 40 % of each user's rows made the projection and the templates, the next 20 % the authenticator's settings, and the last 40 % are what is shown here. A row that the file has twice is used once.`,
      ...(task.keyBits < 2048 ? [`**Keys of ${task.keyBits} bits are NOT secure.**`] : []),
      "**Impostors have the victim's device**, with its key and its secret frame. Figures for impostors with devices of their own would look better, and would tell nothing of how people differ.",
    ],
    sections: [
      errorSection(figures),
      decisionSection(figures),
      deviceSection(figures),
      { title: 'Times', blocks: [timesTable(figures)] },
      { title: 'What each party saw', blocks: [partiesText(figures)] },
      { title: 'What this does not show', blocks: [limitsText(figures)] },
    ],
  };
}

function errorSection({ summary, comparisons }: Figures): Section {
  const { eer, rawEer, components, features, users } = summary;
  const curve = (name: string, from: Figures['comparisons']['raw'], style: Line['style']): Line => ({
    name,
    style,
    points: detPoints(from),
  });
  const { projected, raw } = comparisons;
  const chart: Chart = {
    kind: 'chart',
    name: 'det',
    caption: `Detection error trade-off over one threshold for all ${users} users: how often a user is refused against how often an impostor passes. Dashed: means of ${WINDOWS_TOGETHER} windows.`,
    drawing: {
      kind: 'lines',
      x: { title: 'False match rate, %', scale: 'log' },
      y: { title: 'False non-match rate, %', scale: 'log' },
      lines: [
        curve('Projected', projected, 'solid'),
        curve('Raw', raw, 'solid'),
        curve(`Projected, ${WINDOWS_TOGETHER} windows`, overWindows(projected, WINDOWS_TOGETHER), 'dashed'),
        curve(`Raw, ${WINDOWS_TOGETHER} windows`, overWindows(raw, WINDOWS_TOGETHER), 'dashed'),
      ],
    },
  };
  const rates: Table = {
    kind: 'table',
    caption: 'Equal error rates, pooled over all pairs of users with one threshold; 50 % is chance.',
    columns: [
      { title: 'Rows', align: 'left' },
      { title: 'Per window', align: 'right' },
      { title: `Over ${WINDOWS_TOGETHER} windows`, align: 'right' },
    ],
    rows: [
      [`Projected to ${components} components`, percent(eer.perSample), percent(eer.overFive)],
      [
        `Raw, ${features} features, scaled Manhattan distance`,
        percent(rawEer.perSample),
        percent(rawEer.overFive),
      ],
    ],
  };
  const text: Paragraph = {
    kind: 'text',
    text: 'No score leaves the authenticator, so these rates are computed in the process of the demo, which alone has rows of everybody: from the same rows, templates and projection, by the library that the authenticator runs. Frames change no score.',
  };
  return { title: 'How well users are told apart', blocks: [rates, chart, text] };
}

/** Points of a curve are so far apart, in powers of ten of either rate: closer ones could not be told apart. */
const APART = 0.1;

/** In percent, where both rates are more than 0, as a logarithm needs. */
function detPoints(comparisons: Figures['comparisons']['raw']): Point[] {
  const points: Point[] = [];
  for (const { fmr, fnmr } of operatingPoints(pool(comparisons))) {
    if (fmr === 0 || fnmr === 0) continue;
    const last = points.at(-1);
    const point = { x: 100 * fmr, y: 100 * fnmr };
    if (last === undefined || Math.log10(point.x / last.x) + Math.log10(last.y / point.y) >= APART)
      points.push(point);
  }
  return points;
}

function decisionSection({ decided }: Figures): Section {
  const { genuine, impostor } = decidedFigures(decided);
  const table: Table = {
    kind: 'table',
    caption: 'What the relying application read.',
    columns: [
      { title: 'Sessions', align: 'left' },
      { title: 'Windows', align: 'right' },
      { title: 'Step-ups and locks', align: 'right' },
      { title: 'Locks', align: 'right' },
      { title: 'Sessions stopped', align: 'right' },
      { title: 'Windows until then, median', align: 'right' },
    ],
    rows: [
      { name: 'Of the users themselves', it: genuine },
      { name: 'Of others with the device', it: impostor },
    ].map(({ name, it }) => [
      `${name}: ${it.streams}`,
      String(it.windows),
      String(it.stops),
      String(it.locks),
      `${it.stopped} of ${it.streams}`,
      it.medianWindows === undefined ? '–' : String(it.medianWindows),
    ]),
  };
  return {
    title: 'What the authenticator decided',
    blocks: [
      {
        kind: 'text',
        text: `A session begins at \`step-up\`, which the relying application confirms after its first window: whoever takes a device over takes it unlocked. After that it confirms step-ups of the user, and none of somebody else. A lock ends a session. The trust engine was set for one false step-up in ${WINDOWS_PER_FALSE_STEP_UP} windows of the right user, from rows of the middle 20 %; where people change from day to day, the last 40 % see more of them.`,
      },
      table,
      {
        kind: 'text',
        text: agreementInWords(decided),
      },
    ],
  };
}

/** The first user of the file and the next person: chosen before anything was computed. */
function deviceSection({ decided }: Figures): Section {
  const { trust, streams, replays, subjects, events } = decided;
  const [own, other] = [0, 1].map((source) => {
    const at = streams.findIndex((stream) => stream.target === 0 && stream.source === source);
    return { moments: replays[at]!, name: subjects[source]!.name };
  }) as [Shown, Shown];
  const last = Math.max(own.moments.length, other.moments.length, 2);
  const level = (name: string, y: number): Line => ({
    name,
    style: 'dashed',
    points: [
      { x: 1, y },
      { x: last, y },
    ],
  });
  const line = (name: string, { moments }: Shown): Line => ({
    name,
    style: moments.length === 1 ? 'points' : 'solid',
    points: moments.map(({ trust: y }, i) => ({ x: i + 1, y })),
  });
  const { userId } = subjects[0]!;
  const chart: Chart = {
    kind: 'chart',
    name: 'trust',
    caption: `Trust in the device of user ${own.name} after each window, as the library computes it; the authenticator keeps it to itself. It is full again after each confirmed step-up.`,
    drawing: {
      kind: 'lines',
      x: { title: 'Window of the session', scale: 'linear' },
      y: { title: 'Trust', scale: 'linear' },
      lines: [
        line(`User ${own.name}`, own),
        line(`User ${other.name} with that device`, other),
        level('Step-up below', trust.stepUpBelow),
        level('Lock below', trust.lockBelow),
      ],
    },
  };
  const told: Table = {
    kind: 'table',
    caption: `All that the relying application was told of ${userId}, in order.`,
    columns: [
      { title: 'Event', align: 'right' },
      { title: 'Decision', align: 'left' },
      { title: 'Reason', align: 'left' },
    ],
    rows: events
      .filter((event) => event.userId === userId)
      .map(({ sequence, decision, reason }) => [String(sequence), decision, reason]),
  };
  return { title: 'One device, window by window', blocks: [chart, told] };
}

interface Shown {
  readonly moments: Figures['decided']['replays'][number];
  readonly name: string;
}

function timesTable({ times, decided }: Figures): Table {
  const { stages, contribution } = times;
  const ms = (value: number | undefined) => (value === undefined ? '–' : `${value.toFixed(0)} ms`);
  const windows = decided.streams.reduce((sum, { decisions }) => sum + decisions.length, 0);
  return {
    kind: 'table',
    caption: 'Times; those of a device are medians while all devices work at once on this machine.',
    columns: [
      { title: 'Work', align: 'left' },
      { title: 'Time', align: 'right' },
    ],
    rows: [
      [
        `A device: sum, encrypt (DJN), send ${(contribution.bytes / 1024).toFixed(1)} KiB`,
        ms(times.contributionMilliseconds),
      ],
      ['Data user: add, blind', ms(stages.aggregate)],
      ['CSP: unblind', ms(stages.unblind)],
      ['Both servers: decompose', ms(stages.decompose)],
      ['A device: fetch and verify the projection', ms(times.verificationMilliseconds)],
      ['A device: enrol at the authenticator', ms(times.registrationMilliseconds)],
      [
        `All sessions: ${windows} windows, each sent alone and its decision read before the next`,
        ms(1000 * times.observingSeconds),
      ],
    ],
  };
}

function partiesText({ summary, times, task }: Figures): Paragraph {
  const { users, components } = summary;
  return {
    kind: 'text',
    text: `- **A device** sent its sums once, encrypted (${times.contribution.plaintexts} ciphertexts). It saw the signed task, and the signed projection with what the task declares (${task.outputs.join(', ')}): the numbers of rows by class are those of users here. Of decisions it saw nothing: every batch of windows has the same answer.
- **The data user** held the ciphertexts of ${users} devices and the projection. By \`rotated\` it also saw all eigenvalues, the lengths of the vectors and each user's number of rows: no row, no sum of one device.
- **The CSP** held the secret key of the task, and blinded sums: no row, no sum, no projection.
- **The authenticator** saw windows of ${components} numbers in the secret frame of each device. It keeps of each user a mean, a spread and a count, sealed: no feature, and no window once it was scored.
- **The relying application** saw decisions with their reasons: no window, no score, no trust level.`,
  };
}

function limitsText({ summary, setting }: Figures): Paragraph {
  return {
    kind: 'text',
    text: `${summary.users} people, few rows of each, perhaps of one day: rates of other people on other days will differ, and the figures have no intervals here. k = ${setting.components}, ρ = ${setting.ridge}, the unit of the logarithm and the score (${setting.score}) were chosen within the first 60 % of the rows. Ranges of the features come from everybody's first 40 %, as public metadata: for private rows they are written down from what each feature is. All users took part in the projection; users who join later are not looked at here.`,
  };
}
