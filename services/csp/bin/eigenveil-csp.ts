#!/usr/bin/env node
/** Runs the command line eigenveil-csp. */
import { runCommand } from '@eigenveil/command';
import { cspProgram } from '@eigenveil/csp/command';

await runCommand(cspProgram(), process.argv);
