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
  long,
  NUMBER,
  repeat,
  set,
  shiftLeft,
  shiftRight,
  store,
  VECTOR,
  vector,
  wide,
  widened,
  xor,
} from '../garbling/assembler.ts';
import { BLOCK_BYTES } from '../oblivious-transfer/hash.ts';
import { correctionBytes, type DigitBits, leavesOf } from './layout.ts';
import { advance, DELTA_ADDRESS, DIGIT_TABLE_BYTES, maskOf } from './ring-kernels.ts';

function nodesFunction(digitBits: DigitBits, name: string, both: boolean): FunctionSource {
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
        advance(rows, digitBits * BLOCK_BYTES),
      ]),
    ],
  };
}

function tweakFunction(): FunctionSource {
  const [d, a, n, nodes, tweak, node, running] = [0, 1, 2, 3, 4, 5, 6];
  return {
    name: 'tweak',
    parameters: [NUMBER, NUMBER, NUMBER, NUMBER, 'real'],
    locals: [NUMBER, VECTOR],
    body: [
      set(running, wide(get(tweak))),
      repeat(n, [
        set(node, get(nodes)),
        repeat(node, [
          store(get(d), xor(load(get(a)), get(running))),
          [d, a].map((pointer) => advance(pointer, BLOCK_BYTES)),
        ]),
        set(running, addHalves(get(running), vector(1))),
      ]),
    ],
  };
}

function growAllFunction(digitBits: DigitBits): FunctionSource {
  const [children, corrections, nodes, first, second, rows, n, count] = [0, 1, 2, 3, 4, 5, 6, 7];
  const [node, left, lefts] = [8, 9, 10];
  return {
    name: 'growAll',
    parameters: [NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER],
    locals: [NUMBER, VECTOR, VECTOR],
    body: repeat(n, [
      set(lefts, load(get(rows))),
      set(node, get(count)),
      repeat(node, [
        set(left, xor(load(get(first)), load(get(second)))),
        set(lefts, xor(get(lefts), get(left))),
        store(get(children), get(left)),
        store(get(children), xor(get(left), load(get(nodes))), BLOCK_BYTES),
        advance(children, 2 * BLOCK_BYTES),
        [nodes, first, second].map((pointer) => advance(pointer, BLOCK_BYTES)),
      ]),
      store(get(corrections), get(lefts)),
      advance(corrections, correctionBytes(digitBits)),
      advance(rows, digitBits * BLOCK_BYTES),
    ]),
  };
}

function growKnownFunction(digitBits: DigitBits): FunctionSource {
  const [children, corrections, nodes, first, second, rows, choices, n, count] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
  const [node, next, across, sibling, mask] = [9, 10, 11, 12, 13];
  return {
    name: 'growKnown',
    parameters: [NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER],
    locals: [NUMBER, NUMBER, VECTOR, VECTOR, VECTOR],
    body: repeat(n, [
      set(sibling, xor(load(get(corrections)), load(get(rows)))),
      set(mask, maskOf(get(choices))),
      set(node, get(count)),
      set(next, add(get(children), constant(BLOCK_BYTES))),
      repeat(node, [
        // The node's child on the side that the choice names: the hidden leaf is on the other one.
        set(across, xor(load(get(first)), load(get(second)), andVector(load(get(nodes)), get(mask)))),
        set(sibling, xor(get(sibling), get(across))),
        store(get(next), xor(get(across), load(get(nodes)))),
        store(get(next), get(across), BLOCK_BYTES),
        advance(next, 2 * BLOCK_BYTES),
        [nodes, first, second].map((pointer) => advance(pointer, BLOCK_BYTES)),
      ]),
      store(get(children), get(sibling)),
      set(children, get(next)),
      advance(corrections, correctionBytes(digitBits)),
      advance(rows, digitBits * BLOCK_BYTES),
      advance(choices, digitBits),
    ]),
  };
}

/** Blocks that are written in one turn, as a power of two. */
const TURN_BITS = 2;
const TURN = 2 ** TURN_BITS;

function spreadFunction(name: string, leaves: number): FunctionSource {
  const [d, table, first, n, tweak, blocks, turns, next, running, start, image] = [
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
  ];
  return {
    name,
    parameters: [NUMBER, NUMBER, NUMBER, NUMBER, 'real'],
    locals: [NUMBER, NUMBER, NUMBER, VECTOR, VECTOR, VECTOR],
    body: [
      set(start, wide(get(tweak))),
      repeat(n, [
        set(blocks, loadNumber(get(table), 12)),
        Array.from({ length: leaves }, (_, leaf) => [
          set(running, get(start)),
          set(image, load(get(first), leaf * BLOCK_BYTES)),
          set(next, add(get(d), shiftLeft(get(blocks), constant(4)))),
          set(turns, shiftRight(add(get(blocks), constant(TURN - 1)), constant(TURN_BITS))),
          // The last one may write behind the leaf: there the next leaf comes.
          repeat(turns, [
            Array.from({ length: TURN }, (_, block) => [
              store(get(d), xor(get(image), get(running)), block * BLOCK_BYTES),
              set(running, addHalves(get(running), vector(1))),
            ]),
            advance(d, TURN * BLOCK_BYTES),
          ]),
          set(d, get(next)),
        ]),
        set(start, addHalves(get(start), widened(long(get(blocks))))),
        advance(first, leaves * BLOCK_BYTES),
        advance(table, DIGIT_TABLE_BYTES),
      ]),
    ],
  };
}

export function treeFunctions(digitBits: DigitBits): readonly FunctionSource[] {
  return [
    nodesFunction(digitBits, 'bothNodes', true),
    nodesFunction(digitBits, 'knownNodes', false),
    tweakFunction(),
    growAllFunction(digitBits),
    growKnownFunction(digitBits),
    spreadFunction('spreadAll', leavesOf(digitBits)),
    spreadFunction('spreadKnown', leavesOf(digitBits) - 1),
  ];
}
