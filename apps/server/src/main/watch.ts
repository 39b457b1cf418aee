import type { EventLog, Metrics } from '@switchyard/telemetry';
import { defined } from '@switchyard/values';
import type { AnsweredRequest } from '../platform/http/http-context.js';
import type { Relay, RelayAnswer } from '../relay/relay.js';

/** A closed list, so that requests with unknown paths add no metrics. */
const endpoints: ReadonlySet<string> = new Set(['mcp', 'a2a', 'v1', 'webhooks', 'relay', 'console', 'oauth']);
/** Requests of probes and scrapers: they are counted, and write no line. */
const probes: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

function endpointOf(path: string): string {
  const first = path.split('/', 2)[1] ?? '';
  return endpoints.has(first) ? first : 'other';
}

/** Counts and logs each answered request. */
export function requestWatch(
  metrics: Pick<Metrics, 'httpRequests' | 'httpSeconds'>,
  events: EventLog,
): (answer: AnsweredRequest) => void {
  return ({ requestId, method, path, route, status, durationMs, bytesIn, bytesOut, caller, traceId }) => {
    const endpoint = endpointOf(path);
    const labels = { endpoint, status: `${Math.floor(status / 100)}xx` };
    metrics.httpRequests.inc(labels);
    metrics.httpSeconds.observe(labels, durationMs / 1_000);
    if (probes.has(path)) return;
    events('request', {
      request_id: requestId,
      method,
      endpoint,
      status,
      duration_ms: Math.round(durationMs),
      bytes_in: bytesIn,
      bytes_out: bytesOut,
      ...defined({ route, caller, trace_id: traceId }),
    });
  };
}

/** Counts and logs what the sealed relay passes on or refuses. */
export function watchedRelay(
  relay: Relay,
  {
    metrics,
    events,
  }: { readonly metrics: Pick<Metrics, 'relayRequests' | 'relaySeconds'>; readonly events: EventLog },
): Relay {
  const note = (
    began: number,
    answer: RelayAnswer,
    {
      seller,
      caller,
    }: { readonly seller: string; readonly caller?: { organizationId: string; principalId: string } },
  ): void => {
    const durationMs = performance.now() - began;
    metrics.relayRequests.inc({ outcome: answer.kind });
    metrics.relaySeconds.observe(durationMs / 1_000);
    events('relay', {
      record: answer.recordId,
      seller: seller.slice(0, 100),
      outcome: answer.kind,
      duration_ms: Math.round(durationMs),
      ...defined({
        organization: caller?.organizationId,
        principal: caller?.principalId,
        code: answer.kind === 'refused' ? answer.code : undefined,
      }),
    });
  };
  return {
    pass: async (call) => {
      const began = performance.now();
      const answer = await relay.pass(call);
      note(began, answer, call);
      return answer;
    },
    passKnown: async (call) => {
      const began = performance.now();
      const answer = await relay.passKnown(call);
      if (answer !== undefined) note(began, answer, { seller: call.seller });
      return answer;
    },
    tooLarge: async (call) => {
      const began = performance.now();
      const answer = await relay.tooLarge(call);
      note(began, answer, call);
      return answer;
    },
  };
}
