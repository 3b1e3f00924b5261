/** Keeps what the parts of the HTTP layer tell each other about a request in progress. */
import type { Response } from 'express';
import type { KnownPeer } from './peer-names.ts';

export interface Context {
  /** The id is drawn here, never taken from the peer, so that log lines cannot be forged or merged. */
  requestId: string;
  /** The pattern of the matched route, such as /tasks/:taskId. */
  route?: string;
  taskId?: string;
  /** The peer that has proved its identity. */
  known?: KnownPeer;
  /** The authentication scheme of the matched route, named to clients that fail it. */
  challenge?: string | undefined;
  /** Says whether the answer comes line by line, for as long as somebody listens. */
  isStream?: true;
  /** The code of the problem that was answered. */
  code?: string;
}

const contexts = new WeakMap<object, Context>();

export function beginContext(response: Response, context: Context): void {
  contexts.set(response, context);
}

export function contextOf(response: Response): Context {
  const context = contexts.get(response);
  if (context === undefined)
    throw new TypeError('the response has no context: it did not come through createApp');
  return context;
}
