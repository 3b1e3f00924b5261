#!/usr/bin/env node
/** Runs the command line eigenveil-csp. */
import { cspProgram } from '@eigenveil/csp';
import { runCommand } from '@eigenveil/server';

await runCommand(cspProgram(), process.argv);
