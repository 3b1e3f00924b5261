/**
 * Chooses to how many binary digits a drafted task rounds: the sample is rounded to several, and compared
 * with itself as it is.
 */
import { DEFAULT_FRACTION_BITS, methodOf } from '@eigenveil/methods';
import { columnsFor, type Link, type Moved, Projector, RoundedRows } from '@eigenveil/projection/portable';
import type { TaskProposal } from '@eigenveil/task';
import { checkComputable } from '@eigenveil/two-party/plan';
import type { ReadSampleRows } from './sample.ts';

/** Each further digit makes slots two bits wider. */
const TRIED = [DEFAULT_FRACTION_BITS, 16, 18, 20];
/** The most rows of the sample that are rounded. */
const MOST_ROWS = 20_000;
/** Rounding that turns the components by no more radians than this leaves them where they are. */
const TURNED = 1e-3;

/**
 * Tells how far rounding moves the sample's components, by the numbers of digits from the least on; undefined
 * where noise or a sketch does much more.
 * @param read reads the sample that the task was drafted from
 * @param basis what the task stands on
 * @throws as `read`
 */
export async function roundingOfSample(
  read: ReadSampleRows,
  task: TaskProposal,
  basis: readonly Link[] = [],
): Promise<readonly Moved[] | undefined> {
  const { differentialPrivacy, sketch, fractionBits } = task;
  if (differentialPrivacy !== null || sketch !== undefined) return undefined;
  const last = basis.at(-1);
  const before = last && new Projector(last.task, last.projection, basis.slice(0, -1));
  const rounded = new RoundedRows(
    task,
    [...new Set([fractionBits, ...TRIED])].sort((a, b) => a - b),
  );
  let left = MOST_ROWS;
  for await (const batch of read(columnsFor(task, basis), { ignoredColumns: 'others' })) {
    for (const { values, classes } of batch.slice(0, left))
      rounded.add(before === undefined ? values : before.transform([values])[0]!, classes);
    left -= batch.length;
    if (left <= 0) break;
  }
  return rounded.moved();
}

/**
 * The fewest digits, from the default on, that leave the components where they are and that are computable;
 * the default where none do.
 */
export function chosenBits(task: TaskProposal, moved: readonly Moved[]): number {
  const enough = moved.find(
    ({ fractionBits, angle }) =>
      fractionBits >= DEFAULT_FRACTION_BITS && angle <= TURNED && isComputable({ ...task, fractionBits }),
  );
  return enough?.fractionBits ?? DEFAULT_FRACTION_BITS;
}

function isComputable(task: TaskProposal): boolean {
  try {
    checkComputable(task);
    return true;
  } catch {
    return false;
  }
}

/** Says what rounding does to the sample at the task's number of digits, and what more digits would do. */
export function describeRounding(task: TaskProposal, moved: readonly Moved[]): string[] {
  const { fractionBits } = task;
  const isRegression = methodOf(task).result === 'regression';
  const told = ({ angle }: Moved) => `${short(angle)} ${isRegression ? 'of their length' : 'rad'}`;
  const what = isRegression ? 'moves the weights of its regression' : 'turns its components';
  const own = moved.find((it) => it.fractionBits === fractionBits)!;
  const others = moved.filter((it) => it !== own && it.fractionBits >= DEFAULT_FRACTION_BITS);
  const hangs = own.angle > TURNED;
  const isWorth = hangs || others.some(({ angle }) => angle > TURNED);
  const rest = others.map((it) => `${told(it)} to 2^-${it.fractionBits}`).join(', ');
  return [
    `rounding the sample to 2^-${fractionBits} ${what} by ${told(own)}${isWorth ? ` (${rest})` : ''}${hangs ? ': the result hangs on the rounding, as where features follow from each other or eigenvalues are nearly equal; a larger ridge, fewer components or other features hang on it less' : ''}`,
  ];
}

function short(value: number): string {
  return value === 0 ? '0' : value.toExponential(0);
}
