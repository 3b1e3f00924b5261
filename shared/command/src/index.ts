/** What the command lines share: configuration, results and errors in one form, exit codes. */
export type { Command } from 'commander';
export { readCertificates, readPem, TlsFileError } from './certificates.ts';
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
export { HomeError, type HomeErrorCode, PrivateFolder } from './private-folder.ts';
export { CSV_HELP, clippedByName, warnOfClipped, warnOfRemarks } from './rows.ts';
export {
  addSettings,
  type Configuration,
  type Setting,
  type Settings,
} from './settings.ts';
export { ConfigurationError } from './settings-error.ts';
export { TRACE_ENDPOINT } from './trace-endpoint.ts';
