/** The command `task draft`: it refuses what `task create` would, writes what its flags say, and tells what the task will cost and give. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { METHODS } from '@eigenveil/methods';
import { hyphenated } from '@eigenveil/platform';
import { checkTask, ProposalFile, type TaskProposal } from '@eigenveil/task';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runInProcess } from './support/in-process.ts';
import { dataFile } from './support/tasks.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eigenveil-draft-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function draft(...args: string[]) {
  const { exitCode, stdout: out, stderr: err } = await runInProcess('user', 'task', 'draft', ...args);
  return { exitCode, out, err };
}

const IRIS = ['--data', dataFile('iris')];
const RANGES = ['pca', ...IRIS, '--ignore', '["label"]'];
const SIZES = ['--components', '2', '--owners', '3'];
const LABELLED = [...IRIS, '--label', 'label'];
const DCA = ['dca', ...LABELLED];
test.each<[string, string[], RegExp]>([
  [
    'more components than there can be',
    [...RANGES, '--components', '500', '--owners', '3'],
    /"components": expected at most 200/,
  ],
  [
    'more components than features',
    [...RANGES, '--components', '5', '--owners', '3'],
    /"components" expected at most 4, the number of features, got 5/,
  ],
  [
    'more owners than there can be',
    [...RANGES, '--components', '2', '--owners', '99999999'],
    /"maximumOwners": expected at most 10000000/,
  ],
  [
    'fewer owners at most than at least',
    [...RANGES, ...SIZES, '--minimum-owners', '4'],
    /"minimumOwners" expected at most maximumOwners 3, got 4/,
  ],
  [
    'a way to close twice',
    [...RANGES, ...SIZES, '--closes', 'full,full'],
    /"closes" expected each once, got full,full/,
  ],
  [
    'a result that tells the scatter',
    [...RANGES, '--components', '4', '--owners', '3'],
    /ERR_FULL_RANK: "components" expected at most 3, got 4: .*; "allowFullRank" consents to that/,
  ],
  [
    'labels among the features',
    ['pca', ...IRIS, ...SIZES],
    /column "label" looks like a label .*--label; otherwise leave it out with --ignore/,
  ],
  [
    'labels for pca',
    ['pca', ...LABELLED, ...SIZES],
    /ERR_CONFIGURATION: "--label" expected of dca, lda, mdr alone, got pca/,
  ],
  [
    'no labels for lda',
    ['lda', ...IRIS, '--ignore', 'label', ...SIZES],
    /"--label" expected one column for lda, got 0/,
  ],
  [
    'one labelling for mdr',
    ['mdr', ...LABELLED, ...SIZES],
    /"--label" expected two columns, of utility and of privacy, for mdr, got 1/,
  ],
  [
    'a sketch of few features',
    ['sketch', ...IRIS, '--ignore', 'label', ...SIZES, '--two-party', 'rotated'],
    /"sketch.columns" expected fewer than the 4 features that vary/,
  ],
  [
    'a form for lda',
    ['lda', ...LABELLED, ...SIZES, '--form', 'book'],
    /"--form" expected of dca alone, got lda/,
  ],
  [
    'a signal ridge for pca',
    [...RANGES, ...SIZES, '--signal-ridge', '1'],
    /"--signal-ridge" expected of dca alone, got pca/,
  ],
  [
    'a ridge for pca',
    [...RANGES, ...SIZES, '--ridge', '1'],
    /"--ridge" expected of dca, lda, mdr, ridge.* alone, got pca/,
  ],
  [
    'no ridge, but a constant feature',
    ['dca', '--data', dataFile('ionosphere'), '--label', 'label', '--ridge', '0', ...SIZES],
    /"method.ridge" expected more than 0, such as 1, or no constant feature: "V2" has one value alone/,
  ],
  [
    'dca by rotated and ε, as create would refuse it',
    [...DCA, ...SIZES, '--two-party', 'rotated', '--epsilon', '1'],
    /ERR_PROGRAM_INVALID: "differentialPrivacy" expected none for a pencil .*: garbled computes it/,
  ],
  [
    'a spectrum of dca by garbled',
    [...DCA, ...SIZES, '--outputs', 'mean,spectrum'],
    /ERR_PROGRAM_INVALID: "outputs" expected no spectrum for dca/,
  ],
  [
    'outputs that do not exist',
    [...RANGES, ...SIZES, '--outputs', 'median'],
    /"--outputs\[0\]": expected one of "/,
  ],
  [
    'two tasks without ε',
    [...RANGES, ...SIZES, '--mean-first'],
    /"--mean-first" and "--around" expected with --epsilon, of both tasks/,
  ],
  [
    'a ridge that garbled cannot write',
    [...DCA, ...SIZES, '--ridge', '1e-9'],
    /ERR_TASK_RANGE: "method.ridge" expected 0, a multiple of 4\^-18 or at least/,
  ],
  [
    'a negative ridge on the signal by rotated',
    [...DCA, ...SIZES, '--two-party', 'rotated', '--signal-ridge', '-0.05'],
    /ERR_PROGRAM_INVALID: "signalRidge" expected from 0 to the ridge .*: garbled computes others/,
  ],
  [
    'more components than leave a data user that deviates something unknown',
    [...DCA, ...SIZES, '--two-party', 'rotated'],
    /ERR_FULL_RANK: "components" expected at most 1 of these features and classes .*; garbled computes them/,
  ],
])('a draft with %s', async (_, args, message) => {
  const { exitCode, out, err } = await draft(...args);
  expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' });
  expect(err).toMatch(message);
});

test.each<[string, string[], string]>([
  ['no word', [...IRIS, ...SIZES], 'pca'],
  ['--method', [...LABELLED, ...SIZES, '--method', 'dca'], 'dca'],
  ['--method=', ['--method=ridge', ...IRIS], 'ridge'],
  ['--scale', [...IRIS, '--method', 'pca', '--scale', 'correlation'], 'correlation'],
  ['--sketch', [...IRIS, '--sketch', ...SIZES], 'sketch'],
  ['--refine', [...IRIS, '--refine', 'A'.repeat(22)], 'sketch'],
  ['--sketch-columns', [...IRIS, '--method', 'pca', '--sketch-columns', '20'], 'sketch'],
  ['--regrain', ['--regrain', 'older.json', ...IRIS], 'regrain FILE'],
  ['another method behind a word', ['dca', ...LABELLED, '--method', 'mdr'], 'mdr'],
  ['a scale behind a word', [...RANGES, '--scale', 'correlation'], 'correlation'],
  ['a sketch behind a word', [...RANGES, '--sketch'], 'sketch'],
])('a draft with %s names the command that has taken its place', async (_, args, command) => {
  const { exitCode, out, err } = await draft(...args);
  expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' });
  expect(err).toMatch(/ERR_CONFIGURATION: .* give "eigenveil-user task draft /);
  expect(err).toContain(`"eigenveil-user task draft ${command} …"`);
});

test('flags that a method does not have are refused, and no command or an unknown one lists the methods', async () => {
  const histogram = ['histogram', ...IRIS, '--owners', '3', '--epsilon', '1', '--ignore', 'label'];
  for (const flag of ['--exact', '--components', '--outputs', '--releases', '--around', '--basis', '--label'])
    expect(await draft(...histogram, flag, '1')).toMatchObject({
      exitCode: 2,
      err: expect.stringMatching(new RegExp(`"${flag}" expected of .* alone, got histogram`)),
    });
  expect((await draft('ridge', ...IRIS, '--target', 'petal_width', '--epsilon', '1')).err).toMatch(
    /"--epsilon" expected of pca, dca, lda, mdr, histogram.* alone, got ridge/,
  );
  for (const args of [[], ['pcaa', ...IRIS]])
    expect(await draft(...args)).toMatchObject({
      exitCode: 2,
      err: expect.stringMatching(/ERR_USAGE: expected a command, one of pca, correlation, .*, regrain/),
    });
});

test('help of draft has what drafts have in common, and that of a method its own flags as well', async () => {
  const common = (await draft('--help')).out;
  for (const [name, { draft: own }] of Object.entries(METHODS)) {
    expect(common).toContain(own.purpose.slice(0, 40));
    const { out } = await draft(name, '--help');
    for (const flag of Object.keys(own.flags)) {
      expect(out).toContain(`--${hyphenated(flag)} `);
      expect(common).not.toContain(`  --${hyphenated(flag)} `);
    }
  }
  const flags = (text: string) => [...text.matchAll(/^ {2}--([a-z-]+)/gm)].map(([, flag]) => flag!);
  expect(flags(common)).toEqual(
    expect.arrayContaining(['data', 'owners', 'epsilon', 'basis', 'url', 'label']),
  );
  expect(common).not.toContain('[VALUE]');
  expect(flags((await draft('histogram', '--help')).out)).not.toContain('exact');
  expect(flags((await draft('ridge', '--help')).out)).not.toContain('epsilon');
});

test('a proposal that create refuses before it asks the service', async () => {
  const file = join(folder, 'dca.json');
  const drafted = await draft(...DCA, ...SIZES);
  const proposal = { ...JSON.parse(drafted.out), twoParty: 'rotated' };
  await writeFile(file, JSON.stringify(proposal));
  const service = ['--admin-token', 'x', '--url', 'https://127.0.0.1:1'];
  const { exitCode, stderr } = await runInProcess('user', 'task', 'create', ...service, '--proposal', file);
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(
    /"outputs" expected sampleCount, spectrum, classCounts for dca .*: declare sampleCount/,
  );
});

test('a draft takes every member that has a flag', async () => {
  const flags = ['--form', 'book', '--ridge', '2', '--signal-ridge', '-0.05', '--maximum-samples', '70'];
  const more = ['--outputs', 'mean,trace', '--minimum-owners', '3', '--allow-full-rank'];
  const closes = ['--closes', 'full,deadline'];
  const { err, out } = await draft(...DCA, ...flags, ...more, ...closes, ...SIZES.with(1, '4'));
  expect(err).toMatch(/3 classes differ in at most 2 directions/);
  expect(JSON.parse(out)).toMatchObject({
    method: { kind: 'dca', form: 'book', ridge: 2, signalRidge: -0.05 },
    maximumSamplesPerOwner: 70,
    minimumOwners: 3,
    outputs: ['mean', 'trace'],
    allowFullRank: true,
    closes: ['full', 'deadline'],
  });
});

test('a draft takes ρ from the scatter within classes of the sample, of the utility labels alone', async () => {
  const file = join(folder, 'two-labels.csv');
  const a = [
    [0, 5],
    [4, 5],
    [2, 4],
    [2, 6],
  ]; // prettier-ignore
  const b = [
    [6, 5],
    [10, 5],
    [8, 0],
    [8, 10],
  ]; // prettier-ignore
  const rows = [a, b].flatMap((cells, kind) =>
    cells.map(([x, y], row) => `${x},${y},${'ab'[kind]},${'pq'[row % 2]}`),
  );
  const lines = Array.from({ length: 30 }, () => rows).flat();
  await writeFile(file, `u,v,kind,other\n${lines.join('\n')}\n`);
  const sizes = ['--components', '1', '--owners', '3', '--ridge', 'book', '--allow-full-rank'];
  const ridgeOf = async (...args: string[]) => {
    const { out, err } = await draft(...args, '--data', file, ...sizes);
    return [JSON.parse(out).method.ridge, /ρ = .*/.exec(err)?.[0]];
  };
  // Within classes u has 16 in 8 rows and v has 52, about their own means; ranges of 0 to 10 divide by 25.
  const expected = Number((0.02 * ((30 * 52) / 25)).toPrecision(3));
  const note = `ρ = ${expected} is 0.02 times the largest eigenvalue of the scatter within classes in the sample, which the task makes public to three digits, as it does minima and maxima; it grows with the rows: with one such sample from each owner "ridge": ${3 * expected} is as much`;
  for (const method of ['dca', 'lda'])
    expect(await ridgeOf(method, '--label', 'kind', '--ignore', 'other')).toEqual([expected, note]);
  const formOf = async (...args: string[]) => {
    const { out } = await draft(
      'dca',
      '--label',
      'kind',
      '--ignore',
      'other',
      '--data',
      file,
      ...sizes,
      ...args,
    );
    return JSON.parse(out).method;
  };
  expect(await formOf()).toMatchObject({ ridge: expected, signalRidge: 0 });
  const tenth = Number((expected / 10).toPrecision(3));
  expect(await formOf('--form', 'book')).toMatchObject({ ridge: expected, signalRidge: tenth });
  expect(await formOf('--form', 'book', '--signal-ridge', '0.5')).toMatchObject({ signalRidge: 0.5 });
  expect(await ridgeOf('mdr', '--label', 'kind,other')).toEqual([expected, note]);
  expect((await ridgeOf('mdr', '--label', 'other,kind'))[0]).not.toBe(expected);
  // Rows of a class that are all alike scatter nowhere within it, and MDR takes no ρ of 0.
  const still = rows.map((row) =>
    row.replace(/^.*,(a|b),/, (_, kind) => (kind === 'a' ? '0,9,a,' : '9,0,b,')),
  );
  await writeFile(
    file,
    `u,v,kind,other\n${Array.from({ length: 30 }, () => still)
      .flat()
      .join('\n')}\n`,
  );
  const flat = await draft('mdr', '--label', 'kind,other', '--data', file, ...sizes, '--exact');
  expect(flat).toMatchObject({ exitCode: 2, err: expect.stringContaining('more than 0 for mdr') });
  const predicting = [...IRIS, '--target', 'label', '--owners', '3', '--ridge', 'book'];
  const { exitCode, err } = await draft('ridge', ...predicting);
  expect({ exitCode, err }).toEqual({ exitCode: 2, err: expect.stringContaining('"--ridge"') });
});

test('a draft is exact, or stands more results, where that is asked for', async () => {
  const exact = await draft(...RANGES, ...SIZES, '--exact');
  expect(JSON.parse(exact.out)).toMatchObject({ exact: true, allowFullRank: true, releases: 2 });
  expect(exact.err).toMatch(
    /^note: no floor \(exact\): .* the whole scatter matrix may follow .* "allowFullRank"$/m,
  );
  expect(exact.err).not.toContain('note: the floor');
  const more = await draft(...RANGES, ...SIZES, '--releases', '8');
  expect(JSON.parse(more.out)).toMatchObject({ exact: false, allowFullRank: false, releases: 8 });
  expect(more.err).toMatch(/^note: a floor for 8 releases over the same rows: /m);
  const refused = async (...wrong: string[]) => expect(await draft(...wrong)).toMatchObject({ exitCode: 2 });
  await refused(...RANGES, ...SIZES, '--exact', '--releases', '2');
});

test('a draft declares grains, and says what the floor by them costs, to programs as well', async () => {
  const { out, err } = await draft(...RANGES, ...SIZES, '--grain', 'petal*=0.5');
  const features = (text: string) =>
    (JSON.parse(text) as TaskProposal).features.map(({ name, grain }) => [name, grain]);
  const found = [
    ['sepal_length', 0.1],
    ['sepal_width', 0.1],
  ];
  expect(features(out)).toEqual([...found, ['petal_length', 0.5], ['petal_width', 0.5]]);
  expect(err).toMatch(/^note: grains, .*: 0.1 of "sepal_length", "sepal_width"; 0.5 of "petal_length", /m);
  expect(err).toMatch(
    /^note: the floor: in the sample 2 components capture 9[\d.]+ % of the variance; with/m,
  );
  const json = await draft('--json', ...RANGES, ...SIZES);
  const told = JSON.parse(json.out) as {
    $forecast: { exact: number; floor: { rows: number; part: number }[] };
  };
  expect(told.$forecast).toMatchObject({ of: 'variance', floor: [{ rows: 150 }, { rows: 450 }] });
  for (const { part } of told.$forecast.floor)
    expect(Math.abs(part - told.$forecast.exact)).toBeLessThan(0.001);
  expect(ProposalFile.parse(told)).not.toHaveProperty('$forecast');
});

test('a draft leaves out a copy, and an exact one does not', async () => {
  const file = join(folder, 'copied.csv');
  const lines = Array.from({ length: 90 }, (_, row) => [row % 7, (row * row) % 11, row % 7].join(','));
  await writeFile(file, `a,b,c\n${lines.join('\n')}\n`);
  const args = ['pca', '--data', file, '--components', '1', '--owners', '3'];
  const names = (text: string) => (JSON.parse(text) as TaskProposal).features.map(({ name }) => name);
  const { out, err } = await draft(...args);
  expect(names(out)).toEqual(['a', 'b']);
  expect(err).toMatch(/^warning: a column is left out .*: "c" is a copy of "a". .* --keep keeps/m);
  expect(names((await draft(...args, '--keep', 'c')).out)).toEqual(['b', 'c']);
  expect(names((await draft(...args, '--exact')).out)).toEqual(['a', 'b', 'c']);
});

test('an older proposal is written again with grains, and everything else as it was', async () => {
  const older = join(folder, 'older.json');
  const drafted = JSON.parse((await draft(...RANGES, ...SIZES, '--epsilon', '1')).out);
  const ungrained = (drafted as TaskProposal).features.map(({ grain: _, ...feature }) => feature);
  const written = { ...drafted, features: ungrained, $note: 'kept' };
  await writeFile(older, JSON.stringify(written));
  const mended = await draft('regrain', older, '--data', dataFile('iris'), '--grain', 'petal_width=cell');
  expect(mended.exitCode).toBe(0);
  const grains = [0.1, 0.1, 0.1, 'cell'];
  const features = ungrained.map((feature, i) => ({ ...feature, grain: grains[i] }));
  expect(JSON.parse(mended.out)).toEqual({ ...written, features });
  expect(mended.err).toMatch(/^warning: "--grain" says that it has none of "petal_width"/m);
  expect(mended.err).toMatch(/^note: grains, /m);

  const runs = [
    { name: 'f#', min: 0, max: 9, count: 2, from: 1 },
    { name: 'component_1', min: -1, max: 1 },
  ];
  await writeFile(older, JSON.stringify({ features: runs }));
  const file = join(folder, 'runs.csv');
  const lines = Array.from({ length: 90 }, (_, row) => `${row % 10},${(row % 17) / 2}`);
  await writeFile(file, `f1,f2\n${lines.join('\n')}\n`);
  const again = ['regrain', older, '--data', file];
  expect((await draft(...again, '--grain', 'component_*=0.2')).out).toContain('"grain": 0.2');
  expect(JSON.parse((await draft(...again, '--grain', 'component_1=2')).out).features[0].grain).toBe(1);
  expect(await draft(...again)).toMatchObject({
    exitCode: 2,
    err: expect.stringMatching(
      /ERR_TASK_INVALID: the file expected columns of all features, .*: "component_1"/,
    ),
  });
  expect(await draft(...RANGES, '--components', '2')).toMatchObject({
    exitCode: 2,
    err: expect.stringContaining('"owners" is missing: give --owners'),
  });
});

test('a draft by rotated declares what it reveals, of a discriminant method class counts, too', async () => {
  const sizes = ['--components', '1', '--owners', '3', '--two-party', 'rotated'];
  const drafted = async (...method: string[]) => {
    const { exitCode, out } = await draft(...method, ...sizes);
    expect(exitCode).toBe(0);
    const proposal = ProposalFile.parse(JSON.parse(out));
    checkTask(proposal);
    return proposal.outputs;
  };
  expect(await drafted(...RANGES)).toEqual(['sampleCount', 'spectrum']);
  expect(await drafted('lda', ...LABELLED)).toEqual(['sampleCount', 'spectrum', 'classCounts']);
});

test('a draft of a sketch says what it loses, and many features stand in it as one', {
  tags: ['long'],
}, async () => {
  const faces = join(folder, 'faces.csv');
  // Faces of 240 pixels that are sums of 30 patterns, each half as strong as five before.
  const cell = (row: number, i: number) =>
    Array.from({ length: 30 }, (_, p) => Math.sin(row * (p + 1) + p * p) * Math.cos(i * (p + 2)) * 0.87 ** p)
      .reduce((sum, part) => sum + 10 * part, 128)
      .toFixed(3);
  const pixels = Array.from({ length: 240 }, (_, i) => i);
  const lines = Array.from({ length: 90 }, (_, row) => pixels.map((i) => cell(row, i)).join(','));
  await writeFile(faces, `${pixels.map((i) => `pixel_${i}`).join(',')}\n${lines.join('\n')}\n`);
  const all = ['--data', faces, '--components', '4', '--owners', '3', '--two-party', 'simulated'];
  const sizes = [...all, '--exact'];
  const { exitCode, out, err } = await draft('sketch', ...sizes, '--range', '[0, 255]');
  expect(exitCode).toBe(0);
  const told =
    /^note: in the first 90 rows of the sample, 4 components of a sketch of 22 columns capture (.*) % of the variance, exact ones (.*) %: (.*) % of that is lost$/m.exec(
      err,
    );
  const [captured, best, lost] = told!.slice(1).map(Number) as [number, number, number];
  expect(captured).toBeLessThanOrEqual(best);
  expect(lost).toBeGreaterThan(0);
  expect(lost).toBeLessThan(5);
  const json = JSON.parse(out);
  expect(json).toMatchObject({ sketch: { columns: 22 }, outputs: ['mean', 'sampleCount'] });
  expect(json.features).toEqual([{ name: 'pixel_#', min: 0, max: 255, twoValued: false, count: 240 }]);
  const proposal = ProposalFile.parse(json);
  expect(proposal.features).toHaveLength(240);
  checkTask(proposal);
  expect(err).not.toContain('the floor');
  const withFloor = await draft('sketch', ...all, '--range', '[0, 255]');
  // Decimals of thousandths take next to nothing.
  expect(withFloor.err).toMatch(
    /4 components capture (\d+\.\d) % of the variance; with noise of both servers \1 % with as many .* \(90\), and \1 % with one .* \(270\)$/m,
  );
  const floored = ProposalFile.parse(JSON.parse(withFloor.out));
  expect(floored).toMatchObject({ exact: false, allowFullRank: false, sketch: { columns: 22 } });
  expect(floored.features.map(({ grain }) => grain)).not.toContain(undefined);
  expect(floored.features).toHaveLength(240);
  checkTask(floored);
  const few = await draft('sketch', ...sizes, '--sketch-columns', '78');
  expect(few.err).toContain('in the sample fewer than 78 features vary on their own');
  const without = await draft('pca', ...sizes);
  expect(without.err).toContain('"features" expected at most 200 without "sketch", got 240');
});

test('a draft with differential privacy says what it costs, and leaves the consent to its ranges to a person', async () => {
  const { exitCode, out, err } = await draft(...RANGES, ...SIZES, '--epsilon', '1');
  expect(exitCode).toBe(0);
  // 5.18 and 3.66 for rows of length 1, times 4/3: the draft clips four features to a length of √(4/3).
  expect(err).toMatch(/^note: each server adds noise of deviation 6.90 on squares and 4.88 on products/m);
  // Ten times the file's 150 rows, rounded up, for each of three owners.
  expect(err).toMatch(
    /^note: there is room for 6000 rows, .* set maximumOwners and maximumSamplesPerOwner as low/m,
  );
  for (const forecast of [
    /^note: the clipping norm scales down \d+ % of the sample's rows$/m,
    /^note: if rows are like the sample's, noise on their scatter has a norm of about \d+, /m,
    /^note: components of the sample stand out of the noise: component 1 \(\d+ % of the variance\) from [\d,]+, component 2 \(.*\) from [\d,]+ rows on$/m,
  ])
    expect(err).toMatch(forecast);
  const proposal = JSON.parse(out) as { differentialPrivacy: Record<string, unknown> };
  expect(proposal.differentialPrivacy).toMatchObject({
    epsilon: 1,
    delta: 1e-6,
    clippingNorm: Math.sqrt(4 / 3),
    dataIndependentRanges: false,
  });
  expect(() => ProposalFile.parse(proposal)).toThrow('your consent that ranges');
  const { differentialPrivacy } = proposal;
  const consented = {
    ...proposal,
    differentialPrivacy: { ...differentialPrivacy, dataIndependentRanges: true },
  };
  expect(() => checkTask(ProposalFile.parse(consented))).not.toThrow();
});

test('two drafts share ε: one for the mean, and one around it that clips rows to half', async () => {
  const result = join(folder, 'result.json');
  const one = [...RANGES, '--components', '1', '--owners', '3', '--epsilon', '1'];
  const first = JSON.parse((await draft(...one, '--mean-first')).out) as TaskProposal;
  expect(first.outputs).toEqual(['mean']);
  const spent = { ...first.differentialPrivacy!, dataIndependentRanges: true };
  const written = { features: first.features, mean: first.features.map(() => 0), vectors: [] };
  await writeFile(result, JSON.stringify({ ...written, differentialPrivacy: spent }));
  const { out, err, exitCode } = await draft(...one, '--around', result);
  expect(exitCode).toBe(0);
  expect(err).not.toContain('except for noise that it knows');
  const second = JSON.parse(out) as TaskProposal;
  expect(second.outputs).toEqual([]);
  expect(second.features[0]).toMatchObject({ min: 2.5, max: 9.7 });
  expect(second.differentialPrivacy!.clippingNorm).toBeCloseTo(Math.sqrt(4 / 3) / 4, 12);
  for (const { differentialPrivacy } of [first, second]) {
    expect(differentialPrivacy!.epsilon).toBeLessThan(1);
    expect(differentialPrivacy!.dataIndependentRanges).toBe(false);
  }
  const refused = async (...wrong: string[]) => expect((await draft(...wrong)).exitCode).toBe(2);
  await refused(...one.slice(0, -2), '--around', result);
  await refused(...one.slice(0, -1), '0.1', '--around', result);
  await writeFile(result, JSON.stringify({ ...written, differentialPrivacy: null }));
  await refused(...one, '--around', result);
  await writeFile(result, JSON.stringify({ ...written, differentialPrivacy: { ...spent, noise: 'csp' } }));
  const exposed = await draft(...one, '--around', result);
  expect(exposed.exitCode).toBe(0);
  expect(exposed.err).toMatch(
    /^note: the CSP alone added noise to the earlier task: .* noise that it knows/m,
  );
  const help = await draft('--help');
  expect(help.out).toMatch(/a third task.* spends more than ε and δ/);
});

test('a draft rounds its sample, takes as many digits as leave its components where they are, and says so', async () => {
  const file = join(folder, 'nearly-collinear.csv');
  // What tells the classes apart is how two columns differ from two others that they nearly equal.
  const lines = Array.from({ length: 300 }, (_, row) => {
    const [a, c] = [Math.sin(row * 1.7), Math.cos(row * 2.9)];
    const b = a + 5e-4 * Math.sin(row * row) + (row % 2) * 3e-4;
    const d = c + 5e-4 * Math.cos(row * row * 1.3) + (row % 2) * 2e-4;
    return [a, b, c, d, row % 2].join(',');
  });
  await writeFile(file, `a,b,c,d,label\n${lines.join('\n')}\n`);
  const lda = ['lda', '--data', file, '--label', 'label', '--ridge', '0.00001'];
  const sizes = ['--components', '1', '--owners', '3'];
  const chosen = await draft(...lda, ...sizes);
  const { fractionBits } = JSON.parse(chosen.out) as TaskProposal;
  expect(fractionBits).toBeGreaterThan(14);
  const [, own, rest] =
    /^note: rounding the sample to 2\^-\d\d turns its components by (\S+) rad \((.*)\)$/m.exec(chosen.err)!;
  expect(Number(own)).toBeLessThanOrEqual(1e-3);
  const [, coarse] = /(\S+) rad to 2\^-14/.exec(rest!)!;
  expect(Number(coarse)).toBeGreaterThan(1e-3);

  const asked = await draft(...lda, ...sizes, '--fraction-bits', '13');
  expect(JSON.parse(asked.out)).toMatchObject({ fractionBits: 13 });
  expect(asked.err).toMatch(/^note: rounding the sample to 2\^-13 .*: the result hangs on the rounding/m);
  const plain = await draft(...RANGES, ...SIZES);
  expect(JSON.parse(plain.out)).toMatchObject({ fractionBits: 14 });
  expect(plain.err).toMatch(/^note: rounding the sample to 2\^-14 turns its components by \S+ rad$/m);
  const epsilon = await draft(...RANGES, ...SIZES, '--epsilon', '1');
  expect(epsilon.err).not.toContain('rounding the sample');
});
