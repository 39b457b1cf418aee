import {
  context,
  SpanKind as ApiSpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Link,
  type Span,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { ParentBasedSampler, TraceIdRatioBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace';
import { SpanQueue } from './span-queue.js';
import { typeOf, type SpanKind, type SpanStart, type TraceSpan, type Tracing } from './tracing.js';

export interface OtlpSettings {
  /** The collector's address; `/v1/traces` is added (OTLP over HTTP). */
  readonly endpoint: string;
  /** For example a credential at the collector. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly serviceName: string;
  readonly attributes?: Readonly<Record<string, string>>;
  /** The share of new traces that is recorded, from 0 to 1. */
  readonly ratio: number;
  /** Called with the number of spans that were not sent. */
  readonly onDropped: (spans: number) => void;
}

const kinds: Readonly<Record<SpanKind, ApiSpanKind>> = {
  server: ApiSpanKind.SERVER,
  client: ApiSpanKind.CLIENT,
  internal: ApiSpanKind.INTERNAL,
};
/** For how long one request to the collector may take, and the last one at the end, in milliseconds. */
const sendMs = 3_000;
/** Links of one span. */
const linksAtMost = 32;

/** Traces that go to a collector over OTLP. Everything of the SDK that its next major version changes is in this file. */
export function otlpTracing(settings: OtlpSettings): Tracing {
  const exporter = new OTLPTraceExporter({
    url: `${settings.endpoint.replace(/\/+$/, '')}/v1/traces`,
    timeoutMillis: sendMs,
    ...(settings.headers !== undefined && { headers: { ...settings.headers } }),
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ ...settings.attributes, 'service.name': settings.serviceName }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(settings.ratio) }),
    spanProcessors: [new SpanQueue(exporter, settings.onDropped)],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const tracer = provider.getTracer('switchyard');
  const spans = new WeakMap<TraceSpan, Span>();
  const start = (name: string, { kind = 'internal', attributes, causedBy }: SpanStart = {}): TraceSpan => {
    const causes = causedBy === undefined ? [] : [...new Set([causedBy].flat())];
    const links = causes.slice(0, linksAtMost).flatMap((cause) => linkTo(cause));
    const span = tracer.startSpan(name, {
      kind: kinds[kind],
      ...(attributes !== undefined && { attributes: { ...attributes } }),
      ...(links.length > 0 && { links }),
    });
    const own: TraceSpan = {
      set: (more) => void span.setAttributes({ ...more }),
      fail: (type) =>
        void span.setStatus({ code: SpanStatusCode.ERROR }).setAttributes({ 'error.type': type }),
      end: () => span.end(),
    };
    spans.set(own, span);
    return own;
  };
  const within = <T>(span: TraceSpan, work: () => T): T => {
    const known = spans.get(span);
    return known === undefined ? work() : context.with(trace.setSpan(context.active(), known), work);
  };
  return {
    isOn: true,
    start,
    within,
    run: async (name, how, work) => {
      const span = start(name, how);
      try {
        return await within(span, () => work(span));
      } catch (error) {
        span.fail(typeOf(error));
        throw error;
      } finally {
        span.end();
      }
    },
    current: () => {
      const running = trace.getSpan(context.active())?.spanContext();
      if (running === undefined || (running.traceFlags & TraceFlags.SAMPLED) === 0) return undefined;
      return `00-${running.traceId}-${running.spanId}-01`;
    },
    close: async () => {
      const late = new Promise<void>((resolve) => {
        setTimeout(resolve, sendMs).unref();
      });
      await Promise.race([provider.shutdown(), late]);
      context.disable();
    },
  };
}

/** A link to what a `traceparent` of version 00 names (W3C Trace Context, 3.2.2); none if it names nothing. */
function linkTo(traceparent: string | undefined): Link[] {
  const [, traceId = '', spanId = ''] =
    /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/.exec(traceparent ?? '') ?? [];
  const context = { traceId, spanId, traceFlags: TraceFlags.NONE, isRemote: true };
  return trace.isSpanContextValid(context) ? [{ context }] : [];
}
