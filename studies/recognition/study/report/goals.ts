/** Goals with their verdicts, and where they are missed, where errors come from. */
import { MISSING } from '../../../instrument/quantities.ts';
import type { Block, Section } from '../../../instrument/report/document.ts';
import { left, right, text } from '../../../privacy/report/cells.ts';
import { headlineArm, SERVICE_ARM } from '../arms.ts';
import { type Facts, numberOf } from '../facts.ts';
import { FAMILIES, type Find, GOALS, meanOfSplits, pair, rate, signed, withInterval } from './figures.ts';

export function goalSection(datasets: readonly string[], find: Find): Section {
  const rows = datasets.flatMap((dataset) =>
    FAMILIES.map(({ family, title }) => {
      const facts = find(dataset);
      const arm = headlineArm(family);
      const goal = GOALS[dataset]!;
      const verdict = (what: 'perSample' | 'overFive') => {
        const value = numberOf(facts, `${arm}/${what}`);
        if (value === undefined) return MISSING;
        return `${withInterval(facts, `${arm}/${what}`)}: ${value <= goal[what] ? 'met' : 'missed'} (${goal[what]})`;
      };
      return [
        dataset,
        title,
        `${facts[`${arm}/components`] ?? MISSING} (${goal.components})`,
        verdict('perSample'),
        verdict('overFive'),
        againstRaw(facts, `${arm}/perSample/lessRaw`),
        againstRaw(facts, `${arm}/overFive/lessRaw`),
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
function againstRaw(facts: Facts, name: string): string {
  const high = numberOf(facts, `${name}/high`);
  const verdict = high === undefined ? '' : `: ${high <= 0 ? 'met' : 'missed'}`;
  return `${withInterval(facts, name, signed)}${verdict}`;
}

/** Where a goal is missed, these comparisons say where the errors come from. */
function whyText(dataset: string, find: Find): Block {
  const facts = find(dataset);
  const at = (name: string) => rate(numberOf(facts, name));
  const [fmr, fnmr] = [numberOf(facts, 'dca/fmr') ?? 0, numberOf(facts, 'dca/fnmr') ?? 0];
  const drift = fnmr > fmr ? ' Users move away from their templates; impostors do not come closer.' : '';
  const shuffledPair = (arm: string) =>
    ['perSample', 'overFive'].map((what) => rate(meanOfSplits(facts, `shuffled/${arm}/${what}`))).join(' / ');
  const control = ` **Order, a control and no result**: with each user’s rows shuffled before they are split, and the same settings, DCA has ${shuffledPair('dca')} % instead of ${pair(facts, 'dca')} % (single rows / over five), raw scaled Manhattan ${shuffledPair('manhattan')} % instead of ${pair(facts, 'manhattan')} %. Studies that split at random report such rates; a service never has them, because its windows come after enrolment.`;
  return text(
    `**${dataset}, where errors come from, with a frame for each user.** Time: with the same templates the EER of DCA is ${at('dca/before')} % on the 20 % before the test and ${at('dca/perSample')} % in the test; at the threshold that was set there, FNMR is ${at('dca/fnmr')} % and FMR ${at('dca/fmr')} %.${drift} One threshold for all: the mean of users’ own EERs is ${at('dca/perUser')} %. Frames: with cohort scores, which frames rule out, the EER is ${at('dca-outsiders/perSample')} % against strangers and ${at('dca-insiders/perSample')} % against insiders. Normalisation: with the score of the service, which sets a distance against everybody, it is ${at(`${SERVICE_ARM}/perSample`)} %, and with bare distances ${at('dca-bare/perSample')} %.${control}`,
  );
}
