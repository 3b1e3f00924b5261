/** The form of an experiment: who attacks what, with what in sight, beside which control; and its outcome before anything is judged. */
import type { Block } from '../instrument/report/document.ts';
import type { BundledScene, Scene } from './scene.ts';

/** The id of a claim: S in SECURITY.md and docs/security, P in docs/privacy.md. */
export type ClaimId = `S-${number}` | `P-${number}`;

/** Columns of the report's matrix. A recipient is whoever gets a released projection or reduced rows; a coalition is several roles together. */
export const ATTACKERS = ['data user', 'CSP', 'data owner', 'network', 'recipient', 'coalition'] as const;
export type Attacker = (typeof ATTACKERS)[number];

/** Rows of the report's matrix. */
export const SECRETS = [
  'values of rows',
  'private label',
  'membership',
  'statistics of an owner',
  'pooled statistics',
  'classes and counts',
  'result',
] as const;
export type Secret = (typeof SECRETS)[number];

export const KINDS = ['simulation', 'attack', 'audit', 'network', 'deviation'] as const;
export type Kind = (typeof KINDS)[number];

/**
 * - `holds`: claims promise it; `broken` refutes them.
 * - `admitted`: the documents admit the leak; the experiment measures its size.
 * - `control`: known to be broken. Every other verdict than `broken` says that the instrument is blind, and the run is invalid.
 */
export const EXPECTATIONS = ['holds', 'admitted', 'control'] as const;
export type Expectation = (typeof EXPECTATIONS)[number];

export const UNITS = ['row', 'person', 'owner', 'run'] as const;
export type Unit = (typeof UNITS)[number];

export type Effort = 'quick' | 'full';

/** The words on an experiment in the report; the words of those that the project has are on pages beside them: see `worded`. */
export interface Words {
  /** The thing that is tried, as a short sentence. */
  readonly title: string;
  /** The things that the attacker has of the task, … */
  readonly sees: string;
  /** … and what it knows beforehand. */
  readonly knows: string;
  /** The same attack on whom it cannot concern, such as people who were not in the data. */
  readonly control: string;
  /** The success of a guess without any access. */
  readonly baseline: string;
}

export interface Experiment extends Words {
  /** Unique and stable, such as `reconstruction-linear`. */
  readonly id: string;
  readonly kind: Kind;
  readonly attacker: Attacker;
  readonly secret: Secret;
  readonly expectation: Expectation;
  /** The claims that `broken` would refute; of an admitted leak, those that admit it; of a control, those whose experiments it stands beside. */
  readonly claims: readonly ClaimId[];
  /** The unit that `n` counts, and that is drawn again in a bootstrap or a permutation: values within one depend on each other. */
  readonly unit: Unit;
  /** Experiments of one word share work, such as recorded runs: they run in one process, one after the other. */
  readonly together?: string;
  /** The scenes that it runs over when nobody brings data. */
  readonly scenes: readonly BundledScene[];
  /** Returns why it has nothing to say about such a scene (`no private label`); undefined where it runs. Asked of everybody's scenes. */
  omits?(scene: Scene): string | undefined;
  run(setting: Setting): Promise<Outcome>;
}

/** An experiment whose words are on a page. */
export interface Unworded extends Omit<Experiment, keyof Words> {
  /** The terms that its words name as `{{…}}`. */
  readonly terms?: Readonly<Record<string, number | string>>;
}

export interface Setting {
  readonly scene: Scene;
  readonly effort: Effort;
  /** Everything that is drawn comes from here, so that a seed repeats a run. Not secret, and no key's: real runs draw theirs themselves. */
  readonly seed: string;
  /** Where to keep what the user may want beside the report: of a task of the user's own, undefined of bundled scenes. */
  readonly folder?: string;
  /** Says what is going on within a long experiment. */
  readonly note: (text: string) => void;
}

export type Outcome = Trials | Test;

interface Shown {
  /** Figures beside the verdict, by name: errors, sizes, what was left out. */
  readonly facts?: Readonly<Record<string, number | string>>;
  /** Pictures and tables for the report. */
  readonly blocks?: readonly Block[];
}

/** Successes of an attack, one number in [0, 1] for each unit: 1 is a full success, and the mean is the attack's success. */
export interface Trials extends Shown {
  readonly kind: 'trials';
  readonly attack: readonly number[];
  /** As many units as there were of others; a public chance, such as 1/2, is as many units of that value. */
  readonly control: readonly number[];
  /** The control is no sample but a public chance, the same in every unit, so that nothing about it is in doubt. */
  readonly chance?: true;
  /** Unit i of attack and of control are about the same person, owner or run, so that they are drawn together. */
  readonly paired?: true;
  /** The mean success of a guess without access. */
  readonly baseline: number;
  /** The way in which the noise of this machine hides what was planted, in words: for a control that hangs on real time and was not found. */
  readonly tooNoisy?: string;
}

/** A test of the hypothesis that there is nothing to see, such as real views against simulated ones. */
export interface Test extends Shown {
  readonly kind: 'test';
  readonly p: number;
  /** Whole runs on either side together. */
  readonly n: number;
  /** The distance that was seen, with an interval, in the test's own unit: 0 is none, 1 is a certain difference. */
  readonly distance: { readonly value: number; readonly low: number; readonly high: number };
  /** The smallest planted leak that such a test finds with power 0.8, in words and as a number: silence says nothing about smaller ones. */
  readonly detectable: { readonly leak: string; readonly size: number } | undefined;
}
