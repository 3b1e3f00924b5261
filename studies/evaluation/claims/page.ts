/** The page that lists every claim with the experiments and tests that would refute it, and what they said last. */
import { anchors, escapeMarkdown } from '../../instrument/report/text.ts';
import type { ClaimId, Experiment } from '../experiment.ts';
import { shortTextOf, wordOf } from '../report/records.ts';
import type { CaseResult, ExperimentResult } from '../result.ts';
import { CLAIM_DOCUMENTS } from './documents.ts';
import type { Claim } from './read.ts';

/** The place of the page in the checkout. Its links lead from there. */
export const CLAIMS_PAGE = 'docs/security/claims.md';
const TO_ROOT = '../../';
const REPORT = '../evaluation/report.md';

/** The sources of the page. */
export interface ClaimSources {
  readonly claims: readonly Claim[];
  readonly experiments: readonly Pick<Experiment, 'id' | 'claims' | 'expectation'>[];
  /** Text of the test files, by path. */
  readonly tests: ReadonlyMap<string, string>;
  /** Experiments of the kept run, and its day. */
  readonly kept: { readonly experiments: readonly ExperimentResult[]; readonly day: string };
}

/**
 * Claims are joined with experiments by id alone: the kept run may be of a commit at which they stood elsewhere.
 * @throws Error when an experiment or a test names a claim that no document has
 */
export function claimsPage({ claims, experiments, tests, kept }: ClaimSources): string {
  const known = new Set<string>(claims.map(({ id }) => id));
  const byExperiment = namedBy(
    experiments.flatMap(({ id, claims: named, expectation }) =>
      expectation === 'control' ? [] : named.map((claim) => [claim, id] as const),
    ),
  );
  const byTest = namedBy(
    [...tests].flatMap(([path, text]) => namedIn(text).map((claim) => [claim, path] as const)),
  );
  for (const [named, places] of [...byExperiment, ...byTest])
    if (!known.has(named)) throw new Error(`${places[0]} names ${named}, which no document has`);
  const results = new Map(kept.experiments.map((one) => [one.id, one]));
  const rows = claims.map((claim) => {
    const tried = (byExperiment.get(claim.id) ?? []).map((id) => experimentIn(id, results.get(id)));
    const tested = (byTest.get(claim.id) ?? []).map((path) => `[${nameOf(path)}](${TO_ROOT}${path})`);
    return { claim, tried, tested };
  });
  const count = (which: (row: (typeof rows)[number]) => boolean) => rows.filter(which).length;
  return [
    '# Claims',
    'Every claim of [SECURITY.md](../../SECURITY.md), its pages and [privacy.md](../privacy.md), with the experiments that could refute it, or that measure what it admits, and the tests that would fail if it were wrong. `npm run figures` writes this page.',
    [
      `Of ${rows.length} claims, ${count(({ tried }) => tried.length > 0)} have an experiment,`,
      `${count(({ tried, tested }) => tried.length === 0 && tested.length > 0)} more have a test, and`,
      `${count(({ tried, tested }) => tried.length === 0 && tested.length === 0)} were checked by review alone.`,
      `Verdicts are those of [the run of ${kept.day}](${REPORT}).`,
      'Behind a verdict stands the excess of the attack over its control, or the distance between real and simulated views, with its interval: of the scene where it was largest.',
      '[What a verdict says](../evaluation.md#what-a-verdict-says).',
    ].join(' '),
    ...CLAIM_DOCUMENTS.flatMap((document) => {
      const own = rows.filter(({ claim }) => claim.document === document);
      return own.length === 0 ? [] : [`## ${document}`, tableOf(own)];
    }),
    '',
  ].join('\n\n');
}

function tableOf(
  rows: readonly { claim: Claim; tried: readonly string[]; tested: readonly string[] }[],
): string {
  const lines = rows.map(({ claim: { id, document, heading, text }, tried, tested }) => {
    const refuted = [...tried, ...tested.map((link) => `test: ${link}`)];
    const place = `${TO_ROOT}${document}#${anchors([heading])[0]}`;
    return `| [${id}](${place}) | ${escapeMarkdown(shortTextOf(text))} | ${refuted.join('; ') || 'by review'} |`;
  });
  return ['| claim | what it says | refuted or measured by |', '| --- | --- | --- |', ...lines].join('\n');
}

function experimentIn(id: string, result: ExperimentResult | undefined): string {
  if (result === undefined) return `\`${id}\`: in no kept run`;
  const [anchor] = anchors([result.title.replaceAll('`', '').replace(/\.$/, '')]);
  const largest = result.cases.reduce<CaseResult | undefined>(
    (worst, one) => (worst === undefined || sizeOf(one) > sizeOf(worst) ? one : worst),
    undefined,
  );
  const figure = largest === undefined ? '' : `, ${figureOf(largest)}`;
  return `[${id}](${REPORT}#${anchor}): ${wordOf(result)}${figure}`;
}

const sizeOf = (one: CaseResult): number => (one.kind === 'test' ? one.success : one.excess);

function figureOf(one: CaseResult): string {
  const [low, high] = one.kind === 'test' ? one.interval : one.excessInterval;
  const [size, from, to] = [sizeOf(one), low, high].map((value) =>
    value
      .toFixed(2)
      .replace(/^-(?=.*[1-9])/, '−')
      .replace('-', ''),
  );
  return `${size} (${from} to ${to})`;
}

/** A test names claims in a comment, behind the tag `claims`. */
function namedIn(test: string): ClaimId[] {
  return [...test.matchAll(/^\s*(?:\/\*\*|\*|\/\/).*?@claims((?:[\s*,]+[SP]-[1-9]\d*)+)/gm)].flatMap(
    ([, ids]) => ids!.match(/[SP]-\d+/g) as ClaimId[],
  );
}

const nameOf = (path: string): string => path.replace(/^.*\//, '').replace(/\.test\.tsx?$/, '');

/** Names by claim, each once. */
function namedBy(pairs: readonly (readonly [claim: ClaimId, name: string])[]): Map<ClaimId, string[]> {
  const named = new Map<ClaimId, Set<string>>();
  for (const [claim, name] of pairs) named.set(claim, (named.get(claim) ?? new Set()).add(name));
  return new Map([...named].map(([claim, names]) => [claim, [...names]]));
}
