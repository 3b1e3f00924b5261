/** The WebAssembly of the trees: from rows to leaves to masks, around the passes of the permutation. See hash.ts. */
import {
  add,
  addHalves,
  andVector,
  constant,
  type FunctionSource,
  get,
  load,
  loadNumber,
  NUMBER,
  repeat,
  set,
  store,
  VECTOR,
  vector,
  wide,
  xor,
} from '../garbling/assembler.ts';
import { BLOCK_BYTES } from '../oblivious-transfer/hash.ts';
import { advance, DELTA_ADDRESS, DIGIT_TABLE_BYTES, maskOf } from './memory.ts';

const ROW_PAIR_BYTES = 2 * BLOCK_BYTES;

function nodesFunction(name: string, both: boolean): FunctionSource {
  const [nodes, rows, n, delta] = [0, 1, 2, 3];
  return {
    name,
    parameters: [NUMBER, NUMBER, NUMBER],
    locals: [VECTOR],
    body: [
      set(delta, load(constant(DELTA_ADDRESS))),
      repeat(n, [
        store(get(nodes), load(get(rows))),
        both ? store(get(nodes), xor(load(get(rows)), get(delta)), BLOCK_BYTES) : [],
        advance(nodes, both ? 2 * BLOCK_BYTES : BLOCK_BYTES),
        advance(rows, ROW_PAIR_BYTES),
      ]),
    ],
  };
}

function tweakFunction(name: string, nodes: number): FunctionSource {
  const [d, a, n, tweak] = [0, 1, 2, 3];
  return {
    name,
    parameters: [NUMBER, NUMBER, NUMBER],
    locals: [VECTOR],
    body: repeat(n, [
      Array.from({ length: nodes }, (_, i) =>
        store(get(d), xor(load(get(a), i * BLOCK_BYTES), get(tweak)), i * BLOCK_BYTES),
      ),
      set(tweak, addHalves(get(tweak), vector(1))),
      advance(d, nodes * BLOCK_BYTES),
      advance(a, nodes * BLOCK_BYTES),
    ]),
  };
}

function growAllFunction(): FunctionSource {
  const [leaves, corrections, nodes, first, second, rows, n, left, right] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
  const hashed = (offset: number) => xor(load(get(first), offset), load(get(second), offset));
  return {
    name: 'growAll',
    parameters: [NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER],
    locals: [VECTOR, VECTOR],
    body: repeat(n, [
      set(left, hashed(0)),
      set(right, hashed(BLOCK_BYTES)),
      store(get(leaves), get(left)),
      store(get(leaves), xor(get(left), load(get(nodes))), BLOCK_BYTES),
      store(get(leaves), get(right), 2 * BLOCK_BYTES),
      store(get(leaves), xor(get(right), load(get(nodes), BLOCK_BYTES)), 3 * BLOCK_BYTES),
      store(get(corrections), xor(get(left), get(right), load(get(rows), BLOCK_BYTES))),
      advance(leaves, 4 * BLOCK_BYTES),
      advance(corrections, BLOCK_BYTES),
      [nodes, first, second].map((pointer) => advance(pointer, 2 * BLOCK_BYTES)),
      advance(rows, ROW_PAIR_BYTES),
    ]),
  };
}

function growKnownFunction(): FunctionSource {
  const [leaves, corrections, nodes, first, second, rows, choices, n, across] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
  return {
    name: 'growKnown',
    parameters: [NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER],
    locals: [VECTOR],
    body: repeat(n, [
      // The known node's leaf on the side that the second choice names: both bits differ from the hidden leaf's.
      set(
        across,
        xor(
          load(get(first)),
          load(get(second)),
          andVector(load(get(nodes)), maskOf(add(get(choices), constant(1)))),
        ),
      ),
      store(get(leaves), xor(load(get(corrections)), load(get(rows), BLOCK_BYTES), get(across))),
      store(get(leaves), xor(get(across), load(get(nodes))), BLOCK_BYTES),
      store(get(leaves), get(across), 2 * BLOCK_BYTES),
      advance(leaves, 3 * BLOCK_BYTES),
      [corrections, nodes, first, second].map((pointer) => advance(pointer, BLOCK_BYTES)),
      advance(rows, ROW_PAIR_BYTES),
      advance(choices, 2),
    ]),
  };
}

function spreadFunction(name: string, leaves: number): FunctionSource {
  const [d, table, first, n, tweak, block, running, start, image] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
  return {
    name,
    parameters: [NUMBER, NUMBER, NUMBER, NUMBER, 'real'],
    locals: [NUMBER, VECTOR, VECTOR, VECTOR],
    body: [
      set(running, wide(get(tweak))),
      repeat(n, [
        set(start, get(running)),
        Array.from({ length: leaves }, (_, leaf) => [
          set(running, get(start)),
          set(image, load(get(first), leaf * BLOCK_BYTES)),
          set(block, loadNumber(get(table), 12)),
          repeat(block, [
            store(get(d), xor(get(image), get(running))),
            set(running, addHalves(get(running), vector(1))),
            advance(d, BLOCK_BYTES),
          ]),
        ]),
        advance(first, leaves * BLOCK_BYTES),
        advance(table, DIGIT_TABLE_BYTES),
      ]),
    ],
  };
}

function feedFunction(name: string, leaves: number): FunctionSource {
  const [d, table, first, n, block, image] = [0, 1, 2, 3, 4, 5];
  return {
    name,
    parameters: [NUMBER, NUMBER, NUMBER, NUMBER],
    locals: [NUMBER, VECTOR],
    body: repeat(n, [
      Array.from({ length: leaves }, (_, leaf) => [
        set(image, load(get(first), leaf * BLOCK_BYTES)),
        set(block, loadNumber(get(table), 12)),
        repeat(block, [store(get(d), xor(load(get(d)), get(image))), advance(d, BLOCK_BYTES)]),
      ]),
      advance(first, leaves * BLOCK_BYTES),
      advance(table, DIGIT_TABLE_BYTES),
    ]),
  };
}

export const TREE_FUNCTIONS: readonly FunctionSource[] = [
  nodesFunction('bothNodes', true),
  nodesFunction('knownNodes', false),
  tweakFunction('tweakBoth', 2),
  tweakFunction('tweakKnown', 1),
  growAllFunction(),
  growKnownFunction(),
  spreadFunction('spreadAll', 4),
  spreadFunction('spreadKnown', 3),
  feedFunction('feedAll', 4),
  feedFunction('feedKnown', 3),
];
