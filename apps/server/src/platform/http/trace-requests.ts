import type { FastifyInstance, FastifyRequest } from 'fastify';
import { runningTrace, type TraceSpan, type Tracing } from '@switchyard/telemetry';
import { callerOf } from './admit.js';
import { headerValues } from './raw-headers.js';

/** Requests of probes and scrapers. */
const untraced = new Set(['/healthz', '/readyz', '/metrics', '/livez']);

const traces = new WeakMap<object, string>();

/** The id of the trace of a request, where it is recorded. */
export const traceOf = ({ raw }: FastifyRequest): string | undefined => traces.get(raw);

/**
 * Makes each request a trace of its own. A caller's trace is linked and not continued: its sampling flag, or a trace id
 * that it chose, would decide what we record (docs/runbooks/operate.md#traces).
 */
export function traceRequests(fastify: FastifyInstance, tracing: Tracing): void {
  const spans = new WeakMap<object, TraceSpan>();
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (!untraced.has(request.raw.url?.split('?')[0] ?? '')) {
      const span = begun(tracing, request);
      spans.set(request.raw, span);
      const { trace_id: id } = tracing.within(span, () => runningTrace(tracing));
      if (id !== undefined) traces.set(request.raw, id);
    }
    done();
  });
  // Here, because what reads the body goes on in the flow of its connection, not of this request.
  fastify.addHook('preHandler', (request, _reply, done) => {
    const span = spans.get(request.raw);
    if (span === undefined) done();
    else tracing.within(span, done);
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    const span = spans.get(request.raw);
    const [, organization] = /^([0-9a-f-]{36})\b/.exec(callerOf(request) ?? '') ?? [];
    span?.set({
      'http.response.status_code': reply.statusCode,
      ...(organization !== undefined && { 'switchyard.organization': organization }),
    });
    if (reply.statusCode >= 500) span?.fail(String(reply.statusCode));
    span?.end();
    done();
  });
}

function begun(tracing: Tracing, request: FastifyRequest): TraceSpan {
  const route = request.routeOptions.url ?? 'unknown';
  const [traceparent] = headerValues(request.raw.rawHeaders, 'traceparent');
  const [, callerTrace] = /^00-([0-9a-f]{32})-/.exec(traceparent ?? '') ?? [];
  return tracing.start(`${request.method} ${route}`, {
    kind: 'server',
    causedBy: traceparent,
    attributes: {
      'http.request.method': request.method,
      'http.route': route,
      'switchyard.request': request.id,
      ...(callerTrace !== undefined && { 'switchyard.caller_trace': callerTrace }),
    },
  });
}
