/**
 * Traces of what an owner does, by OpenTelemetry, for the owner's own collector. They are loaded only where
 * one is configured. No service learns about a trace: requests carry no `traceparent`.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { proxyAgentFor } from '@eigenveil/wire/proxy';
import { ROOT_CONTEXT, type Span, SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { AlwaysOnSampler, BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { RunSpan } from './data-owner.ts';

/** A collector that is down delays the end of a command by at most this time. */
const EXPORT_MILLISECONDS = 3000;

export interface Traces {
  readonly span: RunSpan;
  /** Sends the traces that are left. */
  close(): Promise<void>;
}

export function openTraces(endpoint: string): Traces {
  const agent = proxyAgentFor(endpoint);
  const exporter = new OTLPTraceExporter({
    url: endpoint,
    timeoutMillis: EXPORT_MILLISECONDS,
    ...(agent && { httpAgentOptions: () => agent }),
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'eigenveil-data-owner' }),
    sampler: new AlwaysOnSampler(),
    spanProcessors: [new BatchSpanProcessor({ exporter, exportTimeoutMillis: EXPORT_MILLISECONDS })],
  });
  const tracer = provider.getTracer('eigenveil');
  const current = new AsyncLocalStorage<Span>();
  return {
    async span(name, taskId, work) {
      const parent = current.getStore();
      const context = parent === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, parent);
      const attributes = taskId === null ? {} : { 'eigenveil.task': taskId };
      const span = tracer.startSpan(name, { attributes }, context);
      try {
        return await current.run(span, work);
      } catch (error) {
        // Only the code is recorded: a message may name a column of the owner's file.
        span.setStatus({ code: SpanStatusCode.ERROR });
        span.setAttribute('eigenveil.code', codeOf(error));
        throw error;
      } finally {
        span.end();
      }
    },
    close: () => provider.shutdown().catch(() => {}),
  };
}

/** Returns the code of an error of any of our packages, including errors about files. */
function codeOf(error: unknown): string {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^ERR_[A-Z_]+$/.test(code) ? code : 'ERR_INTERNAL';
}
