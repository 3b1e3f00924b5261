/** A continuous-authentication back end on reduced rows. */

export { AUTHENTICATOR_SETTINGS, type AuthenticatorConfiguration } from './cli/settings.ts';
export {
  type AuthenticatorOverrides,
  type RunningAuthenticator,
  startAuthenticator,
} from './server.ts';
