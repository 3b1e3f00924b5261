/** Controls of the searches, which must find: a run that leaks, `simulated`, and leaks of every size planted into a view. */

import { deflateRawSync } from 'node:zlib';
import { layout } from '@eigenveil/statistics';
import { combine, decodeShares, toRing } from '@eigenveil/two-party/insides';
import { only } from '../../instrument/figure.ts';
import type { Block } from '../../instrument/report/document.ts';
import { shareOf } from '../../recognition/intervals.ts';
import { Draws } from '../draws.ts';
import type { Outcome, Unworded } from '../experiment.ts';
import type { Scene } from '../scene.ts';
import { lineChart, recordTable } from '../shown.ts';
import { faultyRun, honestRuns, type RecordedRun, TOGETHER, tooLong } from './runs.ts';
import { finds, searchedOf, searchIn } from './search.ts';
import { searchRuns, secretsAgainst } from './searching.ts';
import { pooledOf, type SecretForm } from './secrets.ts';

const CONTROL = {
  kind: 'attack',
  expectation: 'control',
  unit: 'run',
  together: TOGETHER,
  omits: tooLong,
  scenes: ['pima'],
} as const;

/** Both controls compare with exact statistics. */
const noisy = (scene: Scene): string | undefined =>
  scene.proposal.differentialPrivacy === null ? tooLong(scene) : 'the statistics that come out have noise';

const unblinded: Unworded = {
  ...CONTROL,
  id: 'views-unblinded',
  attacker: 'CSP',
  secret: 'pooled statistics',
  claims: ['S-11', 'S-13'],
  omits: noisy,
  async run(setting) {
    const run = await faultyRun(setting);
    const secrets = secretsAgainst(run, 'CSP', 'statistics').filter(({ of }) => of === 'all owners');
    const seen = [{ who: 'CSP', contents: searchedOf(run.csp), secrets }];
    return searchRuns([{ run, seen }], new Draws(setting.seed));
  },
};

const simulated: Unworded = {
  ...CONTROL,
  id: 'views-simulated',
  attacker: 'data user',
  secret: 'pooled statistics',
  claims: ['S-17'],
  omits: noisy,
  async run(setting) {
    const run = await faultyRun(setting);
    const { valueBits } = layout(run.task);
    const pooled = await pooledOf(run.owners);
    const added = addedShares(run, valueBits);
    const right = pooled.filter((value, i) => value === added?.[i]).length;
    const bits = valueBits.reduce((sum, width, i) => sum + (pooled[i] === added?.[i] ? width : 0), 0);
    const { low, high } = shareOf(Number(right === pooled.length), 1);
    return {
      kind: 'test',
      // Equal by chance.
      p: 2 ** -Math.min(bits, 1000),
      n: 1,
      distance: { value: right / pooled.length, low, high },
      detectable: { leak: 'one statistic of 10 bits', size: 1 / pooled.length },
      facts: { 'statistics recovered': right, statistics: pooled.length, 'bits recovered': bits },
    };
  },
};

const COUNT_BYTES = 4;

/** The sums that the data user has when it adds its own shares to those that the CSP sends: undefined when it sends none. */
function addedShares({ dataUser }: RecordedRun, valueBits: readonly number[]): bigint[] | undefined {
  const blinding = dataUser.opened.find(({ name }) => name === 'blinding')?.values ?? [];
  const own = toRing(
    valueBits,
    blinding.map((value) => -value),
  );
  const length = COUNT_BYTES + valueBits.reduce((sum, width) => sum + Math.ceil(width / 8), 0);
  const message = dataUser.received.find(({ kind, bytes }) => kind === 'frame' && bytes.length === length);
  return message && combine(valueBits, decodeShares(valueBits, message.bytes.subarray(COUNT_BYTES)), own);
}

const planted: Unworded = {
  ...CONTROL,
  id: 'views-planted',
  attacker: 'CSP',
  secret: 'pooled statistics',
  claims: ['S-8', 'S-11', 'S-13', 'S-14', 'S-15', 'S-84'],
  async run(setting) {
    const [run] = await honestRuns(setting);
    setting.note('planting leaks');
    return plantedLeaks(run!, new Draws(setting.seed));
  },
};

/** The parts of each form that are planted. */
const PARTS = [0.25, 0.5, 0.75, 0.9, 1];
const PLANTED = 200;

/** The leaks that the search is not made for, so that nobody takes silence for more than it is. */
const DISGUISES: readonly { readonly name: string; readonly as: (bytes: Buffer) => Buffer }[] = [
  { name: 'in base64', as: (bytes) => Buffer.from(` ${bytes.toString('base64')} `) },
  { name: 'each byte with one bit turned', as: (bytes) => Buffer.from(bytes.map((byte) => byte ^ 1)) },
  { name: 'compressed', as: (bytes) => deflateRawSync(bytes) },
  {
    name: 'with a zero after each byte',
    as: (bytes) => Buffer.from([...bytes].flatMap((byte) => [byte, 0])),
  },
];

function plantedLeaks(run: RecordedRun, draws: Draws): Outcome {
  const contents = searchedOf(run.csp);
  const secrets = secretsAgainst(run, 'CSP', 'statistics').filter(({ of }) => of === 'all owners');
  const all = secrets.flatMap(({ forms }) => forms);
  const chosen = draws.shuffled(all).slice(0, PLANTED);
  const shareFound = (name: string, as: (bytes: Buffer) => Buffer) =>
    finds(contents, chosen, draws.of(name), ({ bytes }) => as(bytes));
  const parts = PARTS.map((part) => {
    const kept = (bytes: Buffer) => bytes.subarray(0, Math.ceil(part * bytes.length));
    return { part, ...shareFound(`part ${part}`, kept) };
  });
  const disguises = DISGUISES.map(({ name, as }) => ({ name, ...shareFound(name, as) }));
  const [form] = draws.shuffled(all.filter(isLong));
  const [found] = searchIn([...contents, form!.bytes], secrets);
  const { value, low, high } = parts.at(-1)!;
  return {
    kind: 'test',
    p: found!.chance,
    n: 1,
    distance: { value, low, high },
    detectable: { leak: 'one statistic, in one of its forms, once', size: 1 / found!.sought },
    facts: {
      'planted one at a time': chosen.length,
      'share found whole': value,
      'found in the view as it was': searchIn(contents, secrets)[0]!.found.length,
    },
    blocks: blocksOf(parts, disguises),
  };
}

/** So that chance has no part in it. */
const isLong = ({ bytes }: SecretForm) => bytes.length >= 16;

interface Shares {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

function blocksOf(
  parts: readonly ({ part: number } & Shares)[],
  disguises: readonly ({ name: string } & Shares)[],
): Block[] {
  return [
    lineChart(
      {
        name: 'views-planted',
        caption: 'Share of planted leaks that the search finds, by how much of a form is planted.',
      },
      'part of a form that is planted',
      'share found',
      [
        {
          name: 'found',
          points: parts.map(({ part, value, low, high }) => ({ x: part, y: value, low, high })),
        },
      ],
    ),
    ...recordTable(
      {
        caption: 'Leaks in disguise, to which the search is blind.',
        rows: ['disguise'],
        cells: { 'share found': only('share', { digits: 0, percent: true, unit: '%' }) },
      },
      disguises.map(({ name, value }) => ({ disguise: name, share: value })),
    ),
  ];
}

export const CONTROLS: readonly Unworded[] = [unblinded, simulated, planted];
