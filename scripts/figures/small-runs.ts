/** Figures from runs of single benchmarks that are kept in docs/benchmarks. */
import { Environment } from '@eigenveil/studies/instrument/environment';
import { formatQuantity } from '@eigenveil/studies/instrument/quantities';
import type { Sentence } from '@eigenveil/studies/instrument/report/written-figures';
import { z } from 'zod';
import { readJson } from './kept.ts';

const Used = z.object({ cpuSeconds: z.number(), peakMemoryBytes: z.number() });
const Run = z.object({ command: z.string(), finishedAt: z.iso.datetime(), environment: Environment });

const Program = z.object({
  ...{ twoParty: z.string(), bytes: z.number(), garbler: Used, evaluator: Used },
});
const Protocols = z.object({ run: Run, programs: z.array(Program), comparison: z.array(Program) });

const Sketches = z.object({
  run: Run,
  rows: z.array(
    z.object({
      ...{ dataset: z.string(), ownerPeakMemoryBytes: z.number(), ownerBytes: z.number() },
      ...{ twoPartyBytes: z.number(), csp: Used, dataUser: Used },
      ...{ varianceLost: z.number(), varianceLostClear: z.number() },
    }),
  ),
});

const Floors = z.object({
  run: Run,
  rows: z.array(
    z.object({
      ...{ set: z.string(), method: z.string(), rows: z.int(), components: z.int() },
      ...{ exact: z.number(), floor: z.number(), angle: z.number(), eigenvalue: z.number() },
    }),
  ),
});

const Owners = z.object({
  rows: z.array(
    z.object({ source: z.string(), rows: z.int(), cpuSeconds: z.number(), peakRssMegabytes: z.number() }),
  ),
});

const kept = (name: string): Promise<unknown> => readJson(`docs/benchmarks/${name}.json`);
const bytes = (value: number): string => formatQuantity(value, 'bytes');
const percent = (part: number): string => (100 * part).toFixed(2);
const power = (value: number): string => value.toExponential(0).replace('+', '');

/** README's table of protocols. */
export async function ofProtocols(): Promise<Sentence[]> {
  const { programs, comparison } = Protocols.parse(await kept('rotated'));
  const of = (protocol: string) =>
    [...programs, ...comparison].find(({ twoParty }) => twoParty === protocol)!;
  const processors = ({ garbler, evaluator }: z.infer<typeof Program>) =>
    garbler.cpuSeconds + evaluator.cpuSeconds;
  const [garbled, rotated, simulated] = [of('garbled'), of('rotated'), of('simulated')];
  const times = (one: z.infer<typeof Program>) => (processors(one) / processors(rotated)).toFixed(1);
  return [
    {
      says: '| `garbled` (default) | {} | {} times that of `rotated` |',
      figures: [bytes(garbled.bytes), times(garbled)],
    },
    { says: '| `rotated` | {}, and a [public wait]', figures: [bytes(rotated.bytes)] },
    { says: '| `simulated` | {} | {} times |', figures: [bytes(simulated.bytes), times(simulated)] },
  ];
}

/** docs/benchmarks.md: which runs are kept, and what is told of sketches. */
export async function ofSmallRuns(): Promise<Sentence[]> {
  const { rows } = Sketches.parse(await kept('sketch'));
  const names = ['rotated', 'sketch', 'floor', 'owner-memory'];
  const runs = await Promise.all(names.map(async (name) => z.object({ run: Run }).parse(await kept(name))));
  return [
    ...names.map((name, i) => {
      const { command, finishedAt, environment } = runs[i]!.run;
      return {
        says: `| [${name}.json](benchmarks/${name}.json) | \`${command}\` | {} | {} |`,
        figures: [finishedAt.slice(0, 'yyyy-mm-dd'.length), environment.commit.slice(0, 8)],
      };
    }),
    ofOwner(Owners.parse(await kept('owner-memory'))),
    ...rows.map((row) => ({
      says: `| ${SKETCHED[row.dataset] ?? row.dataset} | {} | {} | {} | {}, {} | {} % | {} % |`,
      figures: [
        ...[row.ownerPeakMemoryBytes, row.ownerBytes, row.twoPartyBytes].map(bytes),
        ...[row.csp, row.dataUser].map(({ peakMemoryBytes }) => bytes(peakMemoryBytes)),
        ...[row.varianceLost, row.varianceLostClear].map(percent),
      ],
    })),
  ];
}

function ofOwner({ rows }: z.infer<typeof Owners>): Sentence {
  const [csv, parquet] = ['csv', 'parquet'].map((from) => rows.find(({ source }) => source === from)!);
  const memory = [csv!, parquet!].map(({ peakRssMegabytes }) => `${Math.round(peakRssMegabytes)} MB`);
  return {
    says: 'sums {} rows of 50 features held {} with CSV and {} with Parquet, which took {} times the processor time',
    figures: [
      ...[csv!.rows.toLocaleString('en'), ...memory],
      (parquet!.cpuSeconds / csv!.cpuSeconds).toFixed(1),
    ],
  };
}

/** Sets as docs/benchmarks.md names them. */
const SKETCHED: Readonly<Record<string, string>> = {
  yale16: 'yale16 (256 features)',
  wide1024: 'made up (1,024)',
};

/** Returns the rows of the table in docs/floor.md that says what the floor costs. */
export async function ofFloor(): Promise<Sentence[]> {
  const { rows } = Floors.parse(await kept('floor'));
  return rows.map(({ set, method, rows: count, components, exact, floor, angle, eigenvalue }) => ({
    says: `| ${floored(set)} | ${count.toLocaleString('en')} | ${method}, ${components} | {} % | {} % | {} | {} |`,
    figures: [percent(exact), percent(floor), power(angle), power(eigenvalue)],
  }));
}

/** `20 two-valued, 3 %, 300 rows` is told as `20 two-valued, held by 3 %` beside its number of rows. */
const floored = (set: string): string =>
  set.replace('_', ' ').replace(/^(\d+ two-valued), (.+ %), [\d,]+ rows$/, '$1, held by $2');
