/** The report of the study of authentication: what a hurried reader should take away, then every figure with its interval. */
import { MISSING } from '@eigenveil/bench/quantities';
import { figures, renderTable, words } from '@eigenveil/bench/table';
import type { Measurement } from '@eigenveil/bench/unit';
import type { Block, Section, Table } from '@eigenveil/report/document';
import { left, right, text } from '../../comparison/report/cells.ts';
import { ARMS, type Family, headlineArm } from './arms.ts';
import { componentsChart, detChart } from './charts.ts';
import { FACTS, numberOf } from './facts.ts';
import { SEQUENTIAL_RATES, WINDOWS_PER_FALSE_STEP_UP } from './locks.ts';
import { DP_DELTA } from './noise.ts';
import { GRIDS } from './settings.ts';

/** Pooled EER in percent of users whom the projection was learnt from. */
const GOALS: Readonly<Record<string, { perSample: number; overFive: number; components: number }>> = {
  meu_keystroke: { perSample: 5.5, overFive: 2.5, components: 20 },
  wisdm_walk_user: { perSample: 9.5, overFive: 9, components: 12 },
};
const TITLES: Readonly<Record<string, string>> = {
  meu_keystroke: 'MEU keystrokes (56 users, 71 features)',
  wisdm_walk_user: 'WISDM walking (36 users, 39 features)',
};
const FAMILIES: readonly { readonly family: Family; readonly title: string }[] = [
  { family: 'frames', title: 'a frame for each user: what a service can compute' },
  { family: 'insiders', title: 'one frame for all users, cohort scores, impostors who are users' },
  { family: 'outsiders', title: 'one frame for all users, cohort scores, impostors who are not users' },
];

type Find = (dataset: string, part: string) => Measurement | undefined;

const finder =
  (measurements: readonly Measurement[]): Find =>
  (dataset, part) =>
    measurements.find(({ id }) => id === `authentication/${dataset}/${part}`);

const sets = (measurements: readonly Measurement[]): string[] =>
  Object.keys(GRIDS).filter((dataset) =>
    measurements.some(({ parameters }) => parameters.dataset === dataset),
  );

const rate = (value: number | undefined): string => (value === undefined ? MISSING : value.toFixed(1));
const signed = (value: number | undefined): string =>
  value === undefined ? MISSING : `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(1)}`;

const withInterval = (unit: Measurement | undefined, name: string, show = rate): string => {
  const [value, low, high] = ['', '/low', '/high'].map((end) => numberOf(unit, `${name}${end}`));
  return low === undefined ? show(value) : `${show(value)} [${show(low)}, ${show(high)}]`;
};

/** Of a report of nothing else. */
export const authenticationStudy = {
  title: 'Eigenveil: how well people are recognised on reduced rows',
  introduction: [
    'An evaluation of continuous authentication on two public data sets. Everything is seeded: whoever runs it again gets these error rates.',
  ],
};

export function authenticationHighlights(measurements: readonly Measurement[]): string[] {
  const find = finder(measurements);
  return sets(measurements).flatMap((dataset) => {
    const unit = find(dataset, 'seen');
    if (unit === undefined) return [];
    const of = (family: Family) => {
      const arm = headlineArm(family);
      return `${withInterval(unit, `${arm}/perSample`)} % of single rows and ${withInterval(unit, `${arm}/overFive`)} % over five`;
    };
    return [
      `**${TITLES[dataset]}**: DCA has an EER of ${of('frames')} where every user has a frame. The goal was ${GOALS[dataset]!.perSample} and ${GOALS[dataset]!.overFive} %. With one frame for all and cohort scores it is ${of('insiders')} against impostors who are users, and ${of('outsiders')} against others.`,
    ];
  });
}

export function authenticationReport(measurements: readonly Measurement[]): Section[] {
  const datasets = sets(measurements);
  if (datasets.length === 0) return [];
  const find = finder(measurements);
  return [
    protocolSection(),
    goalSection(datasets, find),
    ...datasets.map((dataset) => dataSection(dataset, find)),
    laterSection(datasets, find),
    lockSection(datasets, find),
    checksSection(datasets, find),
    noiseSection(datasets, find),
    limitsSection(),
    shapeSection(),
  ];
}

/** For the terminal. */
export function authenticationTable(measurements: readonly Measurement[]): string | undefined {
  const find = finder(measurements);
  const rows = sets(measurements).flatMap((dataset) => {
    const unit = find(dataset, 'seen');
    return unit === undefined
      ? []
      : ARMS.map(({ name, title, family }) => ({ dataset, unit, name, title, family }));
  });
  if (rows.length === 0) return undefined;
  return renderTable(rows, [
    words('data', ({ dataset }) => dataset),
    words('arm', ({ title }) => title),
    words('scores', ({ family }) => family),
    figures('k', ({ unit, name }) => unit.facts[`${name}/components`] ?? MISSING),
    figures('EER %', ({ unit, name }) => withInterval(unit, `${name}/perSample`)),
    figures('over five', ({ unit, name }) => withInterval(unit, `${name}/overFive`)),
  ]);
}

function protocolSection(): Section {
  return {
    title: 'What was measured',
    blocks: [
      text(
        'Terms are those of ISO/IEC 19795. **FMR**: share of impostors’ rows that are accepted. **FNMR**: share of users’ own rows that are refused. **EER**: where both are equal, with one threshold for all users (pooled). Over five: means of five scores in a row, without overlap. All impostors have the victim’s frame: what is measured is behaviour, not possession of a key.',
      ),
      text(
        'Rows of each user are taken in the order of the file, which is assumed to be that of time; a row that stood there before is dropped. Projection, ranges and templates come from the first 40 %, thresholds from the next 20 %, tests from the last 40 %. Unit of the logarithm, k, ρ, score and normalisation were chosen by validation inside the first 60 % (the second fifth by the first, the third by the first two, and the third by the first), for each arm alike. Test rows chose no setting, but they were looked at before the kept run. With the first two trials alone, DCA with a frame for each user had 6.9 and 4.2 % on MEU and 17.7 and 16.3 % on WISDM. After that look the third trial and the arms with cohorts were added, and the grid was thinned; read the figures with that in mind.',
      ),
      text(
        'All arms prepare features alike: signed logarithm, 0.5 % of values clipped at either end, [−1, 1]. All arms may normalise scores alike: by the user’s own spread, and by how far a window is from everyone. A service can do both with a frame for each user. It **cannot** have cohort scores then, which compare a window with the templates of other users: these stand in other frames, and a window in one frame says nothing about a template in another. Cohort scores take one frame that all devices share and the service does not have; whoever opens one device can then read all templates with the service. They are shown beside, since they are what much of the literature reports. They look best when the impostor is a user of the service, whose own template then gives the impostor away.',
      ),
      text(
        'Intervals are of 95 %: users are drawn with replacement (500 times in a full run), as targets and impostors jointly, the same draws for all arms. Raw rows would be seen by the service: these arms are what privacy is compared with. LDA has the vectors of DCA with the same ρ, because S̄ = S_B + S_W.',
      ),
    ],
  };
}

function goalSection(datasets: readonly string[], find: Find): Section {
  const rows = datasets.flatMap((dataset) =>
    FAMILIES.map(({ family, title }) => {
      const unit = find(dataset, 'seen');
      const arm = headlineArm(family);
      const goal = GOALS[dataset]!;
      const verdict = (what: 'perSample' | 'overFive') => {
        const value = numberOf(unit, `${arm}/${what}`);
        if (value === undefined) return MISSING;
        return `${withInterval(unit, `${arm}/${what}`)}: ${value <= goal[what] ? 'met' : 'missed'} (${goal[what]})`;
      };
      return [
        dataset,
        title,
        `${unit?.facts[`${arm}/components`] ?? MISSING} (${goal.components})`,
        verdict('perSample'),
        verdict('overFive'),
        againstRaw(unit, `${arm}/perSample/lessRaw`),
        againstRaw(unit, `${arm}/overFive/lessRaw`),
      ];
    }),
  );
  return {
    title: 'Goals',
    blocks: [
      {
        kind: 'table',
        caption:
          'DCA, users whom the projection was learnt from: pooled EER in percent with its 95 % interval (goal in brackets), and the paired difference from the better raw arm with the same means',
        columns: [
          left('data'),
          left('scores'),
          right('k (at most)'),
          right('per sample'),
          right('over five'),
          right('less raw'),
          right('over five'),
        ],
        rows,
      },
      ...datasets.map((dataset) => whyText(dataset, find)),
    ],
  };
}

/** The goal is an interval at or below 0. */
function againstRaw(unit: Measurement | undefined, name: string): string {
  const high = numberOf(unit, `${name}/high`);
  const verdict = high === undefined ? '' : `: ${high <= 0 ? 'met' : 'missed'}`;
  return `${withInterval(unit, name, signed)}${verdict}`;
}

/** Where a goal is missed, these comparisons say where the errors come from. */
function whyText(dataset: string, find: Find): Block {
  const unit = find(dataset, 'seen');
  const at = (name: string) => rate(numberOf(unit, name));
  const [fmr, fnmr] = [numberOf(unit, 'dca/fmr') ?? 0, numberOf(unit, 'dca/fnmr') ?? 0];
  const drift = fnmr > fmr ? ' Users move away from their templates; impostors do not come closer.' : '';
  return text(
    `**${dataset}, where errors come from, with a frame for each user.** Time: with the same templates the EER of DCA is ${at('dca/before')} % on the 20 % before the test and ${at('dca/perSample')} % in the test; at the threshold that was set there, FNMR is ${at('dca/fnmr')} % and FMR ${at('dca/fmr')} %.${drift} One threshold for all: the mean of users’ own EERs is ${at('dca/perUser')} %. Frames: with cohort scores, which frames rule out, the EER is ${at('dca-outsiders/perSample')} % against strangers and ${at('dca-insiders/perSample')} % against insiders. Normalisation: with the score that the service computes today it is ${at('dca-bare/perSample')} %.`,
  );
}

function dataSection(dataset: string, find: Find): Section {
  const unit = find(dataset, 'seen');
  const rows = (family: Family) =>
    ARMS.filter((arm) => arm.family === family).map(({ name, title }) => [
      title,
      `${unit?.facts[`${name}/components`] ?? MISSING}`,
      withInterval(unit, `${name}/perSample`),
      withInterval(unit, `${name}/overFive`),
      ...(dataset === 'wisdm_walk_user' ? [rate(numberOf(unit, `${name}/overTen`))] : []),
      withInterval(unit, `${name}/perSample/lessRaw`, signed),
      withInterval(unit, `${name}/overFive/lessRaw`, signed),
      rate(numberOf(unit, `${name}/perUser`)),
      `${rate(numberOf(unit, `${name}/fmr`))} / ${rate(numberOf(unit, `${name}/fnmr`))}`,
      `${rate(numberOf(unit, `${name}/fmrOverFive`))} / ${rate(numberOf(unit, `${name}/fnmrOverFive`))}`,
    ]);
  const columns = [
    left('arm'),
    right('k'),
    right('EER'),
    right('over five'),
    ...(dataset === 'wisdm_walk_user' ? [right('over ten')] : []),
    right('less raw'),
    right('over five'),
    right('mean of users'),
    right('FMR / FNMR'),
    right('over five'),
  ];
  return {
    title: TITLES[dataset]!,
    blocks: [
      ...FAMILIES.map(
        ({ family, title }): Table => ({
          kind: 'table',
          caption: `${dataset}, ${title}: percent; “less raw” is the paired difference from the better raw arm of this table, FMR and FNMR are at the threshold from the 20 % before`,
          columns,
          rows: rows(family),
        }),
      ),
      {
        kind: 'table',
        caption: `${dataset}: what validation chose, and the EER that it had there`,
        columns: [left('arm'), left('setting'), right('per sample'), right('over five')],
        rows: ARMS.map(({ name, title, family }) => [
          family === 'frames' ? title : `${title}, ${family}`,
          `${unit?.facts[`${name}/setting`] ?? MISSING}`,
          rate(numberOf(unit, `${name}/chosen/perSample`)),
          rate(numberOf(unit, `${name}/chosen/overFive`)),
        ]),
      },
      ...(unit === undefined ? [] : [componentsChart(dataset, unit), detChart(dataset, unit)]),
    ],
  };
}

function laterSection(datasets: readonly string[], find: Find): Section {
  const rows = datasets.flatMap((dataset) =>
    ['manhattan', headlineArm('frames'), headlineArm('insiders')].map((arm) => {
      const unit = find(dataset, 'unseen');
      const mean = (who: string, what: string) => meanOfSplits(unit, `${who}/${arm}/${what}`);
      const difference = (what: string) => {
        const [later, there] = [mean('unseen', what), mean('seen', what)];
        if (later === undefined || there === undefined) return MISSING;
        return `${signed(later - there)}: ${later - there <= 1 ? 'met' : 'missed'}`;
      };
      return [
        dataset,
        titleOf(arm),
        rate(mean('unseen', 'perSample')),
        rate(mean('seen', 'perSample')),
        difference('perSample'),
        rate(mean('unseen', 'overFive')),
        rate(mean('seen', 'overFive')),
        difference('overFive'),
      ];
    }),
  );
  return {
    title: 'Users who join later',
    blocks: [
      text(
        'Ranges and projection come from 40 users of MEU or 24 of WISDM; the other 16 or 12 enrol later with rows of their own and are compared among themselves. “There” is the same people in the same pairs with a projection from everybody. Settings are those above, which were chosen with rows of all users. Means over seeded splits, which overlap: they have no interval of their own. The goal is a difference of at most 1 point.',
      ),
      {
        kind: 'table',
        caption: 'EER in percent of users who join later, and of the same had they been there',
        columns: [
          left('data'),
          left('arm'),
          right('later'),
          right('there'),
          right('difference'),
          right('over five, later'),
          right('there'),
          right('difference'),
        ],
        rows,
      },
    ],
  };
}

const titleOf = (name: string): string => {
  const { title, family } = ARMS.find((arm) => arm.name === name)!;
  return family === 'frames' ? title : `${title}, ${family}`;
};

function meanOfSplits(unit: Measurement | undefined, prefix: string): number | undefined {
  const values = Object.entries(unit?.facts ?? {}).flatMap(([name, value]) =>
    name.startsWith(`${prefix}/`) && typeof value === 'number' ? [value] : [],
  );
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function lockSection(datasets: readonly string[], find: Find): Section {
  const rows = datasets.flatMap((dataset) =>
    ['trust', 'sequential'].map((engine) => {
      const unit = find(dataset, 'seen');
      const at = (what: string) => numberOf(unit, `lock/${engine}/${what}`);
      const windows = (what: string) => (at(what) === undefined ? 'not reached' : `${at(what)}`);
      return [
        dataset,
        engine,
        windows('windowsToStepUp'),
        windows('windowsToLock'),
        rate(at('impostorsSteppedUp')),
        rate(at('impostorsLocked')),
        rate(at('usersSteppedUp')),
        rate(at('usersLocked')),
      ];
    }),
  );
  return {
    title: 'Windows until step-up and lock',
    blocks: [
      text(
        `DCA with a frame for each user, by the decision engines of the service, set from the scores of the 20 % before the test, one setting for all users: trust for ${WINDOWS_PER_FALSE_STEP_UP} windows from one false step-up to the next; the sequential test for α = ${SEQUENTIAL_RATES.falseStepUp} (step-up) and ${SEQUENTIAL_RATES.falseLock} (lock) and β = ${SEQUENTIAL_RATES.missedImpostor}. A session begins at \`allow\` and has one person’s test rows by time: 21 on MEU, 12 to 35 on WISDM. On MEU this gives bounds only: what has not happened after 21 rows may happen later. Stated rates lean on scores that stay as they were: where users drift, they are not kept.`,
      ),
      {
        kind: 'table',
        caption:
          'Median windows of an impostor, and percent of sessions with a step-up or a lock before their end',
        columns: [
          left('data'),
          left('engine'),
          right('windows to step-up'),
          right('to lock'),
          right('impostors stepped up'),
          right('locked'),
          right('users stepped up'),
          right('locked'),
        ],
        rows,
      },
    ],
  };
}

function checksSection(datasets: readonly string[], find: Find): Section {
  const pair = (unit: Measurement | undefined, name: string) =>
    `${rate(numberOf(unit, `${name}/perSample`))} / ${rate(numberOf(unit, `${name}/overFive`))}`;
  return {
    title: 'Gaps, frames and encryption',
    blocks: [
      {
        kind: 'table',
        caption:
          'EER in percent of single rows / over five: with a tenth of each user’s rows left out between the parts, and without',
        columns: [left('data'), left('arm'), right('without gaps'), right('with gaps')],
        rows: datasets.flatMap((dataset) =>
          ['manhattan', headlineArm('frames')].map((arm) => {
            const unit = find(dataset, 'seen');
            return [dataset, titleOf(arm), pair(unit, `all/${arm}`), pair(unit, `gap/${arm}`)];
          }),
        ),
      },
      text(
        'Through frames: impostors with the victim’s frame have the headline figures to the last digit, since scores are the same in every frame. Impostors with a frame of their own may be told by the frame as well. That figure is never the headline: it measures who has a key and calls that behaviour (the fallacy of BioHashing). An attacker who took over a device has its frame.',
      ),
      {
        kind: 'table',
        caption: 'DCA through frames: EER in percent of single rows / over five',
        columns: [left('data'), right('with the victim’s frame'), right('with a frame of their own')],
        rows: datasets.map((dataset) => {
          const unit = find(dataset, 'seen');
          return [dataset, pair(unit, 'frame/victim'), pair(unit, 'frame/own')];
        }),
      },
      text(
        'Encrypted: each user is an owner of one class and encrypts discretised sums under Paillier; both servers compute DCA by `rotated` in two processes over TLS. Clear: the same from rows in double precision. They differ by rounding.',
      ),
      {
        kind: 'table',
        caption: 'DCA encrypted and clear: EER in percent of single rows / over five',
        columns: [
          left('data'),
          right('encrypted'),
          right('clear'),
          right('largest angle'),
          right('largest difference of a score'),
        ],
        rows: datasets.map((dataset) => {
          const unit = find(dataset, 'encrypted');
          const [angle, difference] = ['encrypted/largestAngle', 'encrypted/largestDifference'].map((name) =>
            numberOf(unit, name),
          );
          return [
            dataset,
            pair(unit, 'encrypted'),
            pair(unit, 'clear'),
            angle === undefined ? MISSING : `${angle.toExponential(1)} rad`,
            difference === undefined ? MISSING : difference.toExponential(1),
          ];
        }),
      },
    ],
  };
}

function noiseSection(datasets: readonly string[], find: Find): Section {
  const epsilonsOf = (unit: Measurement | undefined) =>
    Object.keys(unit?.facts ?? {}).flatMap(
      (name) => /^noise\/dca\/(.+)\/perSample$/.exec(name)?.slice(1) ?? [],
    );
  return {
    title: 'Under differential privacy',
    blocks: [
      text(
        `Noise of both servers for δ = ${DP_DELTA}, ranges from what features are, rows clipped to √(d/3). **Rows are protected, not users**: a user with twenty rows has no promise worth the name, and templates have none at all. With so few rows nothing of the data is left in the projection near ε = 1: it tells people apart as random directions of rows prepared so do. That is better than chance (50 %), because templates and windows carry no noise. ε = ∞ shows what public ranges and clipping cost alone. A refusal, where noise leaves nothing that can be decomposed, counts as an EER of 50 %. Settings were chosen on the same rows, which is not paid for.`,
      ),
      {
        kind: 'table',
        caption:
          'EER in percent of single rows / over five, means over draws of noise, with a frame for each user',
        columns: [left('data'), left('method'), left('ε'), right('EER'), right('refused')],
        rows: datasets.flatMap((dataset) => {
          const unit = find(dataset, 'noise');
          return ['pca', 'dca'].flatMap((method) =>
            epsilonsOf(unit).map((epsilon) => {
              const at = `noise/${method}/${epsilon}`;
              return [
                dataset,
                method.toUpperCase(),
                epsilon === 'Infinity' ? '∞' : epsilon,
                `${rate(numberOf(unit, `${at}/perSample`))} / ${rate(numberOf(unit, `${at}/overFive`))}`,
                `${unit?.facts[`${at}/refused`] ?? MISSING}`,
              ];
            }),
          );
        }),
      },
    ],
  };
}

function limitsSection(): Section {
  return {
    title: 'Limits',
    blocks: [
      text(
        [
          '- Both data sets are small: 56 and 36 people, each recorded in one session or few. Intervals are over these people; they say nothing of other populations, devices or months.',
          '- File order is assumed to be time. Nothing in the files says so.',
          '- Impostors are other users who behave as themselves. Nobody imitates anybody.',
          '- Users whom the projection was learnt from also are the impostors of the headline. Users who join later are shown apart.',
          '- Ranges are taken from the pooled training rows. In operation they must be agreed on from domain knowledge, or by another private computation.',
          '- In WISDM, 29 rows that stand twice were dropped. Two of its features, the deviations along x and z, are equal in every row: it has 38 features, not 39.',
          '- Templates stay as they were. A service that updates them after confirmed step-ups follows its users, and follows an attacker who is never found.',
        ].join('\n'),
      ),
    ],
  };
}

function shapeSection(): Section {
  return {
    title: 'report.json',
    blocks: [
      text(
        '`report.json` has the form `eigenveil-bench/1`: one measurement for each data set and part, `authentication/<data set>/seen`, `unseen`, `noise` and `encrypted`, whose facts are rates in percent under these names.',
      ),
      {
        kind: 'table',
        caption: 'Names of facts',
        columns: [left('name'), left('what')],
        rows: FACTS.map(([pattern, meaning]) => [pattern, meaning]),
      },
    ],
  };
}
