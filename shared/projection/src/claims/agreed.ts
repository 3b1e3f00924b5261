/**
 * Checks that a projection that somebody else has computed is one of the agreed task: with its features, its
 * number of components and its outputs, and with numbers that such a task can have. It is no proof that they
 * are right.
 */
import { methodOf, Output, RESULT_FORMS } from '@eigenveil/methods';
import { cappedComponents, programOf } from '@eigenveil/task';
import { referenceOf } from '../reference/methods.ts';
import { type AgreedTask, type ClaimedProjection, expect, isSame } from './claimed.ts';

const AGREED = [
  'title',
  'method',
  'twoParty',
  'features',
  'fractionBits',
  'sketch',
  'outputs',
  'differentialPrivacy',
  'basis',
] as const;

/**
 * Checks that `projection` is one of `task`, field by field, before a row is reduced by it.
 * @throws ERR_PROJECTION_INVALID
 */
export function checkAgreed(task: AgreedTask, projection: ClaimedProjection): void {
  for (const field of AGREED) expect(isSame(projection[field], task[field]), field, 'what the task says');
  for (const output of Output.options) {
    const isDeclared = task.outputs.includes(output);
    expect((projection[output] !== undefined) === isDeclared, output, 'the outputs that the task declares');
  }
  const components = methodOf(task).result === 'components' ? cappedComponents(programOf(task)) : 0;
  const { vectors, eigenvalues, converged } = projection;
  expect(vectors.length === components, 'vectors', `${components} of them`);
  expect(eigenvalues.length === components, 'eigenvalues', `${components} of them`);
  expect(converged === undefined || converged.length === components, 'converged', `${components} of them`);
  checkKind(task, projection);
  referenceOf(task).check(task, projection);
}

/** Checks that a result has no member that is of another kind. */
function checkKind(task: AgreedTask, projection: ClaimedProjection): void {
  const { result } = methodOf(task);
  const claimed: Readonly<Record<string, unknown>> = { ...projection };
  for (const { kind, members, elsewhere } of RESULT_FORMS)
    for (const member of Object.keys(members))
      expect(kind === result || claimed[member] === undefined, member, elsewhere);
}
