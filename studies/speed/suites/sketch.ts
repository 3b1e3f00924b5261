/** Suite `sketch`: what a sketched PCA takes of each role against features and columns, and what it loses and saves beside the exact one. */
import { PaillierPool, type PublicKey } from '@eigenveil/paillier';
import { formatSeries, MISSING } from '../../instrument/quantities.ts';
import type { Block, Section } from '../../instrument/report/document.ts';
import type { Measurement, Omission, Scale, Series, Suite, Unit, UnitResult } from '../../instrument/unit.ts';
import { dataFile } from '../decompositions.ts';
import { factOf, factSeries, type Sweep, seriesOf, sweepBlocks, wholeNumber } from '../scaling/report.ts';
import {
  KEY_BITS,
  measureExact,
  measureSketch,
  type SketchCase,
  type SketchMeasured,
} from '../sketch/measure.ts';

const NAME = 'sketch';

/** One unit of a sweep. */
interface Step extends Omit<SketchCase, 'twoParty'> {
  readonly repetitions: number;
  readonly expectedSeconds: number;
}

const step = (
  features: number,
  columns: number,
  components: number,
  repetitions: number,
  expectedSeconds: number,
): Step => ({ dataset: `wide${features}`, columns, components, repetitions, expectedSeconds });

const FEATURE_STEPS: Readonly<Record<Scale, readonly Step[]>> = {
  quick: [step(128, 20, 5, 1, 5), step(256, 20, 5, 1, 6)],
  full: [
    step(256, 60, 20, 3, 40),
    step(512, 60, 20, 3, 60),
    step(1024, 60, 20, 3, 90),
    step(2048, 60, 20, 1, 50),
    step(4096, 60, 20, 1, 90),
  ],
};
const COLUMN_STEPS: Readonly<Record<Scale, readonly Step[]>> = {
  quick: [],
  full: [20, 40, 60, 80].map((columns) => step(1024, columns, 10, 3, columns)),
};
/** Sets of at most 200 features, with k; l is what drafts take. */
const BESIDE_EXACT: Readonly<Record<Scale, readonly (readonly [string, number])[]>> = {
  quick: [['ionosphere', 5]],
  full: [
    ['ionosphere', 5],
    ['optdigits', 10],
    ['meu_keystroke', 10],
    ['synthetic100', 10],
    ['synthetic200', 10],
  ],
};
const columnsFor = (components: number) => 3 * components + 10;

let key: Promise<PublicKey> | undefined;

/** One for all units of a process: no time is of a key. */
function publicKeyOnce(): Promise<PublicKey> {
  const make = async () => {
    const paillier = new PaillierPool({ threads: 0 });
    const { publicKey } = await paillier.generateKeyPair({ bits: KEY_BITS, scheme: 'djn' });
    await paillier.close();
    return publicKey;
  };
  key ??= make();
  return key;
}

function sweepUnit(kind: 'features' | 'columns', wanted: Step): Unit {
  const { dataset, columns, components, repetitions, expectedSeconds } = wanted;
  const features = Number(/\d+$/.exec(dataset)![0]);
  return {
    id: `${NAME}/${kind}/${kind === 'features' ? features : columns}`,
    title: `sketch: ${features} features, ${columns} columns`,
    parameters: {
      dataset,
      features,
      columns,
      components,
      repetitions,
      twoParty: 'rotated',
      keyBits: KEY_BITS,
    },
    expectedSeconds,
    async measure(note) {
      const file = (await dataFile(dataset))!;
      const publicKey = await publicKeyOnce();
      const runs: SketchMeasured[] = [];
      for (let repetition = 1; repetition <= repetitions; repetition += 1) {
        const told = (text: string) => note(`${repetition} of ${repetitions}: ${text}`);
        const wantedCase = { dataset, columns, components, twoParty: 'rotated' as const };
        runs.push(await measureSketch(wantedCase, file, { publicKey, note: told }));
      }
      return resultOf(runs);
    },
  };
}

export function resultOf(runs: readonly SketchMeasured[]): UnitResult {
  const series: Record<string, Series> = {};
  const collect = (name: string, unit: Series['unit'], of: (run: SketchMeasured) => number | undefined) => {
    const samples = runs.map(of).filter((sample) => sample !== undefined);
    if (samples.length > 0) series[name] = { unit, samples };
  };
  collect('owner', 'ms', ({ ownerSeconds }) => 1000 * ownerSeconds);
  collect('owner memory', 'bytes', (run) => run.ownerPeakMemoryBytes);
  collect('two-party', 'ms', ({ twoPartySeconds: it }) => (it === null ? undefined : 1000 * it));
  for (const role of ['csp', 'dataUser'] as const) {
    collect(`${role} cpu`, 'ms', (run) => (run[role] === null ? undefined : 1000 * run[role].cpuSeconds));
    collect(`${role} memory`, 'bytes', (run) => run[role]?.peakMemoryBytes);
  }
  const { ownerBytes, twoPartyBytes, ciphertexts, varianceLost, varianceLostClear, refused } = runs[0]!;
  return {
    series,
    facts: {
      ownerBytes,
      ciphertexts,
      varianceLost,
      varianceLostClear,
      ...(twoPartyBytes !== null && { twoPartyBytes }),
      ...(refused !== null && { refused }),
    },
  };
}

function exactUnit(dataset: string, components: number, file: string): Unit {
  const columns = columnsFor(components);
  return {
    id: `${NAME}/exact/${dataset}`,
    title: `sketch beside the exact PCA: ${dataset}`,
    parameters: { dataset, columns, components, repetitions: 1, twoParty: 'rotated', keyBits: KEY_BITS },
    expectedSeconds: 25,
    async measure(note) {
      const publicKey = await publicKeyOnce();
      const sketched = await measureSketch({ dataset, columns, components, twoParty: 'rotated' }, file, {
        publicKey,
        note,
      });
      note('exact');
      const exact = await measureExact({ dataset, components }, file, publicKey);
      const { series, facts } = resultOf([sketched]);
      return {
        series: {
          ...series,
          'exact owner': { unit: 'ms', samples: [1000 * exact.ownerSeconds] },
          'exact two-party': { unit: 'ms', samples: [1000 * exact.twoPartySeconds] },
        },
        facts: {
          ...facts,
          features: exact.features,
          exactOwnerBytes: exact.ownerBytes,
          exactTwoPartyBytes: exact.twoPartyBytes,
          exactVarianceLost: exact.varianceLost,
        },
      };
    },
  };
}

export const sketch: Suite = {
  name: NAME,
  description:
    'PCA by a sketch: each role against features and columns, and accuracy and bytes beside the exact one',
  async plan(scale) {
    const units = [
      ...FEATURE_STEPS[scale].map((it) => sweepUnit('features', it)),
      ...COLUMN_STEPS[scale].map((it) => sweepUnit('columns', it)),
    ];
    const omissions: Omission[] =
      scale === 'quick'
        ? [
            {
              what: 'More than 256 features, and growth with columns (`sketch`)',
              why: 'left to the full run',
            },
          ]
        : [];
    for (const [dataset, components] of BESIDE_EXACT[scale]) {
      const file = await dataFile(dataset);
      if (file !== undefined) units.push(exactUnit(dataset, components, file));
      else {
        omissions.push({
          what: `A sketch of ${dataset} beside the exact PCA`,
          why: `${dataset} is not in the folder EIGENVEIL_DATA`,
        });
      }
    }
    return { units, omissions };
  },
  highlights,
  report,
};

const TEXT = `Rows of made-up sets (500, of 100 factors whose weights fall as 1/(1 + f)) are dealt to ten owners. An owner is a process of one thread that reads its rows, sums,
encrypts by DJN under ${KEY_BITS} bits and writes its contribution; its time is processor time, what a core of its own takes. Both servers are processes that talk over TLS 1.3
on the loopback interface; two-party time is from the request for a connection to the result, waits until public moments included.`;

const TIMES: Sweep['quantities'] = [
  { title: 'owner, processor time', of: seriesOf('owner') },
  { title: 'two-party', of: seriesOf('two-party') },
  { title: 'CSP, processor time', of: seriesOf('csp cpu') },
  { title: 'data user, processor time', of: seriesOf('dataUser cpu') },
];
const BYTES: Sweep['quantities'] = [
  { title: 'one contribution', of: factSeries('ownerBytes', 'bytes') },
  { title: 'two-party, both directions', of: factSeries('twoPartyBytes', 'bytes') },
];
const percent = (value: number | undefined) => (value === undefined ? MISSING : (100 * value).toFixed(2));
const FACTS: Sweep['facts'] = [
  { title: 'ciphertexts', of: (measurement) => wholeNumber(factOf('ciphertexts')(measurement)) },
  { title: 'owner, memory', of: ({ series }) => formatSeries(series['owner memory']) },
  { title: 'CSP, memory', of: ({ series }) => formatSeries(series['csp memory']) },
  { title: 'data user, memory', of: ({ series }) => formatSeries(series['dataUser memory']) },
  { title: 'variance lost, %', of: (measurement) => percent(factOf('varianceLost')(measurement)) },
  { title: 'in the clear, %', of: (measurement) => percent(factOf('varianceLostClear')(measurement)) },
];

/** With fewer features what does not grow, starting a process for one, counts as much. */
const FIT_FEATURES = 512;

const sweeps = (kind: 'features' | 'columns', fitFrom: number): readonly Sweep[] => {
  const x = {
    title: kind,
    of: ({ parameters }: Measurement) => Number(parameters[kind]),
  };
  const others = kind === 'features' ? 'l = 60, k = 20 in a full run' : '1,024 features, k = 10';
  return [
    {
      name: `sketch-${kind}`,
      what: `Sketches: time against the number of ${kind} (${others})`,
      x,
      y: { title: 'time', unit: 'ms' },
      fitFrom,
      quantities: TIMES,
      facts: FACTS,
    },
    {
      name: `sketch-${kind}-bytes`,
      what: `Sketches: bytes against the number of ${kind} (${others})`,
      x,
      y: { title: 'bytes', unit: 'bytes' },
      fitFrom,
      quantities: BYTES,
      facts: [],
    },
  ];
};

function report(measurements: readonly Measurement[]): Section[] {
  if (measurements.length === 0) return [];
  const of = (kind: string) => measurements.filter(({ id }) => id.startsWith(`${NAME}/${kind}/`));
  const refused = [...new Set(measurements.flatMap(({ facts }) => facts.refused ?? []))];
  const statement: Block[] =
    refused.length === 0
      ? []
      : [
          {
            kind: 'text',
            text: `**\`rotated\` refuses sketches** (${refused.join('; ')}): there are no two-party figures, and variance is that of \`simulated\`, which is not private.`,
          },
        ];
  return [
    {
      title: 'PCA of thousands of features by a sketch',
      blocks: [
        { kind: 'text', text: TEXT },
        ...statement,
        ...sweeps('features', FIT_FEATURES).flatMap((sweep) => sweepBlocks(sweep, of('features'))),
        ...sweeps('columns', 0).flatMap((sweep) => sweepBlocks(sweep, of('columns'))),
        ...exactBlocks(of('exact')),
      ],
    },
  ];
}

function exactBlocks(measurements: readonly Measurement[]): Block[] {
  if (measurements.length === 0) return [];
  const bytes = (name: string) => (measurement: Measurement) =>
    formatSeries(factSeries(name, 'bytes')(measurement));
  const cells: readonly (readonly [string, (measurement: Measurement) => string])[] = [
    ['d', (it) => wholeNumber(factOf('features')(it))],
    ['k', ({ parameters }) => String(parameters.components)],
    ['l', ({ parameters }) => String(parameters.columns)],
    ['variance lost, %', (it) => percent(factOf('varianceLost')(it))],
    ['exact, %', (it) => percent(factOf('exactVarianceLost')(it))],
    ['one contribution', bytes('ownerBytes')],
    ['exact, one contribution', bytes('exactOwnerBytes')],
    ['two-party', bytes('twoPartyBytes')],
    ['exact, two-party', bytes('exactTwoPartyBytes')],
    ['two-party time', ({ series }) => formatSeries(series['two-party'])],
    ['exact, two-party time', ({ series }) => formatSeries(series['exact two-party'])],
  ];
  return [
    {
      kind: 'table',
      caption:
        'A sketch beside the exact PCA by `rotated`, where that is offered: what it costs in accuracy and saves in bytes, or does not; single runs. Variance lost is the share of what exact components in the clear capture',
      columns: [
        { title: 'data set', align: 'left' },
        ...cells.map(([title]) => ({ title, align: 'right' as const })),
      ],
      rows: measurements.map((measurement) => [
        String(measurement.parameters.dataset),
        ...cells.map(([, cell]) => cell(measurement)),
      ]),
    },
  ];
}

function highlights(measurements: readonly Measurement[]): readonly string[] {
  const largest = measurements
    .filter(({ id }) => id.startsWith(`${NAME}/features/`))
    .toSorted((a, b) => Number(b.parameters.features) - Number(a.parameters.features))[0];
  if (largest === undefined) return [];
  const { parameters, series } = largest;
  const bytes = formatSeries(factSeries('ownerBytes', 'bytes')(largest));
  const servers =
    series['two-party'] === undefined
      ? ''
      : `, the two-party computation ${formatSeries(series['two-party'])}`;
  return [
    `A sketch of ${wholeNumber(parameters.features)} features by ${parameters.columns} columns: an owner takes ${formatSeries(series.owner)} of a core and sends ${bytes}${servers}.`,
  ];
}
