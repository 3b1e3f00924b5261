/** What a method of the laboratory is: how it finds components, and what it promises of the rows. */

import type { RandomSource } from '@eigenveil/privacy';

export type Row = readonly number[];
/** The rows of one data owner, each with ‖x‖₂ <= 1. */
export type Site = readonly Row[];

export interface PcaSetting {
  /** At least one and at most as many as features. */
  readonly components: number;
  /** Infinity: no noise. */
  readonly epsilon: number;
  /** Of methods that are not pure. */
  readonly dpDelta: number;
}

/** Methods are compared within a panel: across, the promises differ. */
export type Panel =
  /** (ε, δ), once for all rows together. */
  | 'approximate'
  /** (ε, 0), once for all rows together. */
  | 'pure'
  /** Each row is protected by its own owner, who trusts nobody. */
  | 'local';

/** Data for a table: what is promised, to whom, and of which part of the computation. */
export interface PcaPromise {
  /** Data sets that must not be told apart: one row more or less, or one row that is another. */
  readonly neighbours: 'add-remove' | 'replace' | 'none';
  readonly epsilon: 'none' | 'pure' | 'approximate';
  /** Who sees more than the result, and so must be trusted. */
  readonly trust: string;
  /** Whether the mean that rows are centred by is part of the promise. */
  readonly means: 'protected' | 'not protected' | 'not needed';
  readonly counts: 'protected' | 'public';
  /** Where the promise as published does not hold, or what was assumed where a publication could not be read. */
  readonly remarks: string;
}

export interface PcaMethod {
  readonly name: string;
  readonly title: string;
  readonly reference: string;
  readonly panel: Panel;
  /** Whether the quality of the result depends on how rows are spread over sites. */
  readonly dependsOnSites: boolean;
  readonly promise: PcaPromise;
  /** Orthonormal components, the strongest first; undefined where the method gives up. */
  run(source: RandomSource, sites: readonly Site[], setting: PcaSetting): number[][] | undefined;
}
