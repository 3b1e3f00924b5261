/** A user's own attack: one TypeScript or JavaScript file whose default export is an `Experiment`, checked before anything runs. */
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CodedError } from '@eigenveil/platform';
import { z } from 'zod';
import { readClaims } from './claims/read.ts';
import { EVALUATION_CODES } from './codes.ts';
import {
  ATTACKERS,
  type ClaimId,
  EXPECTATIONS,
  type Experiment,
  KINDS,
  SECRETS,
  UNITS,
} from './experiment.ts';
import { BUNDLED_SCENES } from './scene.ts';

const sentence = z.string().min(1).max(500);
const callable = z.custom<(...values: never[]) => unknown>(
  (value) => typeof value === 'function',
  'expected a function',
);

/** Members that an `Experiment` has, as its type says; those that it does not have are nobody's business. */
const Checked = z.object({
  id: z
    .string()
    .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, 'expected words of a-z and 0-9 joined by -, such as own-linkage')
    .max(64),
  title: z.string().min(1).max(120),
  kind: z.enum(KINDS),
  attacker: z.enum(ATTACKERS),
  secret: z.enum(SECRETS),
  expectation: z.enum(EXPECTATIONS),
  claims: z.array(
    z.custom<ClaimId>(
      (value) => typeof value === 'string' && /^[SP]-[1-9]\d*$/.test(value),
      'expected an id such as S-14',
    ),
  ),
  sees: sentence,
  knows: sentence,
  control: sentence,
  baseline: sentence,
  unit: z.enum(UNITS),
  scenes: z.array(z.enum(BUNDLED_SCENES)).min(1),
  omits: callable.optional(),
  run: callable,
});

/**
 * Runs the file's code, with all that this process may do: it is for files of one's own.
 * @param taken ids of the experiments that run beside it
 * @throws ERR_ATTACK_MISSING when there is no such file
 * @throws ERR_ATTACK_FAILED when it cannot be loaded
 * @throws ERR_ATTACK_INVALID when what it exports by default is no experiment, has the id of another, or names no claim
 */
export async function loadAttack(file: string, taken: ReadonlySet<string>): Promise<Experiment> {
  const path = resolve(file);
  const found = await stat(path).catch(() => undefined);
  if (!found?.isFile())
    throw new CodedError(
      EVALUATION_CODES.ERR_ATTACK_MISSING,
      `--attack ${file}: expected a file, found none`,
    );
  const module = await load(file, path);
  const exported: unknown = module.default;
  const { success, error } = Checked.safeParse(exported);
  if (!success) {
    const [issue] = error.issues;
    const member = issue!.path.length === 0 ? 'the default export' : issue!.path.join('.');
    throw invalid(file, `${member}: ${issue!.message}`);
  }
  // Not a copy: its methods may say `this`.
  const experiment = exported as Experiment;
  if (taken.has(experiment.id))
    throw invalid(file, `id: expected one that no other experiment has, got ${experiment.id}`);
  const claims = (await readClaims()).map(({ id }) => id);
  const unknown = experiment.claims.find((id) => !claims.includes(id));
  if (unknown !== undefined)
    throw invalid(file, `claims: expected ids that docs/security/claims.md lists, got ${unknown}`);
  return experiment;
}

async function load(file: string, path: string): Promise<{ readonly default?: unknown }> {
  try {
    return await import(pathToFileURL(path).href);
  } catch (cause) {
    const { message, code } =
      cause instanceof Error ? (cause as NodeJS.ErrnoException) : { message: String(cause), code: '' };
    const hint =
      code === 'ERR_MODULE_NOT_FOUND'
        ? '; only a file inside of the checkout finds its packages, such as @eigenveil/projection'
        : '';
    throw new CodedError(
      EVALUATION_CODES.ERR_ATTACK_FAILED,
      `--attack ${file}: cannot be loaded: ${message}${hint}`,
      {
        cause,
      },
    );
  }
}

function invalid(file: string, problem: string): CodedError {
  return new CodedError(
    EVALUATION_CODES.ERR_ATTACK_INVALID,
    `--attack ${file}: expected an Experiment by default (docs/evaluation.md shows one): ${problem}`,
  );
}
