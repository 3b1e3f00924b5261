/** What several audits of one promise come to: the worst of them decides. */
import type { Table } from '../../../../instrument/report/document.ts';
import type { Effort, Test } from '../../../experiment.ts';
import { LEVELS } from '../../../judging/verdicts.ts';
import type { Audited, detectable, PrivacyPromise } from './audit.ts';

/** With so large a δ few runs prove most of ε; the stage is the same for others, but for the deviation of its noise. */
export const PROMISE: PrivacyPromise = { epsilon: 1, dpDelta: 0.01 };
export const RUNS = { quick: 2500, full: 50_000 } as const;
/** Faults are large enough for few. */
export const RUNS_OF_FAULTS = { quick: 2500, full: 10_000 } as const;
/** `detectable` is told at the level that decides: Holm's first step over about so many experiments. */
const FAMILY = 100;

/** One audit of several. */
interface AuditedCase {
  readonly method: string;
  readonly neighbours: 'add-remove' | 'replace';
  readonly audited: Audited;
  readonly found: ReturnType<typeof detectable>;
}

/** At which each of so many audits of an experiment is to find what it says that it would find. */
export function levelOf(effort: Effort, audits: number): number {
  return LEVELS[effort] / FAMILY / audits;
}

/** @param runs of each audit */
export function outcomeOf(audits: readonly AuditedCase[], runs: number): Test {
  const worst = audits.reduce((a, b) => (b.audited.p < a.audited.p ? b : a));
  const least = Math.max(...audits.map(({ found }) => found.epsilon));
  return {
    kind: 'test',
    // Bonferroni's correction.
    p: Math.min(1, audits.length * worst.audited.p),
    n: audits.length * runs,
    distance: worst.audited.distance,
    detectable: {
      leak: `noise that gives ε = ${least.toFixed(2)} in place of ${PROMISE.epsilon}`,
      size: least,
    },
    facts: {
      'ε promised': PROMISE.epsilon,
      'δ promised': PROMISE.dpDelta,
      'largest ε proven (95 %)': Number(Math.max(...audits.map(({ audited }) => audited.proven)).toFixed(3)),
      'largest ε that these runs could prove (95 %)': Number(worst.audited.provable.toFixed(2)),
      'runs per method and relation': runs,
    },
    blocks: [tableOf(audits)],
  };
}

function tableOf(audits: readonly AuditedCase[]): Table {
  return {
    kind: 'table',
    caption: `ε that the runs prove to be exceeded at least (95 %, each by itself), of a promise of ε = ${PROMISE.epsilon} and δ = ${PROMISE.dpDelta}; and the ε of noise that is too small which they would find with power 0.8.`,
    columns: [
      { title: 'method', align: 'left' },
      { title: 'neighbours', align: 'left' },
      { title: 'event, with the row', align: 'right' },
      { title: 'event, without it', align: 'right' },
      { title: 'ε proven', align: 'right' },
      { title: 'p of the promise', align: 'right' },
      { title: 'would be found', align: 'right' },
    ],
    rows: audits.map(({ method, neighbours, audited, found }) => [
      method,
      neighbours,
      `${audited.counts.left}`,
      `${audited.counts.right}`,
      audited.proven.toFixed(2),
      audited.p.toPrecision(2),
      found.epsilon.toFixed(2),
    ]),
  };
}
