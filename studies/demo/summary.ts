/** The summary that the demo prints for people. */

import type { ProjectionKind } from '@eigenveil/methods';
import Table from 'cli-table3';
import colours from 'picocolors';
import type { KeptPages } from './kept.ts';
import type { Comparison } from './reference.ts';

interface DemoResult extends Comparison {
  readonly method: ProjectionKind;
  /** Methods of the tasks that it stands on, the first of the chain first. */
  readonly after?: readonly ProjectionKind[];
  readonly components: number;
  readonly seconds: number;
}

/** For people: PCA, or of a chain PCA → DCA. */
export const nameOf = (result: Pick<DemoResult, 'method' | 'after'>): string =>
  methodsOf(result)
    .map((method) => method.toUpperCase())
    .join(' → ');

/** For files: pca, or of a chain pca-dca. */
export const keyOf = (result: Pick<DemoResult, 'method' | 'after'>): string => methodsOf(result).join('-');

const methodsOf = ({ method, after = [] }: Pick<DemoResult, 'method' | 'after'>) => [...after, method];

export interface RoleTimes {
  readonly name: string;
  readonly ownerMilliseconds: number;
  readonly contributionBytes: number;
  readonly stages: Readonly<Record<string, number>>;
}

export interface Summary {
  readonly dataset: string;
  readonly samples: number;
  readonly features: number;
  readonly owners: number;
  readonly keyBits: number;
  readonly twoParty: string;
  readonly totalSeconds: number;
  /** The source of private ranges, in words; absent where they are the file's. */
  readonly ranges?: string;
  readonly results: readonly DemoResult[];
}

/** `86.17 % of the variance`, or for a method that distinguishes classes `61.94 % by class`; and what the exact result keeps. */
export function keptInWords({ of, part, exact }: Comparison['kept']): readonly [own: string, exact: string] {
  const percent = (kept: number) => `${(100 * kept).toFixed(2)} %`;
  return [`${percent(part)} ${of === 'variance' ? 'of the variance' : 'by class'}`, percent(exact)];
}

const PLAIN = { style: { head: [], border: [] } };

export function printSummary(report: Summary, times: readonly RoleTimes[], out: string): void {
  const { dataset, samples, features, owners, keyBits, twoParty, totalSeconds, results } = report;
  const accuracy = new Table({
    ...PLAIN,
    head: [
      'method',
      'components',
      'angle, rounded',
      'angle, as they are',
      'largest |Δλ|/λ₁',
      'kept',
      'exact',
      'seconds',
    ],
  });
  for (const result of results) {
    const { components, maxAngle, maxAngleUnrounded, maxEigenvalueError, kept, seconds } = result;
    accuracy.push([
      nameOf(result),
      components,
      `${maxAngle.toExponential(1)} rad`,
      `${maxAngleUnrounded.toExponential(1)} rad`,
      maxEigenvalueError.toExponential(1),
      ...keptInWords(kept),
      seconds.toFixed(2),
    ]);
  }
  const roles = new Table({
    ...PLAIN,
    head: [
      'method',
      'owner: contribute',
      'sent per owner',
      'data user: add, blind',
      'CSP: unblind',
      'decompose',
    ],
  });
  for (const { name, ownerMilliseconds, contributionBytes, stages } of times) {
    const { aggregate = 0, unblind = 0, decompose = 0 } = stages;
    const ms = (value: number) => `${value.toFixed(0)} ms`;
    roles.push([
      name,
      ms(ownerMilliseconds),
      `${(contributionBytes / 1024).toFixed(1)} KiB`,
      ms(aggregate),
      ms(unblind),
      ms(decompose),
    ]);
  }
  process.stdout.write(`
${colours.bold(`${dataset}: ${samples} rows × ${features} features, ${owners} owners, ${keyBits}-bit keys`)}

Against the clear decomposition of the pooled rows, which is exact:
${accuracy.toString()}

Times per role (an owner's is the median while all work at once):
${roles.toString()}

Angles are the largest to the components of the same rows, rounded as owners round them, and of the rows as they are. The floor is in them,
the noise that both servers add.
Kept is what the method is for: of a PCA the part of the variance; of DCA and LDA what classes explain of the scores. Exact is what it would be
without the floor.
${rangesOf(report)}
Results: ${results.map((result) => `${out}/${keyOf(result)}/projection.json`).join(', ')}; each owner's reduced rows beside them.
All of it as a page with plots: ${out}/report.html
Everything took ${totalSeconds.toFixed(1)} s.
The two-party protocol was \`${twoParty}\`.
`);
  if (twoParty === 'simulated') {
    process.stdout.write(
      `${colours.bold(colours.red('It is NOT private: the data user saw the pooled statistics.'))}\n`,
    );
  }
  if (keyBits < 2048) process.stdout.write(colours.red(`Keys of ${keyBits} bits are NOT secure.\n`));
}

function rangesOf({ ranges }: Summary): string {
  if (ranges === undefined)
    return 'Ranges of the features are the minima and maxima of the file: public metadata here.';
  return `No range was known beforehand: ${ranges}.`;
}

/** The ways to use services that go on: on their pages, and by hand. */
export function printKept(commands: readonly string[], pages: KeptPages, asJson: boolean): void {
  if (asJson) {
    process.stdout.write(`${JSON.stringify({ commands, pages })}\n`);
    return;
  }
  const { console: address, operatorTokenFile, invitations, fingerprint, chromium } = pages;
  process.stdout.write(`
${colours.bold('The CSP and the data user go on until Ctrl-C, which removes all they keep.')}

${colours.bold("The operator's console:")} ${address}
Its token: cat ${operatorTokenFile}

${colours.bold('The page of the data owners:')} each link invites another, who has the rows beside it and ignores the column of labels.
${invitations.map(({ link, rows }) => `${link}\n    ${rows}`).join('\n')}

Both pages show a certificate of this run's own, at which browsers warn. This Chromium takes its key and no other, in a profile that goes with the
run; give it one address more:
${chromium}
In another browser, first compare the certificate's SHA-256 fingerprint:
${fingerprint}

From another terminal, in this folder:

${commands.join('\n')}
`);
}
