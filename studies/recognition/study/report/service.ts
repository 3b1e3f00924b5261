/** Users who join later, windows until locks, and templates that learn. */
import { MISSING } from '../../../instrument/quantities.ts';
import type { Section } from '../../../instrument/report/document.ts';
import { left, right, text } from '../../../privacy/report/cells.ts';
import { headlineArm } from '../arms.ts';
import { numberOf } from '../facts.ts';
import { RULES } from '../learning.ts';
import { ENGINES, SEQUENTIAL_RATES, WINDOWS_PER_FALSE_STEP_UP } from '../locks.ts';
import { type Find, meanOfSplits, rate, signed, titleOf } from './figures.ts';

export function laterSection(datasets: readonly string[], find: Find): Section {
  const rows = datasets.flatMap((dataset) =>
    ['manhattan', headlineArm('frames'), headlineArm('insiders')].map((arm) => {
      const facts = find(dataset);
      const mean = (who: string, what: string) => meanOfSplits(facts, `${who}/${arm}/${what}`);
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

export function lockSection(datasets: readonly string[], find: Find): Section {
  const rows = datasets.flatMap((dataset) =>
    ENGINES.map((engine) => {
      const facts = find(dataset);
      const at = (what: string) => numberOf(facts, `lock/${engine}/${what}`);
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
        `DCA with the score of the service, by its decision engines, set from the scores of the 20 % before the test, one setting for all users: trust for ${WINDOWS_PER_FALSE_STEP_UP} windows from one false step-up to the next; the sequential test for α = ${SEQUENTIAL_RATES.falseStepUp} (step-up) and ${SEQUENTIAL_RATES.falseLock} (lock) and β = ${SEQUENTIAL_RATES.missedImpostor}. A session begins at \`allow\` and has one person’s test rows by time: 21 on MEU, 12 to 35 on WISDM. On MEU this gives bounds only: what has not happened after 21 rows may happen later. Stated rates lean on scores that stay as they were: where users drift, they are not kept.`,
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

export function learningSection(datasets: readonly string[], find: Find): Section {
  return {
    title: 'Templates that learn',
    blocks: [
      text(
        'DCA with the score of the service. A template learns as in the service: from windows at `allow` after a confirmed step-up, then from each confident run. The service waits for 50 and 500 windows by default, which almost nobody here has left after enrolment: with its defaults next to nothing is learnt. It also learns at most once an hour, and these files have no times: what is gained here and what is poisoned is more than the service does in as many windows. Here five or ten are enough, and such windows get a share of 0.1, the default, or 0.3. Decisions are those of trust. Users’ streams go from the end of enrolment to the end of their rows. **A user passes every step-up, at once; an impostor passes none**: whoever confirms a step-up is taken to be the person. Where that is wrong, a template follows the wrong person. Each impostor takes over a device that was unlocked just now, with the victim’s frame, and meets the template as it stands at the beginning of the test part. These rules were set after a look at test rows with them and with two others, which said the same. What FMR is above the figure in brackets, impostors have taught; what the brackets are above `never`, templates have widened with users who change.',
      ),
      {
        kind: 'table',
        caption:
          'Test part, in percent: FMR and FNMR are of single rows at the threshold from the 20 % before, the same for all; in brackets FMR had templates learnt from users alone; then the share of windows that a template learnt from, and of impostors who taught one anything',
        columns: [
          left('data'),
          left('a template learns'),
          right('EER'),
          right('over five'),
          right('FNMR'),
          right('FMR'),
          right('users’ windows learnt'),
          right('impostors’ windows learnt'),
          right('impostors who taught'),
        ],
        rows: datasets.flatMap((dataset) =>
          Object.keys(RULES).map((rule) => {
            const facts = find(dataset);
            const at = (what: string) => rate(numberOf(facts, `learning/${rule}/${what}`));
            return [
              dataset,
              rule,
              at('perSample'),
              at('overFive'),
              at('fnmr'),
              `${at('fmr')} (${at('fmrUnpoisoned')})`,
              at('usersLearnt'),
              at('impostorsLearnt'),
              at('impostorsWhoTaught'),
            ];
          }),
        ),
      },
    ],
  };
}
