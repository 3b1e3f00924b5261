/** A report with every kind of block, its figures made up by formulas and marked as such. */
import type { Chart, Report, Table } from '../../../../instrument/report/document.ts';

const keyLengths = [512, 1024, 2048, 3072, 4096];
const features = [10, 20, 34, 50, 100];

function around(value: number, share: number): { y: number; low: number; high: number } {
  return { y: value, low: value * (1 - share), high: value * (1 + share) };
}

export const growth: Chart = {
  kind: 'chart',
  name: 'growth',
  caption: 'Made up: time by key length, medians with quartiles, and fitted power laws.',
  drawing: {
    kind: 'lines',
    x: { title: 'Key length in bits', scale: 'log' },
    y: { title: 'Time per operation', scale: 'log', unit: 'ms' },
    lines: [
      {
        name: 'Encryption',
        style: 'points',
        points: keyLengths.map((bits) => ({ x: bits, ...around((bits / 1024) ** 2.6 * 3, 0.2) })),
      },
      {
        name: 'Encryption, fitted: exponent 2.6',
        style: 'dashed',
        of: 'Encryption',
        points: [512, 4096].map((bits) => ({ x: bits, y: (bits / 1024) ** 2.6 * 3 })),
      },
      {
        name: 'Decryption',
        style: 'solid',
        points: keyLengths.map((bits) => ({ x: bits, ...around((bits / 1024) ** 2.9 * 0.7, 0.3) })),
      },
      {
        name: 'Aggregation of 100 owners',
        style: 'solid',
        points: keyLengths.map((bits) => ({ x: bits, ...around((bits / 1024) ** 1.7 * 0.02, 0.1) })),
      },
    ],
  },
};

export const accuracy: Chart = {
  kind: 'chart',
  name: 'accuracy',
  caption: 'Made up: accuracy by number of components, with standard deviations.',
  drawing: {
    kind: 'lines',
    x: { title: 'Components', scale: 'linear' },
    y: { title: 'Accuracy in percent', scale: 'linear' },
    lines: ['pima', 'breast_cancer_10', 'australian', 'german', 'ionosphere', 'iris', 'synthetic'].map(
      (name, index) => ({
        name,
        style: 'solid' as const,
        points: [1, 2, 3, 4, 6, 8].map((k) => {
          const y = 97 - index * 3 - (12 + index) / k;
          return { x: k, y, low: y - 0.8, high: y + 0.8 };
        }),
      }),
    ),
  },
};

export const traffic: Chart = {
  kind: 'chart',
  name: 'traffic',
  caption: 'Made up: traffic by data set and protocol; rotated was not run for all.',
  drawing: {
    kind: 'bars',
    groups: ['pima', 'breast_cancer_10', 'australian', 'german', 'ionosphere'],
    y: { title: 'Bytes between the servers', scale: 'log', unit: 'bytes' },
    bars: [
      {
        name: 'garbled',
        values: features.map((d) => ({ value: d ** 3 * 1200, low: d ** 3 * 900, high: d ** 3 * 1900 })),
      },
      { name: 'rotated', values: features.map((d, i) => (i === 3 ? undefined : { value: d ** 2 * 700 })) },
      {
        name: 'literal protocol',
        values: features.map((d, i) => (i === 1 ? undefined : { value: d ** 2 * 9000 })),
      },
    ],
  },
};

export const utility: Chart = {
  kind: 'chart',
  name: 'utility',
  caption: 'Made up: accuracy of two classifiers.',
  drawing: {
    kind: 'bars',
    groups: ['pima', 'iris', 'synthetic'],
    y: { title: 'Accuracy in percent', scale: 'linear' },
    bars: [
      {
        name: 'all features',
        values: [{ value: 77.2, low: 75, high: 79 }, { value: 96.1 }, { value: 91.4 }],
      },
      { name: 'projected', values: [{ value: 75.9, low: 72.8, high: 78 }, undefined, { value: 90.7 }] },
    ],
  },
};

const wide: Table = {
  kind: 'table',
  caption: 'Made up: phases by data set, with a caption that is longer than a phone is wide.',
  columns: [
    { title: 'Data set', align: 'left' },
    ...[
      'Owners',
      'Features',
      'Encrypt',
      'Send',
      'Aggregate',
      'Blind',
      'Unblind',
      'Decompose',
      'Fetch',
      'Traffic',
      'Ratio',
    ].map((title) => ({ title, align: 'right' as const })),
  ],
  rows: features.map((d, index) => [
    `synthetic, ${d} features`,
    ...Array.from({ length: 11 }, (_, i) => `${(d * (i + 1) * (index + 1)).toLocaleString('en-GB')} ms`),
  ]),
};

/** Whose marks have every tone, and lead to a heading. */
const marked: Table = {
  kind: 'table',
  caption: 'Made up: verdicts.',
  columns: [
    { title: 'What', align: 'left' },
    { title: 'Verdict', align: 'left' },
    { title: 'Why', align: 'left', wraps: true },
  ],
  rows: [
    [
      'first',
      [
        { text: '✗ one', tone: 'bad', to: 'detail' },
        { text: '✓ two', tone: 'good', to: 'detail' },
      ],
      'A sentence that is so long that no screen of a telephone has it in one line. '.repeat(3),
    ],
    ['second', [{ text: '? three', tone: 'open' }, { text: '! four', tone: 'known' }, { text: 'five' }], ''],
  ],
};

export const hostile =
  '<script>alert("x")</script> | `code` *star* _under_ [link](javascript:alert(1)) & &lt;';

export const report: Report = {
  title: 'Everything that a report can hold',
  introduction: [
    'All figures here are **made up by formulas**: this report tests the drawing and the writing.',
    'It cites *"Privacy-Preserving Machine Learning"* (Zhuang et al.), [chapter 9](https://example.org/book), and uses `code`.',
  ],
  sections: [
    {
      title: 'Growth with the key length',
      blocks: [
        {
          kind: 'text',
          text: 'Both axes are logarithmic, so a power law is a straight line.\n\n- one point\n- another point',
        },
        growth,
        {
          kind: 'table',
          caption: 'Made up: exponents.',
          columns: [
            { title: 'Operation', align: 'left' },
            { title: 'Exponent', align: 'right' },
          ],
          rows: [
            ['Encryption', '2.6'],
            ['Decryption', '2.9'],
          ],
        },
      ],
    },
    { title: 'Accuracy & utility', blocks: [accuracy, utility] },
    {
      title: 'Traffic',
      blocks: [traffic, wide, marked, { kind: 'heading', name: 'detail', title: 'Traffic' }],
    },
    {
      title: 'Hostile <input>',
      blocks: [
        { kind: 'heading', name: '<b>', title: hostile },
        { kind: 'text', text: `${hostile} ![image](https://example.org/pixel.png)` },
        {
          kind: 'table',
          caption: hostile,
          columns: [{ title: hostile, align: 'left' }],
          rows: [[hostile], [[{ text: hostile, to: '<b>' }]], ['two\nlines']],
        },
      ],
    },
  ],
};
