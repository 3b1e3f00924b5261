/** The page on what a template gives away, written from the figures of one run. */
import type { Block, Report, Section, Table } from '../instrument/report/document.ts';
import { reportToMarkdown } from '../instrument/report/markdown.ts';
import { left, right, text } from '../privacy/report/cells.ts';
import { type Forgery, STRATEGIES, WINDOWS_TO_WIN } from './forged-streams.ts';
import type { Interval } from './intervals.ts';
import { ATTACKS, type Reconstruction } from './template-reconstruction.ts';
import type { TemplateStudy } from './template-study.ts';

const points = (value: number): string => (100 * value).toFixed(1).replace('-', '−');
/** In percent, with its interval of 95 %. */
const inPercent = ({ value, low, high }: Interval): string =>
  `${points(value)} [${points(low)}, ${points(high)}]`;

const TITLES: Readonly<Record<string, string>> = {
  wisdm_walk_user: 'walking (WISDM)',
  meu_keystroke: 'keystrokes (MEU)',
};
const titled = (dataset: string): string => TITLES[dataset] ?? dataset;

type TableColumn<T> = readonly [title: string, align: 'left' | 'right', cell: (row: T) => string];

function table<T>(caption: string, rows: readonly T[], columns: readonly TableColumn<T>[]): Table {
  return {
    kind: 'table',
    caption,
    columns: columns.map(([title, align]) => (align === 'left' ? left(title) : right(title))),
    rows: rows.map((row) => columns.map(([, , cell]) => cell(row))),
  };
}

/** In Markdown. */
export const templatePage = (study: TemplateStudy): string => reportToMarkdown(templateReport(study));

function templateReport(study: TemplateStudy): Report {
  const people = study.datasets.map(
    ({ name, people, rows, features }) =>
      `${titled(name)}: ${people} people, ${rows} rows, ${features} features`,
  );
  return {
    title: 'What a template gives away',
    introduction: [
      `Written by \`npm run study:templates\` (${study.profile} run; ${people.join('; ')}${study.missing.length > 0 ? `; not there: ${study.missing.map(titled).join(', ')}` : ''}). Every random number comes from a seed, so that a run repeats to the last digit; \`templates.json\` has the same figures.`,
      `**How it decides**, fixed before an attack ran: intervals are of 95 %, with people as units (Clopper and Pearson for shares, else a bootstrap over people). An attack is said to **give away** something where its whole interval is more than ${points(study.margin)} points above what a guess has, **nothing seen** where it lies below that, and **undecided** else. “Nothing seen” is about these attacks on these people: a better attack can find more, and no attack shows that there is nothing to find. Intervals are those of single lines; among so many lines some are wrong.`,
      'Rows are prepared as in the evaluation of recognition: signed logarithm, clipping of 0.5 %, [−1, 1]. A window is W(x − mean) with the vectors W and the mean of a projection in the clear, learnt from the first 40 % of everybody’s rows (DCA: ρ = 1). Two studies of one session, or of students with one password, are small and alike: real populations are larger, which makes linking harder, and known for longer, which makes it easier.',
    ],
    sections: [
      reconstructionSection(study),
      linkageSection(study),
      translationSection(study),
      scoresSection(study),
      forgerySection(study),
      countsSection(study),
      renewalSection(study),
    ],
  };
}

const KNOWN_FRAME = ATTACKS[0]!.name;

function reconstructionSection({ reconstruction }: TemplateStudy): Section {
  const known = reconstruction.filter(({ attack }) => attack === KNOWN_FRAME);
  const unknown = reconstruction.filter(({ attack }) => attack !== KNOWN_FRAME);
  const largest = known
    .filter(({ enrolled, components, features }) => enrolled && components >= 0.75 * features)
    .map(
      ({ dataset: name, method, components, features, windows, nearlyWhole }) =>
        `${titled(name)}, ${method.toUpperCase()} with ${components} of ${features} dimensions: ${points(windows.value)} % of a window’s variance, and at least nine tenths of ${nearlyWhole} of its ${features} features`,
    );
  const dataset: TableColumn<Reconstruction> = ['data set', 'left', (row) => titled(row.dataset)];
  const k: TableColumn<Reconstruction> = ['k', 'right', ({ components }) => `${components}`];
  const windows: TableColumn<Reconstruction> = ['of windows, %', 'right', (row) => inPercent(row.windows)];
  const measures: readonly TableColumn<Reconstruction>[] = [
    ['of a person’s mean, %', 'right', ({ mean }) => inPercent(mean)],
    [
      'features: least, median, most',
      'right',
      ({ byFeature: { least, median, most } }) => [least, median, most].map(points).join(', '),
    ],
    ['≥ 90 %', 'right', ({ nearlyWhole, features }) => `${nearlyWhole} of ${features}`],
    ['verdict', 'left', ({ verdict }) => verdict],
  ];
  return {
    title: 'Features from windows and templates',
    blocks: [
      text(
        'The attacker has the projection, all windows of a person in the frame of that person’s device, and rows of other people, never of this one (4 folds of people). What it makes of windows goes through a linear estimator of raw features that was learnt from those other people, with a ridge chosen on them. Success is the share of variance that comes back, features in standard units: 0 is guessing the mean of other people, 100 % is the raw rows.',
      ),
      text(
        `**With the frame known, a reduced window is raw data, less what the projection drops.** ${largest.length > 0 ? `35 of 39 dimensions is nearly raw: ${largest.join('; ')}. ` : ''}A frame is all that stands between a template and that. A person’s mean comes back far better than single windows: discriminant directions are those in which means differ.`,
      ),
      table(
        'The frame known, by k. “No part”: the projection was learnt from other people alone, as for users who join later (control)',
        known,
        [
          dataset,
          ['method', 'left', ({ method }) => method.toUpperCase()],
          k,
          ['rows in the projection', 'left', ({ enrolled }) => (enrolled ? 'have a part' : 'no part')],
          windows,
          ...measures,
        ],
      ),
      text(
        'A DCA of 27 people has at most 26 components, and one of 42 at most 41: lines without a part that say more have so many.',
      ),
      table('The frame not known, DCA. Verdicts are on the gain', unknown, [
        dataset,
        k,
        ['attack', 'left', ({ attack }) => attack],
        windows,
        ['without any window', 'right', ({ alone }) => points(alone.value)],
        ['gain, points', 'right', ({ gain }) => inPercent(gain)],
        ...measures,
      ]),
      ...knowledge(ATTACKS.slice(1)),
      text(
        '“Without any window” is what the raw rows that an attacker has of the victim say by themselves of its other rows; the gain is what windows and template add to that. **Known windows with their images take the frame off, one direction each: k of them are the frame.** Distributions of other people’s windows did not: the eigenvectors of a person’s own spread are too far from those of others, and third moments of 30 to 85 windows decide hardly a sign. Independent components (ICA) need more windows than that and were not tried. An attacker with thousands of windows of one person could do better than these.',
      ),
    ],
  };
}

function knowledge(attacks: readonly { readonly name: string; readonly knows: string }[]): Block[] {
  return [text(attacks.map(({ name, knows }) => `- **${name}**: ${knows}.`).join('\n'))];
}

const FRAMES = {
  orthogonal: 'orthogonal',
  translated: 'with a translation',
  none: 'none (control)',
} as const;

function linkageSection({ linkage }: TemplateStudy): Section {
  return {
    title: 'Templates of one person at two services',
    blocks: [
      text(
        'Everybody enrols at one service with the first 40 % of their rows and at another with the last 40 %, in a fresh frame at each. The attacker has all templates of both, whole, and for everybody but the one whom it looks for knows which belong together. It compares numbers that a frame does not change: the length of the mean, the eigenvalues of the spread, the fourth moment, the number of windows, and angles between the mean and the axes of the spread. Rank one: how often the right template comes first among all (chance: one over people). AUC: how often it comes before one other person’s (chance: 50 %). Lines with known windows: the attacker has some raw windows of everybody with their images, at both services; “without it” are the same raw windows without any template, which is what they give away alone.',
      ),
      text(
        '**Frames do not make templates unlinkable.** They hide directions. Lengths and spreads stay, and tell two people apart far better than chance; among some dozens of people they seldom name the one. As if there were no frame, the mean alone finds most people: that is what frames take away. With k known windows at both services the frames are gone, and these windows alone, raw, say as much. The same window has the same length in both frames, so windows that are sent to both services link at once. The number of windows is as telling as the recording was long: a device should enrol with a fixed number.',
      ),
      table('Which templates belong together', linkage, [
        ['data set', 'left', ({ dataset }) => titled(dataset)],
        ['k', 'right', ({ kind }) => `${kind.components}`],
        ['frames', 'left', ({ frames }) => FRAMES[frames]],
        ['other projection', 'left', ({ other }) => other],
        ['what is compared', 'left', ({ means }) => means],
        ['rank one, %', 'right', ({ rankOne }) => inPercent(rankOne)],
        ['chance', 'right', ({ chance }) => points(chance)],
        ['', 'left', ({ verdicts }) => verdicts.rankOne],
        ['AUC, %', 'right', ({ auc }) => inPercent(auc)],
        ['', 'left', ({ verdicts }) => verdicts.auc],
      ]),
    ],
  };
}

function translationSection({ translation }: TemplateStudy): Section {
  return {
    title: 'Whether a frame should have a translation',
    blocks: [
      text(
        'A secret translation hides the length of the mean. This is how many points of AUC it takes from the attacks above, person by person (paired).',
      ),
      table('AUC without a translation less AUC with one', translation, [
        ['data set', 'left', ({ dataset }) => titled(dataset)],
        ['what is compared', 'left', ({ means }) => means],
        ['points', 'right', ({ auc }) => inPercent(auc)],
      ]),
      text(
        '**Devices’ frames have none.** A translation takes away one of several clues; with the spread alone two templates are still linked better than by chance. It would cost the origin. The service could then not set a window’s distance from its user against the one from everybody’s mean, which is what stops a stream of everybody’s mean (“Forged streams” below). It could not bound the length of a window, and cosine scores would mean nothing. `Frame.fromSeed` still takes a translation, for services that use neither.',
      ),
    ],
  };
}

function scoresSection({ recovery }: TemplateStudy): Section {
  return {
    title: 'Scores, if a service told them',
    blocks: [
      text(
        'The attacker sends random windows in the victim’s frame and is told the distance that a score is made of, in the user’s own unit, which it does not know. Squared, a distance is a polynomial in the window: k + 2 unknown coefficients for Euclidean ones, (k + 1)(k + 2)/2 for Mahalanobis, where the shrunk spread comes with it. As many distances solve for the template; one less does not. A score is made of two of them, from the user and from everybody, and has no secret beyond these coefficients. So no score leaves the service, and no decision goes to a device.',
      ),
      table('People whose template’s mean came back to six digits', recovery, [
        ['data set', 'left', ({ dataset }) => titled(dataset)],
        ['score', 'left', ({ score }) => score],
        ['k', 'right', ({ components }) => `${components}`],
        ['scores told', 'right', ({ scores }) => `${scores}`],
        ['recovered, %', 'right', ({ recovered }) => inPercent(recovered)],
        ['people', 'right', ({ recovered }) => `${recovered.n}`],
      ]),
    ],
  };
}

function forgerySection({ forgery }: TemplateStudy): Section {
  const limits = forgery[0]?.byAttempts.map(({ attempts }) => attempts) ?? [];
  const genuine = [
    ...Map.groupBy(forgery, ({ dataset, score, against, engine }) =>
      [dataset, score, against, engine].join(),
    ).values(),
  ];
  return {
    title: 'Forged streams',
    blocks: [
      text(
        `The decision engines as they are, calibrated on the middle 20 % of rows (trust: 200 windows of the right user to a false step-up; sequential: error rates 1 %, 0.1 %, 1 %). An attempt is a session just after the user has confirmed a step-up: before that no stream is allowed, whatever its scores. The attacker injects windows in the victim’s frame, as malware on the device would, and sees when the session leaves \`allow\`. It wins when a stream stays for ${WINDOWS_TO_WIN} windows, from which a template may learn. Who steals an unlocked device has one attempt: the next takes a confirmed step-up. Malware that waits for the user to confirm has as many as the service allows in a day.`,
      ),
      ...knowledge(STRATEGIES),
      table(
        'In short: people for whom some forged stream was allowed, in percent; the least and the most over scores and engines, by the attack that did best',
        inShort(forgery),
        [
          ['data set', 'left', ({ dataset }) => titled(dataset)],
          ['set against', 'left', ({ against }) => against],
          ...limits.map(
            (limit, i): TableColumn<Short> => [
              `${limit}`,
              'right',
              ({ ranges }) => ranges[i]!.map(points).join('–'),
            ],
          ),
        ],
      ),
      table('People for whom a forged stream was allowed, in percent, by attempts', forgery, [
        ['data set', 'left', ({ dataset }) => titled(dataset)],
        ['score', 'left', ({ score }) => score],
        ['set against', 'left', ({ against }) => against],
        ['engine', 'left', ({ engine }) => engine],
        ['attack', 'left', ({ strategy }) => strategy],
        ...limits.map(
          (limit, i): TableColumn<Forgery> => [
            `${limit}`,
            'right',
            ({ byAttempts }) =>
              i === 0 ? inPercent(byAttempts[i]!.allowed) : points(byAttempts[i]!.allowed.value),
          ],
        ),
      ]),
      table(
        'The users themselves: sessions of their last 40 % that stay at `allow` as long',
        genuine.map(([first]) => first!),
        [
          ['data set', 'left', ({ dataset }) => titled(dataset)],
          ['score', 'left', ({ score }) => score],
          ['set against', 'left', ({ against }) => against],
          ['engine', 'left', ({ engine }) => engine],
          ['stay, %', 'right', ({ genuine: stay }) => inPercent(stay)],
        ],
      ),
      text(
        '**One window again and again, the mean of everybody, can be nearer to a template than its user’s own windows are.** Those vary about their mean; the forged one does not. Since windows are centred, it is nearly the window of zeros, which is the same in every frame: this attempt takes no frame, and no rows of others either. A bare distance r (“nothing”) takes a calm stranger for the user. So the service’s score sets it against the distance e from everybody’s mean in the same metric (“everybody”): (1 + r²)(1 + r²/e²). By it no stream of zeros stayed at `allow` for anybody here, while users’ own sessions stay as often as before. It takes windows that are centred by the projection’s mean, and frames without a translation.',
      ),
      text(
        '**A limit on attempts slows this down and does not stop it.** The score takes away the attempt without the frame, and with it the first one. With the frame, every attempt with another person’s mean finds some more users, since somebody resembles them, whatever distances are set against. Climbing by how long a stream lasted finds little beyond that. The service’s default, 10 step-ups a day (`stepUpsPerDay`), is what users with false step-ups can live with; no figure here says that it protects against malware that has the frame, and it does not: three a day would still let in a tenth of the users or more, five three tenths. What does protect is that without a confirmed step-up there is no further attempt. Behaviour alone does not hold against somebody who can inject windows in the victim’s frame: the frame’s bytes must be kept as a key is, and a relying application should not confirm step-ups by something that the same malware can see.',
      ),
    ],
  };
}

interface Short {
  readonly dataset: string;
  readonly against: Forgery['against'];
  /** By attempts: the least and the most. */
  readonly ranges: readonly (readonly [number, number])[];
}

/** What forged streams reach by attempts, over scores and engines and by the attack that does best, for each data set and what scores are set against. */
export function inShort(forgery: readonly Forgery[]): Short[] {
  return [...Map.groupBy(forgery, ({ dataset, against }) => `${dataset} ${against}`).values()].map((same) => {
    const settings = [...Map.groupBy(same, ({ score, engine }) => `${score} ${engine}`).values()];
    const { dataset, against, byAttempts } = same[0]!;
    const ranges = byAttempts.map((_, i) => {
      const best = settings.map((of) => Math.max(...of.map((attack) => attack.byAttempts[i]!.allowed.value)));
      return [Math.min(...best), Math.max(...best)] as const;
    });
    return { dataset, against, ranges };
  });
}

function countsSection({ counts }: TemplateStudy): Section {
  return {
    title: 'Numbers of rows by class',
    blocks: [
      text(
        'Where each owner has a class of its own, `classCounts` are the owners’ numbers of rows: known to the data user exactly, and to owners where the result is released. The attacker has them of two tasks and looks for the same owner by rank. Unique: owners whose number nobody else has.',
      ),
      table('Owners found again by their number of rows', counts, [
        ['data set', 'left', ({ dataset }) => titled(dataset)],
        ['both tasks count', 'left', ({ counted }) => counted],
        ['`minimumClassRows`', 'right', ({ minimumClassRows }) => `${minimumClassRows}`],
        ['owners', 'right', ({ owners }) => `${owners}`],
        ['stay away', 'right', ({ away }) => `${away}`],
        ['unique, %', 'right', ({ unique }) => inPercent(unique)],
        ['found, %', 'right', ({ rankOne }) => inPercent(rankOne)],
        ['chance', 'right', ({ chance }) => points(chance)],
        ['', 'left', ({ verdict }) => verdict],
      ]),
      text(
        'Numbers of rows link owners across tasks wherever they differ. `minimumClassRows` keeps owners with few rows away and leaves the others nearly as easy to tell apart; that an owner stays away tells those who know its policy that it has fewer. What helps is that all owners contribute the same number of rows: keystrokes have 51 each, and owners are found as often as by chance. A task’s proposer can ask every owner for so many rows.',
      ),
    ],
  };
}

function renewalSection({ renewal, both }: TemplateStudy): Section {
  return {
    title: 'After a frame is renewed',
    blocks: [
      text(
        'An old template against windows in the new frame: of its user, and of strangers who have the same new frame. 50 % is chance: the old template then knows its user no better than anybody. Before: both in the old frame.',
      ),
      table('Equal error rate in percent', renewal, [
        ['data set', 'left', ({ dataset }) => titled(dataset)],
        ['score', 'left', ({ score }) => score],
        ['frames', 'left', ({ translated }) => FRAMES[translated ? 'translated' : 'orthogonal']],
        ['before', 'right', ({ before }) => inPercent(before)],
        ['after', 'right', ({ after }) => inPercent(after)],
        ['', 'left', ({ verdict }) => verdict],
      ]),
      text(
        'An attacker with the old frame, as of a stolen device, the old template and the new one, who sees windows in the new frame: axes of both spreads in order, signs by both means. The share of what windows differ from the old mean by that comes back:',
      ),
      table('Old and new template together', both, [
        ['data set', 'left', ({ dataset }) => titled(dataset)],
        ['k', 'right', ({ kind }) => `${kind.components}`],
        ['frames', 'left', ({ translated }) => FRAMES[translated ? 'translated' : 'orthogonal']],
        ['of windows, %', 'right', ({ windows }) => inPercent(windows)],
        ['', 'left', ({ verdict }) => verdict],
      ]),
      text(
        'Renewal takes the old template’s use away, to within some points, since lengths stay. It does not take back what was seen: who had the old frame and the old template has the person’s mean in the projection’s coordinates for good, as the first table says. And a template that is leaked now is as good as a password to whoever can inject windows: its mean, sent as a window, scores 0 in its own frame until it is renewed.',
      ),
    ],
  };
}
