/** What is fuzzed: something that takes input from outside, and what must hold of it whatever the input is. */
import { CodedError } from '@eigenveil/platform';
import { type ErrorCode, errorCodeOf } from '@eigenveil/wire';
import fc from 'fast-check';

export interface Target<Input = unknown> {
  readonly name: string;
  readonly inputs: fc.Arbitrary<Input>;
  /** Its part of all inputs: less for what takes longer. */
  readonly weight: number;
  /** Throws when the input has shown a fault. */
  readonly check: (input: Input) => void | Promise<void>;
  /** How a failure is printed. */
  readonly describe: (input: Input) => string;
  readonly close?: () => Promise<void>;
}

/** A target whose input type nobody needs to know any more. */
export function target<Input>(it: Target<Input>): Target {
  return it as Target as Target<unknown>;
}

/** Errors may refuse an input, if they are ours and have a code. */
export function expectRefusal(error: unknown): void {
  if (!(error instanceof CodedError) || error.code === 'ERR_INTERNAL')
    throw new Fault('an error without a stable code', error);
}

/** The same where the error goes to a peer, which knows only the codes of the services and is told no novels. */
export function expectServiceCode(error: unknown): ErrorCode {
  expectRefusal(error);
  const code = errorCodeOf(error);
  if (code === undefined) throw new Fault('a code that is not one of the services', error);
  if (error instanceof Error && error.message.length > LONGEST_MESSAGE)
    throw new Fault('a message of great length', error);
  return code;
}

/** Runs a parser: it may refuse, in our words. Returns what it took, or undefined. */
export function attempt<Result>(parse: () => Result, refusal = expectRefusal): Result | undefined {
  try {
    return parse();
  } catch (error) {
    refusal(error);
    return undefined;
  }
}

export async function attemptAsync<Result>(
  parse: () => Promise<Result>,
  refusal: (error: unknown) => void = expectRefusal,
) {
  try {
    return await parse();
  } catch (error) {
    refusal(error);
    return undefined;
  }
}

const LONGEST_MESSAGE = 2000;

export class Fault extends Error {
  override readonly name = 'Fault';
  constructor(what: string, cause?: unknown) {
    const about =
      cause instanceof Error ? `: ${cause.name}: ${cause.message.slice(0, 300)}\n${cause.stack ?? ''}` : '';
    super(what + about, { cause });
  }
}

/** Waits, but not for ever. */
export async function within<Result>(milliseconds: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Fault(`nothing happened for ${milliseconds} ms`)), milliseconds);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

export interface Finding {
  readonly target: string;
  /** As small as the failure allows, ready to become a named case. */
  readonly input: string;
  readonly fault: string;
}

/** Runs a target on so many inputs; a failure is shrunk. The same seed gives the same inputs. */
export async function fuzz(
  { name, inputs, check, describe }: Target,
  options: { readonly runs: number; readonly seed: number; readonly onRun?: () => void },
): Promise<Finding | undefined> {
  const property = fc.asyncProperty(inputs, async (input) => {
    options.onRun?.();
    await check(input);
  });
  const { failed, counterexample, errorInstance } = await fc.check(property, {
    numRuns: options.runs,
    seed: options.seed,
    endOnFailure: false,
  });
  if (!failed) return undefined;
  const fault =
    errorInstance instanceof Error ? (errorInstance.stack ?? errorInstance.message) : String(errorInstance);
  return { target: name, input: describe(counterexample![0]), fault };
}

export const asBase64 = (bytes: Uint8Array) =>
  `Buffer.from('${Buffer.from(bytes).toString('base64')}', 'base64')`;
export const asJson = (value: unknown) => JSON.stringify(value);
