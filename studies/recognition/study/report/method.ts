/** What was measured and how, what it does not say, and the names of facts. */
import type { Section } from '../../../instrument/report/document.ts';
import { left, text } from '../../../privacy/report/cells.ts';
import { FACTS } from '../facts.ts';

export function protocolSection(): Section {
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
        'All arms prepare features alike: signed logarithm, 0.5 % of values clipped at either end, [−1, 1]. All arms may normalise scores alike: by the user’s own spread, and by how far a window is from everyone. A service can do both with a frame for each user. **The arm “DCA, the score of the service” is what Eigenveil’s service runs at the commit that is named below**: the score of its library as it is, by its default distance; k, ρ and the unit of the logarithm are chosen for it like for the others. It **cannot** have cohort scores then, which compare a window with the templates of other users: these stand in other frames, and a window in one frame says nothing about a template in another. Cohort scores take one frame that all devices share and the service does not have; whoever opens one device can then read all templates with the service. They are shown beside, since they are what much of the literature reports. They look best when the impostor is a user of the service, whose own template then gives the impostor away.',
      ),
      text(
        'Intervals are of 95 %: users are drawn with replacement (500 times in a full run), as targets and impostors jointly, the same draws for all arms. Raw rows would be seen by the service: these arms are what privacy is compared with. LDA has the vectors of DCA with the same ρ, because S̄ = S_B + S_W.',
      ),
    ],
  };
}
export function limitsSection(): Section {
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
          '- Templates stay as they were, but for the section on templates that learn.',
        ].join('\n'),
      ),
    ],
  };
}

export function shapeSection(): Section {
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
