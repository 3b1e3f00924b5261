#!/usr/bin/env node
import { EXIT, runCommand } from '@eigenveil/command';
/** Runs the command line eigenveil-csp. */
import { cspProgram } from '@eigenveil/csp';

await runCommand(cspProgram(), process.argv, { ERR_AUDIT_BROKEN: EXIT.refused });
