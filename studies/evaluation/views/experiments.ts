/** The experiments that search recorded views of each role, of the network and of files at rest. */
import type { Unworded } from '../experiment.ts';
import type { Scene } from '../scene.ts';
import type { RecordedRun } from './runs.ts';
import { searchedOf } from './search.ts';
import { searchExperiment, secretsAgainst } from './searching.ts';
import { atRest } from './stored.ts';

/** `simulated` shows the pooled statistics to the data user, as is admitted: its own control has that. */
const isPrivate = ({ task }: RecordedRun) => task.twoParty !== 'simulated';

const openToDataUser = ({ proposal }: Scene) =>
  proposal.twoParty === 'simulated' ? '`simulated` hides no pooled statistics from the data user' : undefined;

const atCsp =
  (...kinds: Parameters<typeof secretsAgainst>[2][]) =>
  (run: RecordedRun) => [
    { who: 'CSP', contents: searchedOf(run.csp), secrets: secretsAgainst(run, 'CSP', ...kinds) },
  ];

const atDataUser =
  (...kinds: Parameters<typeof secretsAgainst>[2][]) =>
  (run: RecordedRun) =>
    isPrivate(run)
      ? [
          {
            who: 'data user',
            contents: searchedOf(run.dataUser),
            secrets: secretsAgainst(run, 'data user', ...kinds),
          },
        ]
      : [];

export const SEARCHES: readonly Unworded[] = [
  searchExperiment({
    id: 'views-csp-statistics',
    attacker: 'CSP',
    secret: 'pooled statistics',
    claims: ['S-11', 'S-13'],
    searched: atCsp('statistics'),
  }),
  searchExperiment({
    id: 'views-csp-rows',
    attacker: 'CSP',
    secret: 'values of rows',
    claims: ['S-11', 'S-13'],
    searched: atCsp('rows'),
  }),
  searchExperiment({
    id: 'views-csp-result',
    attacker: 'CSP',
    secret: 'result',
    claims: ['S-13'],
    searched: atCsp('result'),
  }),
  searchExperiment({
    id: 'views-data-user-statistics',
    attacker: 'data user',
    secret: 'statistics of an owner',
    claims: ['S-8'],
    searched: atDataUser('statistics'),
    omits: openToDataUser,
  }),
  searchExperiment({
    id: 'views-data-user-rows',
    attacker: 'data user',
    secret: 'values of rows',
    claims: ['S-8'],
    searched: atDataUser('rows'),
    omits: openToDataUser,
  }),
  searchExperiment({
    id: 'views-owner-others',
    attacker: 'data owner',
    secret: 'statistics of an owner',
    claims: ['S-14'],
    searched: (run) =>
      run.owners.map((view) => ({
        who: view.party,
        contents: searchedOf(view),
        secrets: secretsAgainst(run, view.party, 'statistics', 'rows'),
      })),
  }),
  searchExperiment({
    id: 'views-network-contents',
    attacker: 'network',
    secret: 'values of rows',
    claims: ['S-15'],
    searched: (run) => [
      {
        who: 'network',
        contents: run.ciphertext,
        secrets: secretsAgainst(run, 'network', 'statistics', 'rows', 'result'),
      },
    ],
  }),
  searchExperiment({
    id: 'views-files-at-rest',
    attacker: 'coalition',
    secret: 'pooled statistics',
    claims: ['S-84'],
    searched: atRest,
  }),
];
