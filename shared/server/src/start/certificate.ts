/**
 * Says whether a certificate is valid at the moment and for how long, and warns the operator when it is not:
 * peers refuse it, and nothing else would say so in time.
 */
import { X509Certificate } from 'node:crypto';
import { COMMAND_CODES } from '@eigenveil/command';
import { CodedError } from '@eigenveil/platform';
import type { TlsIdentity } from '../http/tls.ts';
import type { Logger } from '../observe/log.ts';
import type { Metrics } from '../observe/metrics.ts';

const DAY_MILLISECONDS = 86_400_000;
/**
 * The operator is warned when a certificate has SOON left, and again from VERY_SOON on: this time, or this
 * part of its life if that is shorter, since a certificate that lives for days is renewed within the last of
 * them.
 */
const SOON = { milliseconds: 30 * DAY_MILLISECONDS, part: 1 / 3 };
const VERY_SOON = { milliseconds: 7 * DAY_MILLISECONDS, part: 1 / 6 };
const LOOK_MILLISECONDS = 12 * 3_600_000;

type Validity = 'valid' | 'expires soon' | 'expires very soon' | 'has expired' | 'is not yet valid';

interface Times {
  readonly begins: Date;
  readonly expires: Date;
}

export function timesOf({ validFromDate: begins, validToDate: expires }: X509Certificate): Times {
  return { begins, expires };
}

/**
 * Reads the first certificate of the PEM text: those of authorities after it may have expired without harm.
 */
const ofIdentity = ({ cert }: TlsIdentity): Times => timesOf(new X509Certificate(cert));

export function validityOf({ begins, expires }: Times, now = Date.now()): Validity {
  const left = expires.getTime() - now;
  const life = expires.getTime() - begins.getTime();
  const isWithin = ({ milliseconds, part }: typeof SOON) => left < Math.min(milliseconds, part * life);
  if (now < begins.getTime()) return 'is not yet valid';
  if (left < 0) return 'has expired';
  if (isWithin(VERY_SOON)) return 'expires very soon';
  return isWithin(SOON) ? 'expires soon' : 'valid';
}

/** Says whether peers accept a certificate in this state. */
const isGood = (validity: Validity) => validity !== 'has expired' && validity !== 'is not yet valid';

/**
 * Logs the state of a certificate that is looked at again and again: `expires soon` once, any worse state
 * each time.
 */
export class ValidityTeller {
  readonly #log: Logger;
  readonly #words: (validity: Validity) => string;
  #told: Validity = 'valid';

  constructor(log: Logger, words: (validity: Validity) => string) {
    this.#log = log;
    this.#words = words;
  }

  look(times: Times): void {
    const validity = validityOf(times);
    const isNews = validity !== this.#told;
    this.#told = validity;
    if (validity === 'valid' || (validity === 'expires soon' && !isNews)) return;
    const days = Math.floor((times.expires.getTime() - Date.now()) / DAY_MILLISECONDS);
    this.#log[isGood(validity) ? 'warn' : 'error']({ ...times, days }, this.#words(validity));
  }

  /** Forgets what was logged: for another certificate everything is news. */
  forget(): void {
    this.#told = 'valid';
  }
}

/** The certificate that a service shows, watched from its start to its end. */
export class WatchedCertificate {
  #identity: TlsIdentity;
  readonly #log: Logger;
  readonly #teller: ValidityTeller;
  readonly #timer: NodeJS.Timeout;

  constructor(identity: TlsIdentity, metrics: Metrics, log: Logger) {
    this.#identity = identity;
    this.#log = log;
    this.#teller = new ValidityTeller(
      log,
      (validity) => `the certificate ${validity}: renew it, and reload it with SIGHUP`,
    );
    metrics.gauge(
      'tls_certificate_expiry_seconds',
      'When the certificate expires, in seconds since 1970.',
      () => ofIdentity(this.#identity).expires.getTime() / 1000,
    );
    metrics.gauge('tls_certificate_valid', 'Whether the certificate is valid at the moment: 1 or 0.', () =>
      Number(isGood(validityOf(ofIdentity(this.#identity)))),
    );
    this.#look();
    this.#timer = setInterval(() => this.#look(), LOOK_MILLISECONDS).unref();
  }

  get identity(): TlsIdentity {
    return this.#identity;
  }

  /**
   * Checks that peers would not refuse a renewed certificate while they accept the present one.
   * @throws ERR_TLS_FILE otherwise
   */
  requireBetter(renewed: TlsIdentity): void {
    const validity = validityOf(ofIdentity(renewed));
    if (!isGood(validity) && isGood(validityOf(ofIdentity(this.#identity))))
      throw new CodedError(
        COMMAND_CODES.ERR_TLS_FILE,
        `the new certificate ${validity}: renew it, and reload again`,
      );
  }

  replace(renewed: TlsIdentity): void {
    this.#identity = renewed;
    this.#log.info({ expires: ofIdentity(renewed).expires }, 'certificate reloaded');
    this.#teller.forget();
    this.#look();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    this.#teller.look(ofIdentity(this.#identity));
  }
}
