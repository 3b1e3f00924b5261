/** The owner's own policy: what it agrees to, checked before one of its rows is read. */
import { ServiceError, type Task, TwoPartyName } from '@eigenveil/wire';
import { z } from 'zod';

export const OwnerPolicy = z.strictObject({
  /** The smallest number of owners among whom the owner is willing to hide. */
  minimumOwners: z.int().min(2).default(2),
  /** The shortest Paillier modulus, in bits: contributions lie at the data user, so that a short one must be named. */
  minimumKeyBits: z.int().min(1024).default(3072),
  /** The two-party protocols that the owner trusts; `simulated` is NOT private and not among them by default. */
  twoParty: z.array(TwoPartyName).default(['garbled']),
  /** The largest number of components; unlimited when absent. */
  maximumComponents: z.int().min(1).optional(),
  /** Whether all eigenvalues may be revealed. */
  allowSpectrum: z.boolean().default(false),
  /** Whether a result from which the scatter matrix follows may be revealed. */
  allowFullRank: z.boolean().default(false),
  /** Whether tasks without differential privacy are acceptable. */
  allowWithoutDifferentialPrivacy: z.boolean().default(true),
  /** The largest ε and δ; where one is given, tasks without differential privacy are not acceptable either. */
  maximumEpsilon: z.number().positive().optional(),
  maximumDelta: z.number().positive().max(1).optional(),
});
export type OwnerPolicy = z.infer<typeof OwnerPolicy>;

/** Throws ERR_POLICY with every rule that the task breaks. */
export function checkPolicy(policy: OwnerPolicy, task: Task): void {
  const broken: string[] = [];
  const expect = (holds: boolean, rule: string) => {
    if (!holds) broken.push(rule);
  };
  expect(
    task.minimumOwners >= policy.minimumOwners,
    `"minimumOwners" expected at least ${policy.minimumOwners}, got ${task.minimumOwners}`,
  );
  expect(
    task.keyBits >= policy.minimumKeyBits,
    `"keyBits" expected at least ${policy.minimumKeyBits}, got ${task.keyBits}`,
  );
  expect(
    policy.twoParty.includes(task.twoParty),
    task.twoParty === 'simulated'
      ? '"twoParty" expected a private protocol: simulated is NOT, and only --allow-simulated allows it'
      : `"twoParty" expected one of [${policy.twoParty.join(', ')}], got ${task.twoParty}`,
  );
  expect(
    policy.maximumComponents === undefined || task.components <= policy.maximumComponents,
    `"components" expected at most ${policy.maximumComponents}, got ${task.components}`,
  );
  expect(policy.allowSpectrum || !task.outputs.includes('spectrum'), '"outputs" expected no spectrum');
  expect(policy.allowFullRank || !task.allowFullRank, '"allowFullRank" expected false');
  const { allowWithoutDifferentialPrivacy, maximumEpsilon, maximumDelta } = policy;
  const { differentialPrivacy: guarantee } = task;
  const isRequired =
    !allowWithoutDifferentialPrivacy || maximumEpsilon !== undefined || maximumDelta !== undefined;
  expect(guarantee !== null || !isRequired, '"differentialPrivacy" expected a guarantee, got none');
  for (const [name, most, got] of [
    ['epsilon', maximumEpsilon, guarantee?.epsilon],
    ['delta', maximumDelta, guarantee?.delta],
  ] as const) {
    expect(
      most === undefined || got === undefined || got <= most,
      `"differentialPrivacy.${name}" expected at most ${most}, got ${got}`,
    );
  }
  if (broken.length > 0) throw new ServiceError('ERR_POLICY', broken.join('; '));
}
