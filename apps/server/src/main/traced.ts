import { findTask } from '@switchyard/protocol';
import type { BoundedFetch, Egress, SellerLanes, SellerTransport } from '@switchyard/sellers';
import {
  runningTrace,
  type EventLog,
  type Metrics,
  type TraceSpan,
  type Tracing,
} from '@switchyard/telemetry';
import type { Result } from '@switchyard/values';
import type { KeyManagement, KmsFailure, MasterKeys } from '@switchyard/vault';
import type { RunnableKind } from '../platform/jobs/run-jobs.js';
import type { TaskService } from '../platform/tasks/call/task-call.js';

/** A step `egress` for each request that leaves the process. It has the host: a path may hold a secret. */
export function tracedEgress(egress: Egress, tracing: Tracing): Egress {
  if (!tracing.isOn) return egress;
  const step = (method: string, url: string) =>
    ({
      kind: 'client',
      attributes: {
        'http.request.method': method,
        'server.address': URL.parse(url)?.host ?? 'unknown',
      },
    }) as const;
  const traced = <T extends { readonly status: number }, F extends { readonly code: string }>(
    method: string,
    url: string,
    send: () => Promise<Result<T, F>>,
  ): Promise<Result<T, F>> =>
    tracing.run('egress', step(method, url), async (span) => {
      const sent = await send();
      if (sent.ok) span.set({ 'http.response.status_code': sent.value.status });
      else span.fail(sent.error.code);
      return sent;
    });
  const fetchLike: BoundedFetch = (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    return tracing.run('egress', step(init?.method ?? 'GET', url), async (span) => {
      const answer = await egress.fetchLike(input, init);
      span.set({ 'http.response.status_code': answer.status });
      return answer;
    });
  };
  return {
    request: (request) => traced(request.method, request.url, () => egress.request(request)),
    open: (request) => traced(request.method, request.url, () => egress.open(request)),
    post: (post) => traced('POST', post.url, () => egress.post(post)),
    fetchLike,
    checkUrl: (url) => egress.checkUrl(url),
    close: () => egress.close(),
  };
}

/**
 * A step `leg TOOL` for each call at a seller. No header of ours names the trace there: sellers that compared trace ids
 * would know who asks them the same (docs/runbooks/operate.md#traces).
 */
export function watchedTransport(
  transport: SellerTransport & SellerLanes,
  { tracing, metrics }: { readonly tracing: Tracing; readonly metrics: Pick<Metrics, 'legSeconds'> },
): SellerTransport & SellerLanes {
  return {
    ...transport,
    call: (target, call, signal) => {
      const task = findTask(call.tool)?.name ?? 'unknown';
      const attributes = {
        'switchyard.organization': target.organizationId,
        'switchyard.connection': target.connectionId,
        'switchyard.task': task,
      };
      return tracing.run(`leg ${task}`, { kind: 'client', attributes }, async (span) => {
        const measured = metrics.legSeconds.startTimer({ task, protocol: target.protocol });
        const answer = await transport.call(target, call, signal);
        measured();
        note(span, answer);
        return answer;
      });
    },
  };
}

function note(span: TraceSpan, answer: Result<unknown, { readonly code: string }>): void {
  span.set({ 'switchyard.outcome': answer.ok ? 'answered' : answer.error.code });
  if (!answer.ok) span.fail(answer.error.code);
}

/** A step `kms OPERATION` for each call of the key service, and its time. */
export function watchedKeys(
  keys: MasterKeys,
  { tracing, metrics }: { readonly tracing: Tracing; readonly metrics: Pick<Metrics, 'kmsSeconds'> },
): MasterKeys {
  const watched = <T>(
    operation: string,
    call: () => Promise<Result<T, KmsFailure>>,
  ): Promise<Result<T, KmsFailure>> =>
    tracing.run(`kms ${operation}`, { kind: 'client' }, async (span) => {
      const measured = metrics.kmsSeconds.startTimer({ operation });
      const answer = await call();
      measured();
      note(span, answer);
      return answer;
    });
  const watchedAt = (at: KeyManagement): KeyManagement => ({
    currentKeyId: () => at.currentKeyId(),
    generateDataKey: (context) => watched('generate', () => at.generateDataKey(context)),
    wrap: (plaintext, context) => watched('wrap', () => at.wrap(plaintext, context)),
    unwrap: (key) => watched('unwrap', () => at.unwrap(key)),
    rewrap: (key) => watched('rewrap', () => at.rewrap(key)),
  });
  return {
    ...watchedAt(keys),
    configuredKeyId: keys.configuredKeyId,
    at: (keyId) => {
      const one = keys.at(keyId);
      return one === undefined ? undefined : watchedAt(one);
    },
    refresh: () => keys.refresh(),
  };
}

/** A step `task NAME` for each call of a task. */
export function tracedTasks(service: TaskService, tracing: Tracing): TaskService {
  if (!tracing.isOn) return service;
  return {
    call: (call) => {
      const task = findTask(call.task)?.name ?? 'unknown';
      const attributes = {
        'switchyard.task': task,
        'switchyard.organization': call.caller.organizationId,
      };
      return tracing.run(`task ${task}`, { attributes }, async (span) => {
        const reply = await service.call(call);
        const [error] = reply.errors;
        span.set({ 'switchyard.outcome': reply.status });
        if (error !== undefined) span.fail(error.code);
        return reply;
      });
    },
  };
}

/** Event lines with the id of the trace that they are written in. */
export function tracedEvents(events: EventLog, tracing: Tracing): EventLog {
  return tracing.isOn ? (event, fields) => events(event, { ...runningTrace(tracing), ...fields }) : events;
}

/** A step `job KIND` for each unit of a job, and its time. */
export function watchedJobs(
  kinds: readonly RunnableKind[],
  { tracing, metrics }: { readonly tracing: Tracing; readonly metrics: Pick<Metrics, 'jobUnitSeconds'> },
): readonly RunnableKind[] {
  return kinds.map(({ kind, unit }) => ({
    kind,
    unit: (job) =>
      tracing.run(`job ${kind.name}`, { causedBy: job.traceParent }, async (span) => {
        const measured = metrics.jobUnitSeconds.startTimer({ kind: kind.name });
        const ended = await unit(job);
        measured();
        if (!ended.ok) span.fail(ended.error.code);
        return ended;
      }),
  }));
}
