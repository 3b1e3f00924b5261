/** The command lines run in this process, which starts faster than a process of their own, and what they answer with `--json`. */
import { authenticatorProgram } from '@eigenveil/authenticator/command';
import { runCommand } from '@eigenveil/command';
import { cspProgram } from '@eigenveil/csp';
import { ownerProgram } from '@eigenveil/data-owner';
import { dataUserProgram } from '@eigenveil/data-user';
import type { Finished } from '@eigenveil/testbed/processes/programs';
import type { Command } from 'commander';
import { expect } from 'vitest';

export const PROGRAMS = {
  csp: cspProgram,
  user: dataUserProgram,
  owner: ownerProgram,
  authenticator: authenticatorProgram,
} as const;

type Program = keyof typeof PROGRAMS;

/** Runs a command to its end. */
export function runInProcess(name: Program, ...args: string[]): Promise<Finished> {
  return runHeard(name, args, () => {});
}

/** Runs a command to its end, and gives what it says on standard error as it comes. */
export async function runHeard(
  name: Program,
  args: readonly string[],
  hear: (text: string) => void,
): Promise<Finished> {
  const program = PROGRAMS[name]();
  const output = { stdout: '', stderr: '' };
  for (const command of withSubcommands(program)) {
    command.configureOutput({
      writeOut(text) {
        output.stdout += text;
      },
      writeErr(text) {
        output.stderr += text;
        hear(text);
      },
    });
  }
  const exitCode = await runCommand(program, ['node', `eigenveil-${name}`, ...args]);
  process.exitCode = undefined; // runCommand sets it
  return { exitCode, ...output };
}

/** What a command prints that succeeds. */
export function jsonOf({ stdout, stderr, exitCode }: Finished): Record<string, unknown> {
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return JSON.parse(stdout) as Record<string, unknown>;
}

/** The one line of JSON that a command prints when it fails. */
export function problemOf({ stdout, stderr, exitCode }: Finished) {
  expect(stdout).toBe('');
  return { exitCode, ...(JSON.parse(stderr) as { code: string; detail: string }) };
}

function withSubcommands(program: Command): Command[] {
  return [program, ...program.commands.flatMap(withSubcommands)];
}
