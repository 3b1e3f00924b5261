/**
 * Traces of requests and of work on tasks, for the operator's own collector. Without one nothing is loaded,
 * and nothing is done.
 */
import type { NextFunction, Request, Response } from 'express';

/**
 * The facts that a span may contain: routes, codes and states, ids of tasks. No owner's id, no address, no
 * value.
 */
type SpanAttributes = Readonly<Record<string, string | number>>;

export interface Tracing {
  middleware(request: Request, response: Response, next: NextFunction): void;
  /** Runs `work` within a span. */
  work<Result>(name: string, attributes: SpanAttributes, work: () => Promise<Result>): Promise<Result>;
  /** Returns the W3C Trace Context of the span that runs, for a request to another service. */
  traceparent(): string | undefined;
  /** Sends the spans that are left; waits at most a few seconds for a collector that does not answer. */
  close(): Promise<void>;
}

export const NO_TRACING: Tracing = {
  middleware: (_request, _response, next) => next(),
  work: (_name, _attributes, work) => work(),
  traceparent: () => undefined,
  close: async () => {},
};
