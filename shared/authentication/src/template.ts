/**
 * The template that the service keeps of a user: moments of windows in the frame of the user's device, and
 * their compact form.
 *
 * The spread is kept as it was measured, so that an update is exact. It is shrunk to a multiple of the
 * identity where it is used, since frames differ between users and allow no pooled covariance: Ledoit and
 * Wolf, "A well-conditioned estimator for large-dimensional covariance matrices", Journal of Multivariate
 * Analysis 88(2), 2004.
 */
import { CodedError } from '@eigenveil/platform';
import { AUTHENTICATION_CODES } from './codes.ts';
import { type Moments, momentsOf, squaredNorm, traceOf } from './moments.ts';
import { LARGEST_ENTRY, MAXIMUM_DIMENSIONS } from './window.ts';

export interface Template extends Moments {
  /** 1 at enrolment, one more with each update. */
  readonly version: number;
}

/**
 * No reduced row is known more exactly than this: variance of a rounding to 14 fraction bits, the default of
 * tasks. Windows that do not vary would otherwise have no spread to divide by. They get this one, and every
 * other window is strange to them.
 */
const VARIANCE_FLOOR = 2 ** -28 / 12;

/**
 * Nor more exactly than this share of the whole spread: above k (k + 1) times the rounding of a double, so
 * that Cholesky's method succeeds for all k (Demmel, "On floating point errors in Cholesky", LAPACK Working
 * Note 14, 1989), also where a device sends windows that lie on a line.
 */
const SHARE_FLOOR = 1e-10;

/**
 * The template of a user's first windows, in the frame of the user's device.
 * @param windows at least two, all of one width; a service asks for more
 * @throws ERR_TOO_FEW_WINDOWS, ERR_WINDOW_INVALID
 */
export function makeTemplate(windows: readonly Float64Array[]): Template {
  return { ...momentsOf(windows), version: 1 };
}

/**
 * The template after newer windows of the same user and frame: a mixture, in which the newer windows have the
 * share `weight`.
 * @param recent moments of at least two windows (WindowSums)
 * @param weight in (0, 1]; 1 forgets the old windows
 * @throws ERR_TEMPLATE_INVALID when widths differ; RangeError on another weight
 */
export function updated(template: Template, recent: Moments, weight: number): Template {
  if (!(weight > 0 && weight <= 1))
    throw new RangeError(`"weight" expected a share in (0, 1], got ${weight}`);
  if (recent.mean.length !== template.mean.length)
    throw new CodedError(
      AUTHENTICATION_CODES.ERR_TEMPLATE_INVALID,
      `"recent" expected windows of ${template.mean.length} numbers, got ${recent.mean.length}`,
    );
  const k = template.mean.length;
  const kept = 1 - weight;
  const difference = recent.mean.map((entry, i) => entry - template.mean[i]!);
  const spread = new Float64Array(template.spread.length);
  for (let i = 0, at = 0; i < k; i += 1)
    for (let j = i; j < k; j += 1, at += 1)
      spread[at] =
        kept * template.spread[at]! +
        weight * recent.spread[at]! +
        kept * weight * difference[i]! * difference[j]!;
  return {
    count: 1 / (kept ** 2 / template.count + weight ** 2 / recent.count),
    mean: template.mean.map((entry, i) => entry + weight * difference[i]!),
    spread,
    // The means' distance is left out: it is small beside the spread unless the user has drifted, and
    // shrinkage then is slightly less.
    fourth: kept * template.fourth + weight * recent.fourth,
    version: template.version + 1,
  };
}

/**
 * The share λ in [0, 1] of the identity in the shrunk spread, by Ledoit and Wolf's estimator: b²/d² with d² =
 * ‖S − μI‖², μ = tr S / k and b² = (mean of ‖x − m‖⁴ − ‖S‖²) / n, at most d². They are equal in every frame.
 */
export function shrinkage({ count: n, mean, spread, fourth }: Moments): number {
  const k = mean.length;
  // The estimator is written for divisors n.
  const biased = ((n - 1) / n) ** 2;
  const norm = biased * squaredNorm(spread, k);
  const target = (biased * traceOf(spread, k) ** 2) / k;
  const distance = norm - target;
  const error = (fourth - norm) / n;
  if (!(distance > error) || !(distance > norm * 1e-14)) return 1;
  return Math.max(error, 0) / distance;
}

/**
 * (1 − λ) S + (λ μ + the larger floor) I, upper triangle row by row: positive definite, also where windows do
 * not vary or lie on a line.
 */
export function shrunkSpread(moments: Moments): Float64Array {
  const k = moments.mean.length;
  const share = shrinkage(moments);
  const trace = traceOf(moments.spread, k);
  const level = (share * trace) / k + Math.max(VARIANCE_FLOOR, SHARE_FLOOR * trace);
  const shrunk = moments.spread.map((entry) => (1 - share) * entry);
  for (let i = 0, at = 0; i < k; at += k - i, i += 1) shrunk[at]! += level;
  return shrunk;
}

const FORMAT = 1;
/**
 * The largest covariance of entries within ±LARGEST_ENTRY: two of them, at opposite ends, have half of this.
 */
const LARGEST_COVARIANCE = 4 * LARGEST_ENTRY ** 2;
/**
 * Format (1 byte), width (2), version (4), count and fourth moment (8 each); then mean and spread, 8 bytes an
 * entry, little endian.
 */
const HEADER_BYTES = 23;

/**
 * The template as bytes: 23 + 8 k + 4 k (k + 1), which is 1,863 at k = 20. They are secret; a service seals
 * them.
 */
export function encodeTemplate(template: Template): Uint8Array {
  const k = template.mean.length;
  const bytes = new Uint8Array(HEADER_BYTES + 8 * (k + template.spread.length));
  const view = new DataView(bytes.buffer);
  view.setUint8(0, FORMAT);
  view.setUint16(1, k, true);
  view.setUint32(3, template.version, true);
  view.setFloat64(7, template.count, true);
  view.setFloat64(15, template.fourth, true);
  for (const [i, entry] of [...template.mean, ...template.spread].entries())
    view.setFloat64(HEADER_BYTES + 8 * i, entry, true);
  return bytes;
}

/**
 * The template of what encodeTemplate has written, bit for bit.
 * @throws ERR_TEMPLATE_INVALID when the bytes are no template
 */
export function decodeTemplate(bytes: Uint8Array): Template {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < HEADER_BYTES || view.getUint8(0) !== FORMAT) throw notATemplate();
  const k = view.getUint16(1, true);
  const triangle = (k * (k + 1)) / 2;
  if (k < 1 || k > MAXIMUM_DIMENSIONS || bytes.length !== HEADER_BYTES + 8 * (k + triangle))
    throw notATemplate();
  const entries = (from: number, length: number): Float64Array =>
    Float64Array.from({ length }, (_, i) => view.getFloat64(HEADER_BYTES + 8 * (from + i), true));
  const template: Template = {
    version: view.getUint32(3, true),
    count: view.getFloat64(7, true),
    fourth: view.getFloat64(15, true),
    mean: entries(0, k),
    spread: entries(k, triangle),
  };
  const whole =
    template.version >= 1 &&
    template.count >= 1 &&
    Number.isFinite(template.count) &&
    template.fourth >= 0 &&
    template.fourth <= (k * LARGEST_COVARIANCE) ** 2 &&
    template.mean.every((entry) => Math.abs(entry) <= LARGEST_ENTRY) &&
    template.spread.every((entry) => Math.abs(entry) <= LARGEST_COVARIANCE);
  if (!whole) throw notATemplate();
  return template;
}

function notATemplate(): CodedError {
  return new CodedError(
    AUTHENTICATION_CODES.ERR_TEMPLATE_INVALID,
    'the bytes are no template of this version: enrol the user again',
  );
}
