/** What a report cannot say: raised before anything of it is written. */

export class ReportError extends Error {
  readonly code = 'ERR_REPORT';

  constructor(message: string) {
    super(message);
    this.name = 'ReportError';
  }
}
