/** What is looked for in recorded views of each role, of the network and of files at rest. */
import type { Experiment } from '../experiment.ts';
import type { Scene } from '../scene.ts';
import type { RecordedRun } from './runs.ts';
import { searchedOf } from './search.ts';
import { searchExperiment, secretsAgainst } from './searching.ts';
import { atRest } from './stored.ts';

const KNOWS =
  'The task; of what it looks for every form in which software is likely to write it: decimal, hexadecimal, binary of either byte order, packed, in base64.';

/** `simulated` shows the pooled statistics to the data user, as is admitted: its own control has that. */
const isPrivate = ({ task }: RecordedRun) => task.twoParty !== 'simulated';

const openToDataUser = ({ proposal }: Scene) =>
  proposal.twoParty === 'simulated' ? '`simulated` hides no pooled statistics from the data user' : undefined;

const CSP_SEES =
  "The CSP's whole view: messages deciphered, its keys with the task's Paillier key, its random tape, what it decrypts, its data directory at every moment.";
const DATA_USER_SEES =
  "The data user's whole view: messages deciphered, its keys, its random tape, its blinding values, its data directory at every moment.";

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

export const SEARCHES: readonly Experiment[] = [
  searchExperiment({
    id: 'views-csp-statistics',
    title: "Statistics of all owners and of each in the CSP's recorded view",
    attacker: 'CSP',
    secret: 'pooled statistics',
    claims: ['S-11', 'S-13'],
    sees: CSP_SEES,
    knows: KNOWS,
    searched: atCsp('statistics'),
  }),
  searchExperiment({
    id: 'views-csp-rows',
    title: "Rows in the CSP's recorded view",
    attacker: 'CSP',
    secret: 'values of rows',
    claims: ['S-11', 'S-13'],
    sees: CSP_SEES,
    knows: KNOWS,
    searched: atCsp('rows'),
  }),
  searchExperiment({
    id: 'views-csp-result',
    title: "The result in the CSP's recorded view",
    attacker: 'CSP',
    secret: 'result',
    claims: ['S-13'],
    sees: CSP_SEES,
    knows: KNOWS,
    searched: atCsp('result'),
  }),
  searchExperiment({
    id: 'views-data-user-statistics',
    title: "Statistics of all owners and of each in the data user's recorded view",
    attacker: 'data user',
    secret: 'statistics of an owner',
    claims: ['S-8'],
    sees: DATA_USER_SEES,
    knows: KNOWS,
    searched: atDataUser('statistics'),
    omits: openToDataUser,
  }),
  searchExperiment({
    id: 'views-data-user-rows',
    title: "Rows in the data user's recorded view",
    attacker: 'data user',
    secret: 'values of rows',
    claims: ['S-8'],
    sees: DATA_USER_SEES,
    knows: KNOWS,
    searched: atDataUser('rows'),
    omits: openToDataUser,
  }),
  searchExperiment({
    id: 'views-owner-others',
    title: "Other owners' rows and statistics, and the pooled ones, in an owner's recorded view",
    attacker: 'data owner',
    secret: 'statistics of an owner',
    claims: ['S-14'],
    sees: "An owner's whole view but its own rows: messages deciphered, keys, random tape, data directory at every moment.",
    knows: KNOWS,
    searched: (run) =>
      run.owners.map((view) => ({
        who: view.party,
        contents: searchedOf(view),
        secrets: secretsAgainst(run, view.party, 'statistics', 'rows'),
      })),
  }),
  searchExperiment({
    id: 'views-network-contents',
    title: 'Rows, statistics and the result in the bytes on the wire',
    attacker: 'network',
    secret: 'values of rows',
    claims: ['S-15'],
    sees: 'Every byte that passes between parties. (The bundle of the network has sizes and times alone.)',
    knows: KNOWS,
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
    title: 'Statistics, rows, Paillier primes, shares and blinding values in the files of all parties',
    attacker: 'coalition',
    secret: 'pooled statistics',
    claims: ['S-84'],
    sees: 'The files in the data directories of both servers and of owners, as they were at every moment of the task, but for the files of keys.',
    knows: KNOWS,
    searched: atRest,
  }),
];
