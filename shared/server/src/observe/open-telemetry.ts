/**
 * Tracing by OpenTelemetry, loaded only where a collector is configured. Nothing global is set, so that
 * several services fit into one process.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';
import { errorCodeOf } from '@eigenveil/wire';
import { proxyAgentFor } from '@eigenveil/wire/proxy';
import {
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { AlwaysOnSampler, BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { contextOf } from '../http/context.ts';
import type { Tracing } from './tracing.ts';

/** The time for one export. A collector that is down delays neither requests nor the stop of the service. */
const EXPORT_MILLISECONDS = 3000;
const TRACEPARENT = /^[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-[\da-f]{2}$/;
const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

export function openTelemetry(service: string, endpoint: string): Tracing {
  const agent = proxyAgentFor(endpoint);
  const exporter = new OTLPTraceExporter({
    url: endpoint,
    timeoutMillis: EXPORT_MILLISECONDS,
    ...(agent && { httpAgentOptions: () => agent }),
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': `eigenveil-${service}` }),
    // Sampling is our own: a peer's decision about it counts for nothing. Spans beyond the processor's queue
    // are dropped.
    sampler: new AlwaysOnSampler(),
    spanProcessors: [new BatchSpanProcessor({ exporter, exportTimeoutMillis: EXPORT_MILLISECONDS })],
  });
  const tracer = provider.getTracer('eigenveil');
  const current = new AsyncLocalStorage<Span>();
  const begin = (name: string, kind: SpanKind): Span => {
    const parent = current.getStore();
    const context = parent === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, parent);
    return tracer.startSpan(name, { kind }, context);
  };
  return {
    middleware(request, response, next) {
      if (PROBES.has(request.path)) return next();
      const span = begin('request', SpanKind.SERVER);
      response.once('close', () => {
        const { route = 'unknown', taskId, code, known } = contextOf(response);
        span.updateName(`${request.method} ${route}`);
        span.setAttributes({
          'http.request.method': request.method,
          'http.route': route,
          'http.response.status_code': response.statusCode,
          ...(taskId === undefined ? {} : { 'eigenveil.task': taskId }),
          ...(code === undefined ? {} : { 'eigenveil.code': code }),
        });
        // A trace of this service never continues another service's trace. It has a link to the trace of a
        // service whose key is registered, and to no other.
        const caller = known?.kind === 'thumbprint' ? callerOf(request) : undefined;
        if (caller !== undefined) span.addLink({ context: caller });
        if (response.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      });
      current.run(span, next);
    },
    async work(name, attributes, work) {
      const span = begin(name, SpanKind.INTERNAL).setAttributes({ ...attributes });
      try {
        return await current.run(span, work);
      } catch (error) {
        // Only the code is recorded: messages and stacks are for the log.
        span.setStatus({ code: SpanStatusCode.ERROR });
        span.setAttribute('eigenveil.code', errorCodeOf(error) ?? 'ERR_INTERNAL');
        throw error;
      } finally {
        span.end();
      }
    },
    traceparent() {
      const context = current.getStore()?.spanContext();
      return context && `00-${context.traceId}-${context.spanId}-01`;
    },
    close: () => provider.shutdown().catch(() => {}),
  };
}

function callerOf({ headers }: IncomingMessage): SpanContext | undefined {
  const { traceparent } = headers;
  const [, traceId, spanId] = TRACEPARENT.exec(typeof traceparent === 'string' ? traceparent : '') ?? [];
  return traceId === undefined || spanId === undefined
    ? undefined
    : { traceId, spanId, traceFlags: 0, isRemote: true };
}
