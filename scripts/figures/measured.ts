/** Figures of the documents from docs/benchmarks/measured.json: what was measured once, of which the figures alone are kept, with their day and commit. */
import { type Sentence, withPlaces } from '@eigenveil/studies/instrument/report/written-figures';
import { z } from 'zod';
import { readJson } from './kept.ts';

const Value = z.union([z.string(), z.number()]);
const Row = z.record(z.string(), z.union([Value, z.array(Value)]));
const Measured = z.record(
  z.string(),
  z.strictObject({
    ...{ command: z.string().optional(), day: z.iso.date(), commit: z.string() },
    ...{ figures: Row.default({}), tables: z.record(z.string(), z.array(Row)).default({}) },
  }),
);

/** A sentence of a run's figures, or of each row of one of its tables. `[name]` stands there as it is kept; figures of `{name}` are written. */
type Told = readonly [run: string, says: string, table?: string];

const PENCIL = '| [set] | [d] | [classes] | [k] | [ridge] | {condition} | {eigenvalue} | {sine} |';
const TIMED = '| [operation] | [classes] | {median} | {difference} | {shows} | {t} |';

const TOLD: Readonly<Record<string, readonly Told[]>> = {
  'README.md': [
    [
      'demo',
      '│ [method] │ {components} │ {rounded} │ {exactRows} │ {eigenvalue} │ {kept} │ {exact} │ {seconds} │',
      'results',
    ],
    ['contributions', 'it took {perSecond} contributions per second'],
  ],
  'SECURITY.md': [
    ['timing', 'both of its cores (`bench:timing`, {day}, {commit}):'],
    ['timing', TIMED, 'operations'],
    ['timing-rotated', TIMED, 'operations'],
    ['timing-rotated', 'with 50 features and 15 components ({day}, {commit})'],
  ],
  'docs/authentication-decisions.md': [
    [
      'authenticator',
      '`[command]` ({day}, {commit}): on one core, of windows of 20 components, {mahalanobis} million a second are scored by `mahalanobis` ({euclidean} million by `euclidean`, {cosine} million by `cosine`), and either engine takes more than {engine} million',
    ],
    [
      'authenticator-https',
      '{batched} windows a second in batches of 20 (16 connections), {single} single windows a second (4 connections), and {memory} at most in the service. A request costs the service {cpuSingle} of CPU with one window and {cpuBatch} with 20. Single requests took {median} at the median and {tail} at the 99th',
    ],
    ['authenticator-https', 'Over HTTPS ({day}, {commit}),'],
    ['authenticator-https', 'that only works for 0.3 ms had {bareTail} there'],
    ['authenticator', 'scoring it and deciding takes {whole},'],
  ],
  'docs/benchmarks.md': [
    ['demo', "| README's output of the demo | `[command]` | {day} | {commit} |"],
    [
      'authenticator',
      '| windows per second, in [authentication-decisions.md](authentication-decisions.md#cost) | `[command]` | {day} | {commit} |',
    ],
    ['authenticator-https', '| the same over HTTPS | `[command]` | {day} | {commit} |'],
    [
      'browser',
      '| an owner in a browser, below and in [owner-page.md](owner-page.md) | `[command]` | {day} | {commit} |',
    ],
    [
      'contributions',
      '| contributions per second, in [scaling.md](scaling.md) and README | `[command]` | {day} | {commit} |',
    ],
    [
      'histogram',
      '| a histogram, in [histograms.md](histograms.md#what-it-costs) | `[command]` | {day} | {commit} |',
    ],
    [
      'pencils-time',
      '| pencils, in [rotated-pencils.md](rotated-pencils.md#cost) | `[command]` | {day} | {commit} |',
    ],
    ['three-bits', '| digits of three bits, below | `[command]` | {day} | {commit} |'],
    [
      'timing',
      '| time and secrets, in [SECURITY.md](../SECURITY.md#what-is-constant-time-and-what-is-not) | `[command]` | {day} | {commit} |',
    ],
    ['browser', 'in one worker of Chromium {chromium}, took {least} to {most} times the processor time'],
    ['mp-spdz', '**Beside MP-SPDZ** ({day}, {commit}),'],
    ['mp-spdz', 'took {other}, and `rotated` {rotated} and a public wait of {wait}.'],
  ],
  'docs/histograms.md': [
    ['histogram', 'Between the servers go {between}.'],
    ['histogram', 'it takes {seconds} from the proposal to the result'],
    [
      'histogram',
      '(`[command]`, {day}, {commit}, median of three runs, {range}). Of these ten owners, who encrypt 1,245 numbers and send {sent} each, take {owners}, the servers {servers}, with a public wait of {wait}, in {memory}.',
    ],
  ],
  'docs/operations.md': [
    [
      'memory',
      'Either takes about {rest} of memory at rest; {garbled} during a PCA of 34 features and 15 components by `garbled`, {two} during two at a time, {rotated} by `rotated` (measured on {day}, {commit}).',
    ],
  ],
  'docs/owner-page.md': [
    [
      'browser',
      'a contribution takes {djn} of CPU time with `djn` and {standard} with `standard`, reading 100,000 rows {reading}, or {quoted} where anything is quoted. That is {least} to {most} times what Node.js takes',
    ],
  ],
  'docs/precision.md': [
    [
      'correlation-garbled',
      'Measured once ({day}, {commit}), the program in the clear context against the reference:',
    ],
    [
      'correlation-garbled',
      '| [set], correlation | [d] | [k] | {cosine} | {length} | {eigenvalue} |',
      'accuracy',
    ],
    [
      'discriminants-garbled',
      'bit for bit what the garbled one does ({day}, {commit}): keystrokes (d = 71, K = 56, ρ = 1, 55 components) were {keystrokes} off in 1 − cosine and {keystrokesEigenvalue} in eigenvalues, ionosphere with ρ = 1, ρ′ = 0.1 and three components {ionosphere} and {ionosphereEigenvalue}.',
    ],
  ],
  'docs/privacy-comparison.md': [
    ['privacy-dealings', 'at each dealing ({day}, {commit}):'],
    ['privacy-dealings', '| [against] | {values} |', 'means'],
  ],
  'docs/rotated-correlation.md': [
    ['correlation-rotated', '`maximumOwners` 16 with 1,024 rows each (measured once, {day}, {commit}):'],
    [
      'correlation-rotated',
      '| [set] | [d] | [k] | {gates} | {traffic} | {covariance} | {ring} | {eigenvalue} | {sine} |',
      'accuracy',
    ],
    [
      'correlation-rotated',
      'With 60 made-up features and 15 components it was about {made}, and {error}·λ₁;',
    ],
  ],
  'docs/rotated-floor.md': [
    ['pencils-floor', 'One run each ({day}, {commit}), products in the clear,'],
    [
      'pencils-floor',
      '| [set] | [grain] | [ridge] | {condition} | {trace} | {protocol} | {floor} |',
      'accuracy',
    ],
  ],
  'docs/rotated-pencils.md': [
    ['pencils-accuracy', 'With the products in the clear (they are exact), measured once ({day}, {commit}):'],
    ['pencils-accuracy', PENCIL, 'accuracy'],
    ['pencils-time', '`[command]` ({day}, {commit}), on 2 cores with nothing else running'],
    [
      'pencils-time',
      'DCA of ionosphere {ionosphere} ({ionosphereWait}), of keystrokes {keystrokes} ({keystrokesWait}), of 100 features {hundred} ({hundredWait}).',
    ],
  ],
  'docs/rotated-sketches.md': [
    ['sketches-rotated', 'captured variance that is lost; measured once ({day}, {commit}).'],
    ['sketches-rotated', '| [set] | [room] | {eigenvalue} | {sine} | {lost} |', 'accuracy'],
  ],
  'docs/rows.md': [
    [
      'sums-of-databases',
      'The last check took {wide} for 200 features and {narrow} for 50, on a busy machine ({day}, {commit}). There PostgreSQL took {postgres} to plan and run the statement for 200 features over 300 rows, DuckDB {duckdb}.',
    ],
  ],
  'docs/scaling.md': [
    [
      'contributions',
      'at 34 features and 2048 bits ({bytes} a contribution), measured on {day} ({commit}) with little else running:',
    ],
    [
      'contributions',
      '| [setting] | [contributions] | {perSecond} | {latency} | {cpu} | {databaseCpu} | {memory} |',
      'databases',
    ],
    ['contributions', 'after the disk has been synced ({sync} on this machine'],
    ['contributions', '| [what] | {values} |', 'stretches'],
    [
      'contributions',
      'After the close, 100,000 contributions took {aggregated} to aggregate on 2 threads, and {unblinded} until the CSP had verified their records and unblinded. The two-party computation took {computed} (`rotated`)',
    ],
    [
      'contributions-sketch',
      '`[command]` ({day}, {commit}), the data user took at most {most} for six contributions of {bytes}.',
    ],
  ],
  'docs/sketches.md': [
    ['sketches-clear', 'three seeds, k = 20 components, measured once ({day}, {commit});'],
    ['sketches-clear', '| [set] | [size] | [columns] | {lost} |', 'lost'],
    ['sketches-refined', 'in the clear, measured once ({day}, {commit}):'],
    ['sketches-refined', '| [set] | [size] | {values} |', 'lost'],
    ['sketches-refined', 'leaves {olivetti32} on olivetti32 and {yale16} on yale16'],
  ],
};

/** The sentences of each document that has some. */
export const MEASURED = Object.entries(TOLD).map(
  ([document, told]) => [document, () => sentencesOf(told)] as const,
);

async function sentencesOf(told: readonly Told[]): Promise<Sentence[]> {
  const runs = Measured.parse(await readJson('docs/benchmarks/measured.json'));
  return told.flatMap(([name, says, table]) => {
    const { figures, tables, ...run } = runs[name]!;
    const rows = table === undefined ? [figures] : tables[table]!;
    return rows.map((row) => written(says, { ...run, ...row }));
  });
}

function written(says: string, values: Readonly<Record<string, unknown>>): Sentence {
  const figures: string[] = [];
  const text = (name: string): string => {
    const value = values[name];
    if (value === undefined) throw new RangeError(`"${says}" expected "${name}", got none`);
    return Array.isArray(value) ? value.join(' | ') : `${value}`;
  };
  const told = says.replaceAll(/\[(\w+)\]|\{(\w+)\}/g, (place, kept?: string, figure?: string) => {
    if (kept !== undefined) return kept in values ? text(kept) : place;
    const one = withPlaces(text(figure!));
    figures.push(...one.figures);
    return one.says;
  });
  return { says: told, figures };
}
