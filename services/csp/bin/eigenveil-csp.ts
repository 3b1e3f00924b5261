#!/usr/bin/env node
/** Runs the command line eigenveil-csp. */
import { EXIT, runCommand } from '@eigenveil/command';
import { cspProgram } from '@eigenveil/csp/command';

await runCommand(cspProgram(), process.argv, { ERR_AUDIT_BROKEN: EXIT.refused });
