/** The roles of a sample's columns: those that a column can have, and the probable one. */
import type { DraftOptions, Sample, SampleColumn } from '@eigenveil/data-user/draft';
import { LABELLINGS } from '@eigenveil/task';
import { LIMITS, type MethodName } from '@eigenveil/task/schema';

/** `first` means the labels, and with MDR the utility labels; `second` means the privacy labels of MDR. */
export type Role = 'feature' | 'first' | 'second' | 'out';

/** A column with more different texts is probably a name, and not a label. */
const PROBABLE_LABELS = 20;

/**
 * Returns probable roles. Columns of numbers are features, except those that look like labels; these and
 * columns of texts are labels where the method takes some. The rest is left out.
 */
export function probableRoles({ columns }: Sample, method: MethodName): Role[] {
  let labels: number = LABELLINGS[method];
  let role: Role = 'first';
  return columns.map((column) => {
    const isText = column.noFeature !== undefined;
    if (!isText && column.labelLike === undefined) return 'feature';
    const isProbable = problemOf(column, 'first') === null && (column.labels?.length ?? 0) <= PROBABLE_LABELS;
    if (labels === 0 || !isProbable) return 'out';
    const given = role;
    labels -= 1;
    role = 'second';
    return given;
  });
}

const CELLS = {
  missing: 'is missing',
  'no number': 'is no number',
  blanks: 'has blanks around it',
  long: 'is too long for a label',
  type: 'is neither a number nor a text',
} as const;

/** Returns the reason for which a column cannot have a role, or null where it can. */
export function problemOf({ noFeature, noLabel, labels }: SampleColumn, role: Role): string | null {
  if (role === 'out') return null;
  const cell = role === 'feature' ? noFeature : noLabel;
  if (cell !== undefined) return `its cell in row ${cell.row} ${CELLS[cell.kind]}`;
  if (role === 'feature') return null;
  if (labels === undefined) return `it has more than ${LIMITS.classes} different labels`;
  return labels.length < 2 ? 'it has one label alone' : null;
}

/** Returns a warning about a column that looks like labels and is a feature nevertheless. */
export function warningOf({ labelLike }: SampleColumn, role: Role): string | null {
  return labelLike !== undefined && role === 'feature'
    ? `it looks like a label, with ${labelLike} different whole numbers: such a feature makes the others worthless`
    : null;
}

/**
 * Returns labels in the order that the method takes them, and the columns that are left out.
 * @returns the fault in a sentence, where the labels are too few or too many
 */
export function choiceOf(
  { columns }: Sample,
  roles: readonly Role[],
  method: MethodName,
): Pick<DraftOptions, 'method' | 'labels' | 'ignore'> | string {
  const named = (role: Role) => columns.flatMap(({ name }, i) => (roles[i] === role ? [name] : []));
  const [first, second] = [named('first'), named('second')];
  const wanted = LABELLINGS[method];
  if (first.length !== Math.min(1, wanted))
    return wanted === 0
      ? 'This method takes no labels: leave label columns out.'
      : `One column has to be the ${wanted === 2 ? 'utility labels' : 'labels'}, and ${first.length === 0 ? 'none is' : 'several are'}.`;
  if (second.length !== Math.max(0, wanted - 1))
    return wanted === 2
      ? 'One other column has to be the privacy labels.'
      : 'This method takes no privacy labels.';
  if (named('feature').length === 0) return 'At least one column has to be a feature.';
  return { method, labels: [...first, ...second], ignore: named('out') };
}
