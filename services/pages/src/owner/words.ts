/** Messages of code that the command line has, too, in the words of this page: where they name an option, the page has a field. */

/** Labels of the fields about files, here since messages name them, too. */
export const FILE_LABELS = {
  separator: 'What stands between cells',
  decimal: 'What stands before fractions',
  trim: 'Pass over blanks around cells',
  missing: 'Leave out rows in which a cell is missing',
  numericLabels: 'Take 2.0 for the class 2',
  strict: 'Refuse cells outside of their range, instead of clipping them',
  ignore: 'Columns to leave out',
  dataset: 'Name of these rows',
  discard: 'Give up what was prepared from other rows',
} as const;

const WORDS: readonly (readonly [RegExp, string])[] = [
  [/--separator (\w+)/g, `“${FILE_LABELS.separator}”: $1`],
  [/--separator/g, `“${FILE_LABELS.separator}”`],
  [/--decimal comma/g, `“${FILE_LABELS.decimal}”: comma`],
  [/--trim/g, `“${FILE_LABELS.trim}”`],
  [/--missing skip/g, `“${FILE_LABELS.missing}”`],
  [/--numeric-labels/g, `“${FILE_LABELS.numericLabels}”`],
  [/--discard-pending/g, `“${FILE_LABELS.discard}”`],
  [/, and only --allow-simulated allows it/g, ', and your policy does not name it'],
  [/say it(.*?) with "eigenveil-owner budget set[^"]*"/g, 'say it$1 under “Policy”'],
  [/another --dataset/g, `another “${FILE_LABELS.dataset}”`],
  [/: run "eigenveil-owner enrol" first/g, ': enrol first'],
  [/, repeat with --csp-url/g, ': enrol again by a link of the CSP'],
  [/: give the --home that contributed, or a copy of it/g, ': it was contributed by another device'],
  [
    /since this state is in memory: after a restart/g,
    'since this browser may forget what it has sent: afterwards',
  ],
  [/; keep the state in a folder \(OwnerHome\)/g, ''],
  [/the owner's folder/g, 'this browser'],
];

export function pageWords(message: string): string {
  return WORDS.reduce((text, [from, to]) => text.replaceAll(from, to), message);
}
