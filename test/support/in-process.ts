/** The command lines run in this process, which starts faster than a process of their own. */
import { runCommand } from '@eigenveil/command';
import { cspProgram } from '@eigenveil/csp';
import { ownerProgram } from '@eigenveil/data-owner';
import { dataUserProgram } from '@eigenveil/data-user';
import type { Finished } from '@eigenveil/testbed/processes/programs';
import type { Command } from 'commander';

export const PROGRAMS = { csp: cspProgram, user: dataUserProgram, owner: ownerProgram } as const;

/** Runs a command to its end. */
export async function runInProcess(name: keyof typeof PROGRAMS, ...args: string[]): Promise<Finished> {
  const program = PROGRAMS[name]();
  const output = { stdout: '', stderr: '' };
  for (const command of withSubcommands(program)) {
    command.configureOutput({
      writeOut(text) {
        output.stdout += text;
      },
      writeErr(text) {
        output.stderr += text;
      },
    });
  }
  const exitCode = await runCommand(program, ['node', `eigenveil-${name}`, ...args]);
  process.exitCode = undefined; // runCommand sets it
  return { exitCode, ...output };
}

function withSubcommands(program: Command): Command[] {
  return [program, ...program.commands.flatMap(withSubcommands)];
}
