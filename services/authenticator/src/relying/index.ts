/** A relying application of continuous authentication: the exports for a back end that learns decisions. */
export { CodedError } from '@eigenveil/platform';
export { type ServiceAddress, Thumbprint } from '@eigenveil/wire';
export {
  type Decision,
  type DecisionEvent,
  DecisionsResponse,
  InvitationResponse,
  type Reason,
  UserId,
  UserStatus,
} from '../messages.ts';
export {
  type FollowOptions,
  type PastOptions,
  RelyingClient,
  type RelyingClientOptions,
} from './client.ts';
export { RelyingHome } from './home.ts';
export { type ReceivedEvent, receiveEvent, type WebhookDelivery } from './webhook.ts';
