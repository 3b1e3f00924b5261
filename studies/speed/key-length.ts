/** The cost of longer keys for each role, in Eigenveil and in the literal protocol. */

import { growth, least, median, middleOf, only } from '../instrument/figure.ts';
import { type ChartOf, defineStudy, type Omission } from '../instrument/study.ts';
import { exampleStatistics, exampleTask } from './example-task.ts';
import { melted } from './melted.ts';
import {
  COMPARISONS,
  comparisonsOf,
  expectedSeconds,
  measureRoles,
  ROLE_COLUMNS,
  ROLE_TITLES,
} from './roles.ts';

const SCALES = {
  quick: { keyBits: [1024, 2048], features: 8, repetitions: 3, literalSample: 6 },
  full: { keyBits: [1024, 2048, 3072, 4096], features: 34, repetitions: 5, literalSample: 12 },
} as const;
/** The length that tasks have unless they say otherwise. */
const RECOMMENDED = 2048;

const LEFT_OUT_OF_QUICK: Omission = {
  what: 'Key lengths 3072 and 4096, and contributions of 34 features (`key-length`)',
  why: 'the quick scale measures 1024 and 2048 bits with 8 features',
};

const chartOf = (role: string, of: string): ChartOf => ({
  of: 'contestants',
  where: ({ quantity }) => String(quantity).startsWith(`${role}/`),
  caption: `Key length against the time ${of}, both axes logarithmic: medians, whiskers at the quartiles; dashed: the fitted power laws`,
  mark: 'line',
  x: { column: 'keyBits', title: 'key length (bits)', scale: 'log' },
  y: { figure: median('ms'), title: 'time', scale: 'log', unit: 'ms' },
  colour: 'quantity',
  fittedFrom: 0,
});

const timesFaster = (comparison: (typeof COMPARISONS)[number]['name']) => ({
  of: 'comparisons',
  where: { comparison, keyBits: RECOMMENDED },
  figure: middleOf('times', { digits: 0 }),
});
const exponent = (quantity: (typeof ROLE_COLUMNS)[number]) => ({
  of: 'contestants',
  where: { quantity },
  figure: growth('keyBits', 'ms'),
});

export const keyLength = defineStudy({
  id: 'speed/key-length',
  plan({ scale }) {
    const { keyBits, ...others } = SCALES[scale];
    return {
      cases: keyBits.map((bits) => ({ method: 'pca', keyBits: bits, ...others })),
      omissions: scale === 'quick' ? [LEFT_OUT_OF_QUICK] : [],
    };
  },
  titleOf: ({ keyBits, features }) => `${keyBits}-bit keys, PCA of ${features} features`,
  expectedSeconds,
  measure({ keyBits, features, repetitions, literalSample }, { note }) {
    const task = exampleTask(features, keyBits);
    return measureRoles({ task, statistics: exampleStatistics(task), repetitions, literalSample, note });
  },
  columns: {
    keyBits: { title: 'key bits' },
    comparison: {
      title: 'role',
      values: Object.fromEntries(COMPARISONS.map(({ name, title }) => [name, title])),
    },
    quantity: { title: 'role and contestant', values: ROLE_TITLES },
  },
  frames: {
    comparisons: comparisonsOf,
    contestants: (records) => melted(records, ROLE_COLUMNS),
  },
  tables: {
    times: {
      of: 'comparisons',
      caption:
        'Time of each role by key length: medians with quartiles; ratios of literal to Eigenveil within a repetition',
      rows: ['comparison', 'keyBits'],
      cells: {
        literal: median('literal', { unit: 'ms' }),
        Eigenveil: median('eigenveil', { unit: 'ms' }),
        'literal / Eigenveil': median('times', { unit: '×' }),
      },
    },
    contributions: {
      of: 'comparisons',
      caption: 'One contribution: ciphertexts and bytes, exact',
      rows: ['keyBits'],
      cells: {
        'literal, ciphertexts': only('literalCiphertexts'),
        'literal, bytes': only('literalContributionBytes', { unit: 'bytes' }),
        'Eigenveil, ciphertexts': only('eigenveilCiphertexts'),
        'Eigenveil, bytes': only('eigenveilContributionBytes', { unit: 'bytes' }),
        'literal / Eigenveil, bytes': only('timesBytes', { unit: '×' }),
      },
    },
    growth: {
      of: 'contestants',
      caption:
        "Growth of time with key length: time ∝ bits^exponent, least squares on the logarithms of the medians, with the 95 % interval by Student's t",
      rows: ['quantity'],
      cells: { exponent: growth('keyBits', 'ms') },
    },
  },
  charts: {
    'key-length-owner': { ...chartOf('owner', 'of the owner'), isKept: true },
    'key-length-user': chartOf('user', 'of the data user, for each owner'),
    'key-length-csp': chartOf('csp', 'of the CSP'),
  },
  facts: {
    features: { figure: only('features') },
    timed: { figure: only('literalCiphertextsTimed') },
    literalCiphertexts: { figure: only('literalCiphertexts') },
    ownerStandard: timesFaster('ownerStandard'),
    ownerDjn: timesFaster('ownerDjn'),
    user: timesFaster('user'),
    userChecked: timesFaster('userChecked'),
    csp: timesFaster('csp'),
    leastTimes: { of: 'comparisons', figure: least('times', { unit: '×' }) },
    ownerLiteralGrowth: exponent('owner/literal'),
    ownerGrowth: exponent('owner/standard'),
    userLiteralGrowth: exponent('user/literal'),
    userGrowth: exponent('user/eigenveil'),
    cspLiteralGrowth: exponent('csp/literal'),
    cspGrowth: exponent('csp/eigenveil'),
  },
  holds: {
    faster: (fact) => fact('leastTimes') > 1,
    flatter: (fact) =>
      (['owner', 'user', 'csp'] as const).every(
        (role) => fact(`${role}Growth`) < fact(`${role}LiteralGrowth`),
      ),
  },
  words: new URL('key-length.md', import.meta.url),
});
