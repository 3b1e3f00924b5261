/** `npm run bench:floor`: what the floor costs, as docs/floor.md has it. */
import { measureEach } from '@eigenveil/studies/instrument/cases';
import { type Cost, DRAWS, floorCost } from '@eigenveil/studies/speed/floor/measure';
import { type FloorSet, METHODS, nameOf, summed } from '@eigenveil/studies/speed/floor/sets';
import { benchmark, printJson, wholeNumbers } from './options.ts';

const BUNDLED = ['iris', 'pima', 'breast_cancer', 'ionosphere', 'australian', 'german'];
/** Parts of the rows that hold the first and the last made-up feature. */
const HELD = [
  [0.1, 0.9],
  [0.03, 0.03],
] as const;

const { json, rows } = benchmark({
  name: 'bench:floor',
  description: `Compares results with the floor, ${DRAWS} draws each, with those without.`,
  explanation: `PCA and LDA (ρ = 1, one component) by the clear reference, with noise of both servers for two releases. Grains are those that a draft finds. "Kept" is the part
of the variance in the components of a PCA, and what classes explain of the scores of an LDA. Angles are the largest between the components with the floor
and without. Data sets that are not bundled come from the folder EIGENVEIL_DATA, or are left out.`,
  example: '--rows 300',
})
  .option('--rows <LIST>', 'numbers of rows of made-up data sets', wholeNumbers, [300, 1000, 10_000, 100_000])
  .parse()
  .opts<{ json?: true; rows: number[] }>();

const sets: readonly FloorSet[] = [
  ...BUNDLED.map((name) => ({ kind: 'bundled', name }) as const),
  ...HELD.flatMap((held) => rows.map((count) => ({ kind: 'made up', rows: count, held }) as const)),
];

interface Row extends Cost {
  readonly set: string;
  readonly method: string;
  readonly rows: number;
  readonly components: number;
}

const measured: readonly Row[] = await measureEach(
  sets.flatMap((set) => METHODS.map((method) => ({ set, method }))),
  ({ set, method }) => `${method.toUpperCase()} of ${nameOf(set)}`,
  async ({ set, method }) => {
    const read = await summed(set, method);
    if (read === undefined) return [];
    const { task, statistics, rows } = read;
    const name = nameOf(set);
    const cost = floorCost(task, statistics, `${name} ${method}`);
    return [{ set: name, method: method.toUpperCase(), rows, components: task.components, ...cost }];
  },
);
if (json) await printJson({ rows: measured });
else process.stdout.write(`${table()}\n`);

function table(): string {
  const percent = (part: number) => `${(100 * part).toFixed(2)} %`;
  return [
    ['rows', 'method', 'k', 'kept, exact', 'with the floor', 'angle', '\\|Δλ\\|/λ₁'],
    ['---', '---', ...new Array<string>(5).fill('--:')],
    ...measured.map(({ set, method, components, exact, floor, angle, eigenvalue }) => [
      ...[set, method, String(components), percent(exact), percent(floor)],
      ...[angle.toExponential(0), eigenvalue.toExponential(0)],
    ]),
  ]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}
