/** What a run ends with on a terminal: the matrix in signs, and what deserves a look. */
import { renderTable, words } from '../../instrument/table.ts';
import { ATTACKERS, SECRETS } from '../experiment.ts';
import type { EvaluationResult } from '../result.ts';
import { groupsOf } from './matrix.ts';
import { outcomeOf } from './overview.ts';

export function terminalTable(result: EvaluationResult): string {
  const { experiments } = result;
  const table = renderTable(SECRETS, [
    words('secret', (secret) => secret),
    ...ATTACKERS.map((attacker) =>
      words<(typeof SECRETS)[number]>(attacker, (secret) =>
        groupsOf(experiments, attacker, secret)
          .map(({ word, experiments: { length } }) => `${word.text.charAt(0)}${length}`)
          .join(' '),
      ),
    ),
  ]);
  const signs = '✗ broken, ? undecided, ✓ nothing seen, ! leaks as admitted: how many experiments say so';
  return [table, signs, '', ...outcomeOf(result)].join('\n');
}
