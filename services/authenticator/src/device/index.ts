/** A device of continuous authentication: the exports for a program that observes its user. */

// These exports open a projection; the packages behind them are not installed on their own.
export { Projector, SignedProjection, Thumbprint } from '@eigenveil/projection';
export type { ServiceAddress } from '@eigenveil/wire';
export {
  DeviceClient,
  type DeviceClientOptions,
  type EnrolledDevice,
  type EnrolOptions,
  type Rows,
} from './client.ts';
export { DeviceEnrolment, DeviceHome } from './home.ts';
