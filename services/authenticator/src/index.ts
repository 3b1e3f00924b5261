/** A continuous-authentication back end on reduced rows. */
export {
  type AuthenticatorOverrides,
  type RunningAuthenticator,
  startAuthenticator,
} from './server.ts';
export {
  AUTHENTICATOR_SETTINGS,
  type AuthenticatorConfiguration,
  ProjectionSettings,
} from './settings.ts';
