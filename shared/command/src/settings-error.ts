/** The error of whatever a user has written wrong. */

/** Tells what is wrong with the command line, the configuration or a file that it names. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  readonly code: `ERR_${string}`;

  /** @param options `code` where a check of another package says more exactly what is wrong */
  constructor(message: string, options: ErrorOptions & { readonly code?: `ERR_${string}` } = {}) {
    super(message, options);
    this.code = options.code ?? 'ERR_CONFIGURATION';
  }
}
