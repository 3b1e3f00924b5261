/**
 * The work of a product on bytes, in one WebAssembly memory. Nothing in it branches or addresses memory by a
 * secret.
 */
import { assemble, PAGE_BYTES } from '../garbling/assembler.ts';
import type { DigitBits } from './layout.ts';
import { NARROW_WIDTHS, narrowFunctions } from './narrow-kernels.ts';
import { PAIRS, ringFunctions } from './ring-kernels.ts';
import { treeFunctions } from './tree-kernels.ts';

/**
 * The part of the WebAssembly interface that this file uses, which the type library of the language does not
 * declare.
 */
declare const WebAssembly: {
  Memory: new (size: { initial: number; maximum: number }) => { readonly buffer: ArrayBuffer };
  Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  Instance: new (
    module: object,
    imports: { m: { m: { readonly buffer: ArrayBuffer } } },
  ) => { exports: object };
};

/**
 * Addresses are in bytes; `n` digits, at least 1. See ring-kernels.ts for the table.
 */
export interface Kernels {
  /** The correlator's nodes q, q ⊕ Δ, from rows q, q′. */
  bothNodes(nodes: number, rows: number, n: number): void;
  /** The chooser's node: the first row of each digit. */
  knownNodes(nodes: number, rows: number, n: number): void;
  /** d = a ⊕ (tweak + i) for the nodes of digit i, `nodes` of them. */
  tweak(d: number, a: number, n: number, nodes: number, tweak: number): void;
  /**
   * Two children for each of a digit's `count` nodes, and a correction for the chooser, from the nodes and
   * both passes of the permutation.
   */
  growAll(
    children: number,
    corrections: number,
    nodes: number,
    first: number,
    second: number,
    rows: number,
    n: number,
    count: number,
  ): void;
  /** Grows the `count` nodes that the chooser knows: number x ⊕ 1, x ⊕ 2, …, where x is the hidden one. */
  growKnown(
    children: number,
    corrections: number,
    nodes: number,
    first: number,
    second: number,
    rows: number,
    choices: number,
    n: number,
    count: number,
  ): void;
  /**
   * Spreads the blocks first ⊕ tweak of each digit and leaf; `first` is the leaf's image under the
   * permutation.
   */
  spreadAll(d: number, table: number, first: number, n: number, tweak: number): void;
  spreadKnown(d: number, table: number, first: number, n: number, tweak: number): void;
  /** Adds up `n` sums' carries and multiplies by 2^bits. */
  settle(sums: number, n: number, bits: number): void;
  settleNarrow(sums: number, n: number, bits: number): void;
  /** See ring-kernels.ts: by the number of pairs of lanes that the pass needs, less one. */
  readonly correlate: readonly Correlate[];
  readonly choose: readonly Choose[];
  /** See narrow-kernels.ts: by the bytes of an element in the pass, less one. */
  readonly correlateNarrow: readonly Correlate[];
  readonly chooseNarrow: readonly Choose[];
}

type Correlate = (table: number, masks: number, correlations: number, width: number, n: number) => void;
type Choose = (
  table: number,
  masks: number,
  correlations: number,
  width: number,
  choices: number,
  n: number,
) => void;

const MODULES = new Map<DigitBits, object>();

/** Made when it is first asked for: a server mostly needs one of them. */
function moduleFor(digitBits: DigitBits): object {
  const made =
    MODULES.get(digitBits) ??
    new WebAssembly.Module(
      assemble([...treeFunctions(digitBits), ...ringFunctions(digitBits), ...narrowFunctions(digitBits)]),
    );
  MODULES.set(digitBits, made);
  return made;
}

/** A memory, zero at first, and the kernels that work on it, for digits of one length. */
export interface Scratch {
  readonly digitBits: DigitBits;
  readonly memory: Uint8Array<ArrayBuffer>;
  readonly kernels: Kernels;
}

/**
 * The memory that a product has left, wiped, one for each length of digits: the next product takes it. The
 * runtime sees memory of WebAssembly go only when it collects all garbage, and does that for every few
 * megabytes that are new.
 */
const SPARES = new Map<DigitBits, Scratch>();

/** Takes memory of at least `bytes`. */
export function takeScratch(bytes: number, digitBits: DigitBits): Scratch {
  const spare = SPARES.get(digitBits);
  if (spare === undefined || spare.memory.length < bytes) return makeScratch(bytes, digitBits);
  SPARES.delete(digitBits);
  return spare;
}

/** Once, by its only holder, which used as many bytes. */
export function returnScratch(scratch: Scratch, bytes: number): void {
  scratch.memory.fill(0, 0, bytes);
  const spare = SPARES.get(scratch.digitBits);
  if (spare === undefined || spare.memory.length < scratch.memory.length)
    SPARES.set(scratch.digitBits, scratch);
}

function makeScratch(bytes: number, digitBits: DigitBits): Scratch {
  const pages = Math.ceil(bytes / PAGE_BYTES);
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
  const exports = new WebAssembly.Instance(moduleFor(digitBits), { m: { m: memory } }).exports as Omit<
    Kernels,
    'correlate' | 'choose' | 'correlateNarrow' | 'chooseNarrow'
  > &
    Record<string, never>;
  const kernels = {
    ...exports,
    correlate: PAIRS.map((pairs): Correlate => exports[`correlate${pairs}`]!),
    choose: PAIRS.map((pairs): Choose => exports[`choose${pairs}`]!),
    correlateNarrow: NARROW_WIDTHS.map((width): Correlate => exports[`correlateNarrow${width}`]!),
    chooseNarrow: NARROW_WIDTHS.map((width): Choose => exports[`chooseNarrow${width}`]!),
  };
  return { digitBits, memory: new Uint8Array(memory.buffer), kernels };
}
