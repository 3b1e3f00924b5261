/** What the command lines share: configuration, results and errors in one form, exit codes. */
export type { Command } from 'commander';
export { readCertificates, readPem } from './certificates.ts';
export { asUsage, COMMAND_CODES } from './codes.ts';
export {
  createProgram,
  EXIT,
  type ExitCode,
  onShutdown,
  printNote,
  printResult,
  runCommand,
} from './command.ts';
export { every, LINE_MILLISECONDS } from './every.ts';
export {
  checkCanWrite,
  checkConfiguration,
  makeFolder,
  readJsonFile,
  readSignedFile,
  readTextFile,
} from './files.ts';
export { PrivateFolder } from './private-folder.ts';
export { CSV_HELP, clippedByName, warnOfClipped, warnOfRemarks } from './rows.ts';
export {
  addSettings,
  type Configuration,
  type Setting,
  type Settings,
} from './settings.ts';
export { TRACE_ENDPOINT } from './trace-endpoint.ts';
