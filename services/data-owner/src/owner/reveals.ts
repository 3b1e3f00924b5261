/**
 * Says in words what a task reveals and to whom, from its public parameters alone. docs/security and
 * docs/rotated.md say why, and what is proved.
 */
import { methodOf } from '@eigenveil/methods';
import { joined, type Words, words } from '@eigenveil/platform';
import {
  cappedComponents,
  type FeatureRun,
  featureRuns,
  floorInWords,
  isExact,
  programOf,
  refinedResult,
  type Task,
} from '@eigenveil/task';
import { partInWords } from '../budget/parts.ts';
import { partOf } from '../budget/task-part.ts';
import { describeOutput } from './outputs.ts';
import { nameInTask, outputTerm } from './terms.ts';

const MOST_LISTED = 200;

/** One line for each thing that somebody learns. */
export interface Revealed {
  readonly dataUser: (Words | string)[];
  readonly owners: (Words | string)[];
  readonly csp: string[];
  readonly network: string[];
  /** The limits on how much the result tells about one row. */
  readonly rows: string[];
}

export function revealedBy(task: Task): Revealed {
  const { outputs, allowFullRank, labellings } = task;
  const { isLinear, words: told } = methodOf(task);
  return {
    dataUser: [
      ...byProtocol(task),
      ...told.tellsBeyond,
      ...outputs.map((output) => words`${describeOutput(task, output)}${nameInTask(`declared: ${output}`)}`),
      ...told.tellsOfFeatures,
      ...ofFloor(task),
      ...(allowFullRank && !isExact(task)
        ? [
            words`perhaps the whole scatter matrix, which the result may determine${nameInTask('allowFullRank')}`,
          ]
        : []),
      'who contributes, and when; of a task that gives no result, the first reason',
      ...(task.twoParty === 'simulated' ? [] : ['no contribution, and no pooled statistics beyond these']),
    ],
    owners: ofOwners(task),
    csp: [
      refinedResult(task) === undefined
        ? "the task's parameters, and who contributes or withdraws; no value and no output"
        : "the task's parameters, who contributes or withdraws, and the whole earlier result that this task refines; no value and no output of this task",
      ...(task.differentialPrivacy?.noise === 'csp'
        ? ['all of the noise: whoever shows it the result shows it the exact one']
        : []),
    ],
    network: ['that parties talk, when and how much'],
    rows: [
      ...ofOneRow(task),
      ...(isLinear
        ? []
        : [
            `the task takes ${partInWords(partOf(task, undefined))} of the whole that these rows may tell in all tasks together; rows that are added do not renew it`,
          ]),
      ...(labellings.length > 0 && !outputs.includes('classCounts')
        ? ['which classes an owner has rows of stays hidden: zeros are encrypted for those that it lacks']
        : []),
      'owners that collude with the data user can subtract their rows: count honest owners alone towards the smallest number',
    ],
  };
}

/** Says what the data user learns in any case, by the way in which both servers compute. */
function byProtocol(task: Task): readonly string[] {
  const { decomposes, words: told } = methodOf(task);
  const tells = told.tells(task, cappedComponents(programOf(task)));
  switch (task.twoParty) {
    case 'garbled': {
      const status = decomposes === undefined ? '' : ' and a status bit for each';
      return tells.map((line) => `${line}${status}, with rounding errors of about 10 bits in each number`);
    }
    case 'rotated':
      return [
        ...tells,
        ...told.tellsByRotation,
        'more, if these rows are in another task by rotated: take part in one only',
      ];
    case 'linear':
      return tells;
    case 'simulated':
      return [...tells, 'THE POOLED STATISTICS of all owners themselves: simulated is NOT private'];
  }
}

function ofFloor(task: Task): string[] {
  const floor = floorInWords(task);
  return floor === undefined ? [] : [floor];
}

function ofOwners(task: Task): (Words | string)[] {
  const { releaseToOwners, outputs } = task;
  if (!releaseToOwners) return ['nothing: the result is not released to owners'];
  const declared =
    outputs.length === 0 ? '' : words`, and what is declared: ${joined(outputs.map(outputTerm), ', ')}`;
  return [
    words`owners that contributed get the result, ${methodOf(task).words.result}${declared}; and how many owners took part; so do all who may contribute to a later task that stands on it or refines it; and the CSP, if one refines it`,
    'nothing else of another owner',
  ];
}

function ofOneRow(task: Task): string[] {
  const { differentialPrivacy: guarantee, series, basis, statisticalSecurityBits } = task;
  const beyond = [
    ...(basis === undefined
      ? []
      : [
          'the data user has chosen what rows are reduced by first: the earlier result, of which the CSP has countersigned one, and whose numbers it has not seen',
        ]),
    ...(refinedResult(task) === undefined
      ? []
      : [
          'a data user that deviated in the earlier task has chosen the first columns of the sketch: the CSP has countersigned one such result before it knew this task, and nobody can tell whether it is the true one',
        ]),
    ...(series === undefined
      ? []
      : [
          `it is renewal ${series.number} of task ${series.id}: two results over nearly the same rows tell together what came or went between them, all rows of an owner's if it came or went`,
        ]),
  ];
  if (guarantee === null)
    return [...beyond, 'no differential privacy: nothing bounds what the result tells about one row'];
  const { epsilon, delta, neighbours, clippingNorm, noise, honestOwners } = guarantee;
  const neighbour = neighbours === 'replace' ? 'one row that is another' : 'one row more or less';
  const drawers = {
    servers: 'both servers',
    csp: 'the CSP alone, against which nothing is promised',
    owners: `the owners, of whom ${honestOwners} are relied on`,
  };
  return [
    ...beyond,
    `differential privacy with (ε, δ) = (${epsilon}, ${delta}) for ${neighbour}; it adds up with that of other tasks over the same rows`,
    ...(clippingNorm === null
      ? [
          `noise is added by ${drawers[noise]}: against each of them the guarantee rests on the noise of the other, and against the CSP on the blinding, within 2^−${statisticalSecurityBits}`,
          'each histogram and each task over these rows spends: all of it is counted in your budget',
        ]
      : [
          `noise is added by ${drawers[noise]}; rows longer than ${clippingNorm} are scaled down to that`,
          'no guarantee covers rows that are reduced by the result',
        ]),
  ];
}

/**
 * Writes names and ranges, with one entry for a run of features; at most a screen or two where there are very
 * many.
 */
export function describeFeatures(features: Task['features']): string {
  const runs = features.length > MOST_LISTED ? featureRuns(features) : features;
  const listed = runs.slice(0, MOST_LISTED).map(({ name, min, max, ...run }: FeatureRun) => {
    const { count, from = 0, logarithmic, histogram } = run;
    const names = count === undefined ? '' : ` (# from ${from} to ${from + count - 1})`;
    const bins = logarithmic === undefined ? '' : ` logarithmic from ${logarithmic}`;
    const shared = histogram === undefined ? '' : ` in histogram ${histogram}`;
    return `${name}${names} [${min}, ${max}]${bins}${shared}`;
  });
  const more = runs.length - listed.length;
  return [...listed, ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
}
