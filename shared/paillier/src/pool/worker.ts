/** The worker's end of the pool: performs one job per message. */

import { isOf } from '@eigenveil/platform';
import { workerData } from 'piscina';
import { selfTest } from '../arithmetic/exponentiation.ts';
import { PAILLIER_CODES, type PaillierCode } from '../codes.ts';
import { type JobInput, type JobName, type JobOutput, type Moved, moveWith, perform } from './jobs.ts';

export interface WorkerSettings {
  readonly allowBigintFallback: boolean;
}

export interface WorkerJob<Name extends JobName> {
  readonly name: Name;
  readonly input: JobInput<Name>;
}

/**
 * The message that comes back. Structured cloning strips an error of its class and its code, so one of ours
 * crosses as data and is built again on the other side. Other errors are defects and cross as they are.
 */
export type WorkerOutcome<Output> =
  | { readonly output: Output }
  | { readonly code: PaillierCode; readonly message: string };

let tested = false;

export default async function work<Name extends JobName>({
  name,
  input,
}: WorkerJob<Name>): Promise<WorkerOutcome<JobOutput<Name>> | Moved> {
  try {
    if (!tested) selfTest(workerData as WorkerSettings);
    tested = true;
    const output = await perform(name, input);
    return 'primes' in output ? moveWith([output.primes], { output }) : { output };
  } catch (error) {
    if (!isOf(PAILLIER_CODES, error)) throw error;
    return { code: error.code, message: error.message };
  }
}
