/** What the report says of accuracy. */
import type { Block, Column, Line, Point, Section } from '../../instrument/report/document.ts';
import type { Measurement } from '../../instrument/unit.ts';
import { PUBLISHED_F1, PUBLISHED_SOURCE, type PublishedF1 } from '../published.ts';
import { type Arm, differencesOf, type Group, groupsOf, momentsOf, scoresOf } from './scores.ts';

/** Points of F1 by which encrypted and clear projections may differ on average. */
const AIM = 0.3;
/** Standard deviations within which a published score counts as met. */
const NEAR = 2;

const left = (title: string): Column => ({ title, align: 'left' });
const right = (title: string): Column => ({ title, align: 'right' });

export function accuracyHighlights(measurements: readonly Measurement[]): readonly string[] {
  const groups = groupsOf(measurements);
  return groups.length === 0 ? [] : [agreement(groups)];
}

/** One section; that of no measurements says so. */
export function reportAccuracy(measurements: readonly Measurement[]): readonly Section[] {
  const title = 'Accuracy';
  const groups = groupsOf(measurements);
  if (groups.length === 0)
    return [{ title, blocks: [{ kind: 'text', text: 'Accuracy was not measured in this run.' }] }];
  return [
    {
      title,
      blocks: [
        { kind: 'text', text: introduction(measurements[0]!) },
        overview(groups),
        { kind: 'text', text: agreement(groups) },
        { kind: 'text', text: againstPublished(groups) },
        ...[...Map.groupBy(groups, ({ dataset }) => dataset)].map(([dataset, own]) => chart(dataset, own)),
        details(groups),
      ],
    },
  ];
}

function introduction({ parameters }: Measurement): string {
  const { testShare, folds, costs, gammas, owners, keyBits, ridge, mostRows } = parameters;
  return `How well an SVM tells classes apart after projection, as weighted F1 in percent: per class the harmonic mean of precision
and recall, weighted by the class's share of the test rows. Three arms see the same random stratified splits (${percent(1 - Number(testShare))} of the
rows to train, ${percent(Number(testShare))} to test), the same folds and the same grid:

- **encrypted**: the training rows are dealt out to ${owners} owners, whose statistics are encrypted with Paillier (${keyBits} bits), added and
  blinded, unblinded and decomposed by \`garbled\` between two processes. Rows are rounded and projected as owners do.
- **clear**: PCA or DCA by ml-matrix in double precision on the pooled training rows, which are not rounded.
- **none**: no projection.

All arms map features to [−1, 1] by the same ranges, which are those of the file (public metadata of data that are public anyway).
The SVM is LIBSVM's C-SVC with an RBF kernel; C (${list(costs)}) and γ (${list(gammas)}) are chosen by ${folds}-fold stratified cross-validation
within the training rows, which are scaled by one factor to variance 1 on average. DCA has ridge ${ridge}. PCA is computed once per split with the most
components; smaller numbers are its first ones, since components descend. Data sets of more than ${mostRows} rows are cut to about so many by a
stratified sample. ± is the standard deviation over splits, which overlap: it says how much a split matters and is no confidence
interval. Splits come from a seeded generator, so that they are the same in every run.`;
}

function overview(groups: readonly Group[]): Block {
  return {
    kind: 'table',
    caption: `Weighted F1 (%) at the largest number of components. |Δ| is |encrypted − clear|, over all splits and numbers of components; published: ${PUBLISHED_SOURCE}, for DCA; the last column is encrypted less published, in standard deviations of encrypted`,
    columns: [
      left('data set'),
      left('method'),
      ...['components', 'splits', 'encrypted', 'clear', 'none', 'mean |Δ|', 'largest |Δ|'].map(right),
      ...['published protocol', 'published NumPy', 'from published'].map(right),
    ],
    rows: groups.map((group) => {
      const k = group.components.at(-1)!;
      const published = publishedOf(group);
      const differences = differencesOf(group);
      const distance = distanceOf(group);
      return [
        nameOf(group.dataset),
        group.method.toUpperCase(),
        `${k}`,
        `${group.splits.length}`,
        ...([`encrypted/${k}`, `clear/${k}`, 'none'] as const).map((arm) => score(group, arm)),
        points(momentsOf(differences)?.mean),
        points(differences.length > 0 ? Math.max(...differences) : undefined),
        published === undefined ? '–' : published.protocolPercent.toFixed(1),
        published === undefined ? '–' : published.numpyPercent.toFixed(1),
        distance === undefined ? '–' : `${signed(distance)} sd`,
      ];
    }),
  };
}

function details(groups: readonly Group[]): Block {
  return {
    kind: 'table',
    caption:
      'By number of components. Angle: the largest principal angle between encrypted and clear subspace in any split, in radians; it is large where eigenvalues are close. Other parameters: splits in which the search chose another C or γ for the one than for the other',
    columns: [
      left('data set'),
      left('method'),
      ...['components', 'encrypted', 'clear', 'mean |Δ|', 'largest angle', 'other parameters'].map(right),
    ],
    rows: groups.flatMap((group) =>
      group.components.map((k) => [
        nameOf(group.dataset),
        group.method.toUpperCase(),
        `${k}`,
        score(group, `encrypted/${k}`),
        score(group, `clear/${k}`),
        points(momentsOf(differencesOf(group, [k]))?.mean),
        largestAngle(group, k),
        `${group.splits.filter(({ facts }) => facts[`sameParameters/${k}`] === 'no').length} of ${group.splits.length}`,
      ]),
    ),
  };
}

function largestAngle({ splits }: Group, k: number): string {
  const angles = splits.flatMap(({ facts }) => facts[`angle/${k}`] ?? []).map(Number);
  return angles.length === 0 ? '–' : Math.max(...angles).toExponential(0);
}

/** Of all pairs of an encrypted and a clear projection, how many have equal scores. */
export function equalPairs(measurements: readonly Measurement[]): { equal: number; pairs: number } {
  const all = groupsOf(measurements).flatMap((group) => differencesOf(group));
  return { equal: all.filter((difference) => difference === 0).length, pairs: all.length };
}

/** Whether the aim is met, and where not. */
function agreement(groups: readonly Group[]): string {
  const all = groups.flatMap((group) => differencesOf(group));
  if (all.length === 0) return 'No encrypted projection was measured beside a clear one.';
  const equal = all.filter((difference) => difference === 0).length;
  const missed = groups.filter((group) => (momentsOf(differencesOf(group))?.mean ?? 0) > AIM);
  const verdict =
    missed.length === 0
      ? `The mean is at most ${AIM} points for every data set and method measured.`
      : `The mean is above the aim of ${AIM} points for ${missed
          .map((group) => `${labelOf(group)} (${points(momentsOf(differencesOf(group))?.mean)})`)
          .join(
            ', ',
          )}: where two pairs of C and γ are all but equal in cross-validation, rounding decides between them.`;
  return `Encrypted and clear scores differ by ${points(momentsOf(all)?.mean)} points on average over ${all.length} pairs; ${equal} pairs are equal. ${verdict}${unconverged(groups)}`;
}

/** What the two-party computation itself says of its precision; nothing where it says nothing. */
function unconverged(groups: readonly Group[]): string {
  const count = groups
    .flatMap(({ splits }) => splits.map(({ facts }) => Number(facts.unconverged ?? 0)))
    .reduce((sum, value) => sum + value, 0);
  return count === 0
    ? ''
    : ` ${count} encrypted components came with the remark that they have not converged.`;
}

function againstPublished(groups: readonly Group[]): string {
  const compared = groups.flatMap((group) => {
    const distance = distanceOf(group);
    return distance === undefined ? [] : [{ group, distance }];
  });
  if (compared.length === 0)
    return 'Nothing to compare with the published scores was measured: that takes DCA of a published data set over two splits or more.';
  const far = compared.filter(({ distance }) => Math.abs(distance) > NEAR);
  const count = `Of ${compared.length} published scores, ${compared.length - far.length} are within ${NEAR} standard deviations.`;
  if (far.length === 0) return count;
  const reasons = far.map(({ group, distance }) => {
    const why = isSynthetic(group.dataset)
      ? `the data are others: synthetic rows in place of ${publishedOf(group)!.title}, so that only the shape of the task is the same`
      : 'split, encoding and ranges of the features, ridge and grid are choices of this benchmark and need not be those of the publication';
    const clear = distanceOf(group, 'clear');
    const alike = clear === undefined ? '' : `; clear: ${signed(clear)}`;
    return `- ${labelOf(group)} (encrypted: ${signed(distance)} standard deviations${alike}): ${why}.`;
  });
  return `${count} The others:\n\n${reasons.join('\n')}`;
}

function chart(dataset: string, groups: readonly Group[]): Block {
  const whiskered = (group: Group, arm: Arm, x: number): Point[] => {
    const moments = momentsOf(scoresOf(group, arm));
    if (moments === undefined) return [];
    const { mean: y, deviation } = moments;
    return [{ x, y, ...(deviation !== undefined && { low: y - deviation, high: y + deviation }) }];
  };
  const lines = groups.flatMap((group): Line[] =>
    (['encrypted', 'clear'] as const).map((arm) => ({
      name: `${group.method.toUpperCase()}, ${arm}`,
      points: group.components.flatMap((k) => whiskered(group, `${arm}/${k}`, k)),
      style: group.components.length === 1 ? 'points' : arm === 'encrypted' ? 'solid' : 'dashed',
    })),
  );
  const widest = groups.toSorted((a, b) => b.components.at(-1)! - a.components.at(-1)!)[0]!;
  const none: Line = {
    name: 'no projection',
    points: widest.components.flatMap((k) => whiskered(widest, 'none', k)),
    style: 'dashed',
  };
  return {
    kind: 'chart',
    name: `accuracy-${dataset.replaceAll('_', '-')}`,
    caption: `${nameOf(dataset)}: weighted F1 over the number of components, mean over splits with a standard deviation to either side; encrypted and clear lie on each other where they agree`,
    drawing: {
      kind: 'lines',
      x: { title: 'components', scale: 'linear' },
      y: { title: 'weighted F1, %', scale: 'linear' },
      lines: [...lines, none],
    },
  };
}

function publishedOf({ dataset, method }: Group): PublishedF1 | undefined {
  return method === 'dca' ? PUBLISHED_F1.find((row) => row.dataset === dataset) : undefined;
}

/** An arm less published, in its standard deviations; undefined where there is nothing to compare or no deviation. */
function distanceOf(group: Group, arm: 'encrypted' | 'clear' = 'encrypted'): number | undefined {
  const published = publishedOf(group);
  const moments = momentsOf(scoresOf(group, `${arm}/${group.components.at(-1)!}`));
  if (published === undefined || !moments?.deviation) return undefined;
  return (moments.mean - published.protocolPercent) / moments.deviation;
}

function score(group: Group, arm: Arm): string {
  const moments = momentsOf(scoresOf(group, arm));
  if (moments === undefined) return '–';
  const { mean, deviation } = moments;
  return deviation === undefined ? mean.toFixed(1) : `${mean.toFixed(1)} ± ${deviation.toFixed(1)}`;
}

const points = (value: number | undefined) => (value === undefined ? '–' : value.toFixed(2));
const signed = (value: number) => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(1)}`;
const percent = (share: number) => `${Math.round(100 * share)} %`;
const list = (parameter: number | string | undefined) => `${parameter}`.split(' ').join(', ');
const labelOf = ({ dataset, method }: Group) => `${method.toUpperCase()} of ${nameOf(dataset)}`;
const isSynthetic = (dataset: string) => dataset.startsWith('synthetic');
const nameOf = (dataset: string) =>
  isSynthetic(dataset) ? `synthetic (${dataset.slice('synthetic'.length)} features)` : dataset;
