/** Components in words, with a scree plot, and as a table. */
import { type Components, isPrincipal, methodOf } from '@eigenveil/methods';
import { csvLine } from '@eigenveil/statistics/owner';
import type { Projection } from '@eigenveil/wire';
import { type ExplainedVariance, explainedVariance, type Untold } from '../accuracy/explained.ts';
import { Projector } from '../projector/projector.ts';
import { byProjector } from '../projector/reducer.ts';
import type { Telling, Told } from './form.ts';

/** Characters of the longest bar. */
const BAR = 40;
/** Eigenvalues beyond the components that are shown. */
const LISTED_BEYOND = 20;

export const COMPONENTS_TOLD: Telling = {
  noun: 'a projection',
  lines: scree,
  csv,
  size: ({ vectors: { length } }: Components) => `${length} ${length === 1 ? 'component' : 'components'}`,
  summary: ({ vectors, eigenvalues }: Components) => ({ components: vectors.length, eigenvalues }),
  rows: {
    done: 'reduced to',
    by: ({ task, projection }, basis) => byProjector(new Projector(task, projection, basis)),
  },
};

/** A bar per component, and a lighter one per eigenvalue beyond them. */
function scree({ task, projection, verifiedOwners }: Told<Components>): string[] {
  const { eigenvalues, spectrum } = projection;
  const shares = explainedVariance(projection, verifiedOwners);
  const beyond = isPrincipal(methodOf(task)) ? (spectrum?.slice(eigenvalues.length) ?? []) : [];
  const largest = Math.max(...eigenvalues.map(Math.abs));
  const lineOf = (name: string, value: number, share: ToldShare | undefined, mark: string) => {
    const length = largest === 0 ? 0 : Math.round((BAR * Math.max(0, value)) / largest);
    const part = share === undefined ? '' : `  ${shareInWords(share).padStart(7)}`;
    return `${name.padStart(9)}  ${value.toPrecision(6).padStart(12)}${part}  ${mark.repeat(Math.min(BAR, length))}`.trimEnd();
  };
  return [
    `component    eigenvalue${shares === undefined ? '' : '    share'}`,
    ...eigenvalues.map((value, j) => lineOf(String(j + 1), value, shares?.each[j], '█')),
    ...(shares === undefined ? [] : [keptInWords(projection, shares)]),
    ...(beyond.length === 0 ? [] : ['beyond the components:']),
    ...beyond
      .slice(0, LISTED_BEYOND)
      .map((value, j) => lineOf(String(eigenvalues.length + j + 1), value, undefined, '░')),
    ...(beyond.length > LISTED_BEYOND ? [`and ${beyond.length - LISTED_BEYOND} more`] : []),
  ];
}

/**
 * One line per component: number, eigenvalue, share of the variance where it can be told and, under
 * differential privacy, the ends of its interval, status, remarks, and the vector by feature.
 */
function csv({ task, projection, verifiedOwners, remarks }: Told<Components>): string {
  const { vectors, eigenvalues, converged, differentialPrivacy } = projection;
  const shares = explainedVariance(projection, verifiedOwners);
  const isNoisy = differentialPrivacy !== null;
  const ends = isNoisy ? ['variance_share_from', 'variance_share_to'] : [];
  const header = ['component', 'eigenvalue', 'variance_share', ...ends, 'converged', 'remarks'];
  const shareCells = (j: number) => {
    const told = shares?.each[j];
    if (told === undefined || typeof told === 'string') return isNoisy ? ['', '', ''] : [''];
    return isNoisy ? [told.share, told.from, told.to] : [told.share];
  };
  const lines = eigenvalues.map((value, j) => [
    j + 1,
    value,
    ...shareCells(j),
    String(converged?.[j] ?? ''),
    remarks
      .filter(({ components }) => components.includes(j + 1))
      .map(({ code }) => code)
      .join(' '),
    ...vectors[j]!,
  ]);
  return [[...header, ...task.features.map(({ name }) => `vector ${name}`)], ...lines]
    .map(csvLine)
    .join('\n');
}

/** The share that may be told of a component, or of some together. */
export type ToldShare = ExplainedVariance['each'][number];

/** `36.6 % (32.8 to 40.4)`, without noise `36.6 %`, or `?`. */
export function shareInWords(told: ToldShare): string {
  if (typeof told === 'string') return '?';
  const { share, from, to } = told;
  return from === to ? `${percent(share)} %` : `${percent(share)} % (${percent(from)} to ${percent(to)})`;
}

/** A sentence, without its end, on what all components have together. */
export function keptInWords({ differentialPrivacy }: Projection, { together }: ExplainedVariance): string {
  const told = together.at(-1)!;
  if (typeof told === 'string')
    return `how much of the variance the components have cannot be told: ${WHY_UNTOLD[told]}`;
  const of = differentialPrivacy === null ? 'the variance' : 'the variance of the rows as they were clipped';
  const corrected =
    differentialPrivacy === null
      ? ''
      : '; the bias of the noise is subtracted, and intervals are two deviations of it';
  return `the components have ${shareInWords(told)} of ${of}${corrected}`;
}

const WHY_UNTOLD: Readonly<Record<Untold, string>> = {
  mean: 'the noise on it depends on the mean, which the task does not declare',
  owners: 'the owners add the noise, and nobody has verified how many there are',
  noise: 'the last of them has an eigenvalue no larger than the noise',
  wide: 'the noise leaves an interval of more than 20 points',
};

function percent(part: number): string {
  return (100 * part).toFixed(1);
}
