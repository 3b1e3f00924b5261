/** A device of continuous authentication: what a program needs that observes its user. */

// What opening a projection takes, since the packages behind it are not installed on their own.
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
