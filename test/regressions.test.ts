/** Regressions through running services and command lines: drafted, shown, computed by garbled circuits, told, checked and applied by owners. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ofKind } from '@eigenveil/methods';
import { Predictor, Projector, resultInClear } from '@eigenveil/projection';
import { csvLine } from '@eigenveil/statistics';
import { ProposalFile, programOf, type TaskProposal } from '@eigenveil/task';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { jsonOf, problemOf, runInProcess } from './support/in-process.ts';
import { partiesOf } from './support/recorded-world.ts';
import { type Parties, runTask } from './support/run-task.ts';
import { dataFile, exampleOf, type LabelledRows, split, summarise } from './support/tasks.ts';
import { World } from './support/world.ts';

const OWNERS = 3;
const IRIS = dataFile('iris');
const SHORT = { minimumOwners: 2, keyBits: 1024, allowInsecureKey: true, encryption: 'djn' } as const;

let world: World;
let parties: Parties;
let rows: LabelledRows;
let names: string[];
beforeAll(async () => {
  world = await World.start();
  parties = await partiesOf(world, OWNERS, { twoParty: ['garbled'] });
  const example = await exampleOf(IRIS, 'pca');
  rows = example.rows;
  names = example.proposal.features.map(({ name }) => name);
});
afterAll(() => world.close());

const TARGET = 'petal_width';
const draft = (method: string, ...flags: string[]) =>
  runInProcess(
    'user',
    ...['task', 'draft', method, '--data', IRIS, '--ignore', 'label', '--owners', '5', '--exact'],
    ...flags,
  );

/** Rows of the task's columns in its order, by the least of Σ (wᵀx + b − y)² + ρ‖w‖², by steps along its slope. */
function fittedBySteps({ features, method }: TaskProposal): { weights: number[]; intercept: number } {
  const order = features.map(({ name }) => names.indexOf(name));
  const scaled = rows.values.map((row) =>
    features.map(({ min, max }, i) => (2 * (row[order[i]!]! - min)) / (max - min) - 1),
  );
  const rho = (method as { ridge: number }).ridge;
  /** Of (x, 1, −y) with itself, summed over all rows. */
  const lines = scaled.map((row) => [...row.slice(0, -1), 1, -row.at(-1)!]);
  const products = lines[0]!.map((_, i) =>
    lines[0]!.map((__, j) => lines.reduce((sum, line) => sum + line[i]! * line[j]!, 0)),
  );
  const count = features.length; // weights and the intercept behind them
  let fitted = new Array<number>(count).fill(0);
  for (let step = 0; step < 40_000; step += 1) {
    const slopes = fitted.map(
      (w, i) =>
        [...fitted, 1].reduce((sum, x, j) => sum + products[i]![j]! * x, 0) + (i < count - 1 ? rho * w : 0),
    );
    fitted = fitted.map((w, i) => w - slopes[i]! / 400);
  }
  return { weights: fitted.slice(0, -1), intercept: fitted.at(-1)! };
}

/** The rows with their columns in the order of the task. */
const inOrderOf = ({ features }: TaskProposal): LabelledRows => ({
  ...rows,
  values: rows.values.map((row) => features.map(({ name }) => row[names.indexOf(name)]!)),
});

/** What the tested reference makes of all rows together. */
const fittedInClear = (task: TaskProposal) =>
  ofKind(
    'regression',
    resultInClear({ ...programOf(task), minimumOwners: 1 }, summarise(task, inOrderOf(task))),
  ).regression;

const REGRESSIONS = [
  {
    method: { kind: 'ridge', ridge: 0.5 },
    flags: ['--ridge', '0.5'],
    components: 0,
    fitted: fittedBySteps,
    size: 'predicted from the others',
  },
  {
    method: { kind: 'pcr', ridge: 0 },
    flags: ['--components', '1'],
    components: 1,
    fitted: fittedInClear,
    size: 'predicted from 1 components of the others',
  },
];

test.each(REGRESSIONS)(
  'by $method.kind a column is predicted from the others, by everybody who has the result and by nobody’s rows',
  async ({ method, flags, components, fitted, size }) => {
    const asked = ['--target', TARGET, ...flags];
    const drafted = await draft(method.kind, '--json', ...asked);
    expect((await draft(method.kind, ...asked)).stderr).toMatch(
      /in the sample its own regression explains [89]\d % of the variance of "petal_width"/,
    );
    const proposal = ProposalFile.parse({ ...jsonOf(drafted), ...SHORT });
    expect(proposal.features.at(-1)!.name).toBe(TARGET);
    expect(proposal).toMatchObject({ method, components, outputs: [] });

    const { task, projection } = await runTask(parties, proposal, split(inOrderOf(proposal), OWNERS));
    const expected = fitted(proposal);
    const { weights, intercept } = projection.regression!;
    // Cells are rounded to 2^−14 before they are summed.
    expect(weights).toHaveLength(3);
    for (const [i, w] of weights.entries()) expect(w).toBeCloseTo(expected.weights[i]!, 3);
    expect(intercept).toBeCloseTo(expected.intercept, 3);

    // What an owner reads before it takes part.
    const policy = join(world.folder, 'policy.json');
    await writeFile(policy, JSON.stringify({ minimumKeyBits: 1024, allowFullRank: true }));
    const home = ['--home', join(world.folder, 'owner-1'), '--policy', policy];
    const place = ['--user-url', world.dataUserAddress.url, '--user-ca', join(world.folder, 'cert.pem')];
    const shown = await runInProcess('owner', 'show', task.id, ...place, ...home);
    expect(shown.stdout).toContain(`"${TARGET}" ${size}`);
    expect(shown.stdout).toContain('3 weights and an intercept');

    // Rows without that column, beyond the agreed ranges too, and one more column that is kept.
    const others = proposal.features.slice(0, -1).map(({ name }) => name);
    const given = rows.values.slice(0, 5).map((row) => others.map((name) => row[names.indexOf(name)]!));
    given.push(others.map(() => 1000));
    const [data, out] = [join(world.folder, 'new.csv'), join(world.folder, 'predicted.csv')];
    await writeFile(
      data,
      [['who', ...others], ...given.map((row, n) => [`p${n}`, ...row])].map(csvLine).join('\n'),
    );
    const evidence = join(world.folder, 'evidence.json');
    const files = ['--data', data, '--keep', 'who', '--out', out, '--evidence', evidence];
    const projected = await runInProcess('owner', '--json', 'project', task.id, ...place, ...home, ...files);
    expect(projected.stderr).toContain('1 cell of "sepal_length" lay outside');
    expect(JSON.parse(projected.stdout)).toMatchObject({ regression: projection.regression, rows: 6 });
    const lines = (await readFile(out, 'utf8')).trim().split('\n');
    expect(lines[0]).toBe(`who,predicted_${TARGET}`);
    const predicted = new Predictor(task, projection).predict(given);
    expect(lines.slice(1)).toEqual(predicted.map((value, n) => `p${n},${value}`));
    for (const [n, value] of predicted.slice(0, 5).entries())
      expect(Math.abs(value - rows.values[n]![names.indexOf(TARGET)]!)).toBeLessThan(0.5);
    const signed = JSON.parse(await readFile(evidence, 'utf8'));
    expect((await Predictor.open(signed, task.csp)).predict(given)).toEqual(predicted);
    const refusal = { code: 'ERR_PROJECTION_INVALID', message: expect.stringContaining('Predictor') };
    await expect(Projector.open(signed, task.csp)).rejects.toMatchObject(refusal);
    await expect(Projector.load(evidence, task.csp)).rejects.toMatchObject(refusal);

    // What the operator reads.
    const result = ['task', 'result', task.id, '--url', world.dataUserAddress.url];
    const operator = [
      '--ca',
      join(world.folder, 'cert.pem'),
      '--data-directory',
      world.dataUserConfig.dataDirectory,
    ];
    const told = await runInProcess('user', ...result, ...operator);
    expect(told.stdout).toContain(`${TARGET} = the sum of each column times`);
    const table = await runInProcess('user', ...result, ...operator, '--format', 'csv');
    expect(table.stdout.trim().split('\n')).toHaveLength(5);
  },
);

test('drafts say what does not go with a regression', async () => {
  const detail = (text: string) => ({ exitCode: 2, detail: expect.stringContaining(text) });
  expect(problemOf(await draft('ridge', '--json'))).toMatchObject(
    detail('"target" is missing: give --target'),
  );
  expect(problemOf(await draft('ridge', '--json', '--target', 'no such'))).toMatchObject(
    detail('no column "no such"'),
  );
  const target = ['--target', TARGET];
  expect(problemOf(await draft('ridge', '--json', ...target, '--components', '1'))).toMatchObject(
    detail('"--components"'),
  );
  expect(problemOf(await draft('ridge', '--json', ...target, '--ignore', `label,${TARGET}`))).toMatchObject(
    detail('"--ignore"'),
  );
  expect(problemOf(await draft('ridge', '--json', ...target, '--two-party', 'rotated'))).toMatchObject(
    detail('garbled'),
  );
  expect(problemOf(await draft('ridge', '--json', ...target, '--epsilon', '1'))).toMatchObject(
    detail('ridge'),
  );
});
