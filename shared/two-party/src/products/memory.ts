/** Fixed places in the memory of a product, and instructions that its WebAssembly shares. */
import { add, type Code, constant, get, loadByte, set, spread, subtract } from '../garbling/assembler.ts';

/** Δ. */
export const DELTA_ADDRESS = 0;
/** The address at which the rest of the memory begins. */
export const FREE_ADDRESS = 16;
/**
 * Per digit of a chunk: addresses of its row of the result and of the correlator's row, ring elements, blocks
 * per leaf and one, address and number of the masks.
 */
export const DIGIT_TABLE_BYTES = 24;

/** Moves a pointer on by some bytes. */
export const advance = (pointer: number, bytes: number | Code): Code =>
  set(pointer, add(get(pointer), typeof bytes === 'number' ? constant(bytes) : bytes));

/** All ones where the byte, 0 or 1, is 1. */
export const maskOf = (address: Code): Code => spread(subtract(constant(0), loadByte(address)));
