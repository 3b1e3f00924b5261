/** Whether a certificate is valid at the moment, and who is told when it is not: peers refuse it, and the service itself would not notice. */
import { X509Certificate } from 'node:crypto';
import { ServerError } from './errors.ts';
import type { Logger } from './log.ts';
import type { Metrics } from './metrics.ts';
import type { TlsIdentity } from './tls.ts';

/** Whoever renews certificates has done so before; the alert in docs/operations.md comes earlier. */
const SOON_MILLISECONDS = 3 * 86_400_000;
const LOOK_MILLISECONDS = 12 * 3_600_000;

type Validity = 'valid' | 'expires soon' | 'has expired' | 'is not yet valid';

/** The first certificate of the PEM text: those of authorities after it may have expired without harm. */
function timesOf({ cert }: TlsIdentity): { readonly begins: Date; readonly expires: Date } {
  const { validFromDate: begins, validToDate: expires } = new X509Certificate(cert);
  return { begins, expires };
}

function validityOf(identity: TlsIdentity, now = Date.now()): Validity {
  const { begins, expires } = timesOf(identity);
  if (now < begins.getTime()) return 'is not yet valid';
  if (now > expires.getTime()) return 'has expired';
  return now > expires.getTime() - SOON_MILLISECONDS ? 'expires soon' : 'valid';
}

const isGood = (validity: Validity) => validity === 'valid' || validity === 'expires soon';

/** The certificate that a service shows, watched from its start to its end. */
export class WatchedCertificate {
  #identity: TlsIdentity;
  readonly #log: Logger;
  readonly #timer: NodeJS.Timeout;

  constructor(identity: TlsIdentity, metrics: Metrics, log: Logger) {
    this.#identity = identity;
    this.#log = log;
    metrics.gauge(
      'tls_certificate_expiry_seconds',
      'When the certificate expires, in seconds since 1970.',
      () => timesOf(this.#identity).expires.getTime() / 1000,
    );
    metrics.gauge('tls_certificate_valid', 'Whether the certificate is valid at the moment: 1 or 0.', () =>
      Number(isGood(validityOf(this.#identity))),
    );
    this.#look();
    this.#timer = setInterval(() => this.#look(), LOOK_MILLISECONDS).unref();
  }

  get identity(): TlsIdentity {
    return this.#identity;
  }

  /**
   * Takes another certificate once `use` has.
   * @throws ERR_TLS_FILE for one that peers would refuse in place of one that they take
   */
  replace(renewed: TlsIdentity, use: (identity: TlsIdentity) => void): void {
    const validity = validityOf(renewed);
    if (!isGood(validity) && isGood(validityOf(this.#identity)))
      throw new ServerError('ERR_TLS_FILE', `the new certificate ${validity}: renew it, and reload again`);
    use(renewed);
    this.#identity = renewed;
    this.#log.info({ expires: timesOf(renewed).expires }, 'certificate reloaded');
    this.#look();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const validity = validityOf(this.#identity);
    if (validity === 'valid') return;
    const level = isGood(validity) ? 'warn' : 'error';
    this.#log[level](
      timesOf(this.#identity),
      `the certificate ${validity}: renew it, and reload it with SIGHUP`,
    );
  }
}
