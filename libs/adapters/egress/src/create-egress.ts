import { Buffer } from 'node:buffer';
import {
  egressCaps,
  type Egress,
  type EgressFailure,
  type EgressPolicy,
  type EgressRequest,
} from '@switchyard/sellers';
import { err, ok, type Result } from '@switchyard/values';
import { Agent } from 'undici';
import { CertificateAgents } from './certificate-agents.js';
import { Exchange, type Answer, type StreamedAnswer } from './exchange.js';
import { failureFrom, failureOf } from './failure.js';
import { fetchOver, type OutboundCall, type Send } from './fetch-like.js';
import { judgeUrl } from './judge-url.js';
import {
  pinnedConnector,
  resolveAllowed,
  systemResolver,
  type ResolveAll,
  type ShownCertificate,
} from './pinned-connect.js';

export interface EgressOptions {
  /** Resolves host names. Default: the system's resolver. */
  readonly resolver?: ResolveAll;
  readonly connectTimeoutMs?: number;
  /** Certificate authorities that are believed instead of the usual ones, as PEM. */
  readonly authorities?: readonly string[];
}

/** Headers of the connection, which a caller may not set. A caller's `Host` would change the name that TLS checks. */
const ownHeaders = new Set([
  'host',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'accept-encoding',
  'upgrade',
  'te',
  'trailer',
  'expect',
  'proxy-connection',
]);

/**
 * The only way out of the process. Every address is checked when it is used, connections go to the checked addresses
 * only, redirects are failures, compressed answers are not decoded, sizes and times are limited.
 */
export function createEgress(policy: EgressPolicy, options: EgressOptions = {}): Egress {
  const resolver = options.resolver ?? systemResolver;
  const agentWith = (shown?: ShownCertificate): Agent =>
    new Agent({
      connections: 128,
      keepAliveTimeout: 60_000,
      // Ends requests that no caller ended. Deadlines of callers are far shorter.
      headersTimeout: 120_000,
      bodyTimeout: 120_000,
      connect: pinnedConnector(policy, resolver, {
        timeoutMs: options.connectTimeoutMs ?? 5_000,
        ...(options.authorities && { authorities: options.authorities }),
        ...(shown && { shown }),
      }),
    });
  const agent = agentWith();
  const identified = new CertificateAgents(agentWith);

  const judge = remembered((url) => judgeUrl(url, policy));
  const send: Send = (call, limits) => {
    const target = judge(call.url);
    if (!target.ok) return Promise.resolve(target);
    return Exchange.run(
      call.certificate === undefined ? agent : identified.of(call.certificate, target.value.origin),
      {
        origin: target.value.origin,
        path: target.value.path,
        method: call.method,
        headers: outboundHeaders(call),
        body: call.body ?? null,
      },
      limits,
    );
  };

  return {
    request: async (request) => collected(await send(request, limitsOf(request))),
    post: ({ signal, ...call }) =>
      send({ method: 'POST', ...call }, { maxBytes: egressCaps.taskAnswer, streams: 'events', signal }),
    open: (request) => send(request, { ...limitsOf(request), streams: 'all' }),
    fetchLike: fetchOver(send),
    checkUrl: (url) => checkUrl(url, policy, resolver),
    close: async () => {
      await Promise.all([agent.destroy(), identified.close()]);
    },
  };
}

/** Caches up to 2,000 verdicts on URLs. A verdict depends on the text of the URL alone. */
function remembered<T>(judge: (url: string) => T): (url: string) => T {
  const known = new Map<string, T>();
  return (url) => {
    const found = known.get(url);
    if (found !== undefined) return found;
    const judged = judge(url);
    if (known.size >= 2_000) known.clear();
    known.set(url, judged);
    return judged;
  };
}

function collected(outcome: Result<Answer | StreamedAnswer, EgressFailure>): Result<Answer, EgressFailure> {
  if (!outcome.ok) return outcome;
  const { body } = outcome.value;
  if (!(body instanceof Buffer)) throw new TypeError('a stream was not asked for');
  return ok({ ...outcome.value, body });
}

function limitsOf(request: EgressRequest) {
  return {
    maxBytes: request.maxBytes,
    timeoutMs: request.timeoutMs,
    streams: 'none' as const,
    ...(request.signal === undefined ? {} : { signal: request.signal }),
    ...(request.returnsRedirects === true ? { returnsRedirects: true } : {}),
  };
}

function outboundHeaders(call: Pick<OutboundCall, 'headers'>): string[] {
  const list: string[] = ['accept-encoding', 'identity'];
  for (const [name, value] of Object.entries(call.headers ?? {})) {
    if (!ownHeaders.has(name.toLowerCase())) list.push(name, value);
  }
  return list;
}

async function checkUrl(
  url: string,
  policy: EgressPolicy,
  resolver: ResolveAll,
): Promise<Result<void, EgressFailure>> {
  const target = judgeUrl(url, policy);
  if (!target.ok) return target;
  if (target.value.isLiteral) return ok(undefined);
  try {
    await resolveAllowed(target.value.host, target.value.scheme, policy, resolver);
  } catch (error) {
    const failure = failureFrom(error, false);
    if (failure.code === 'blocked_address') return err(failureOf('blocked_address', 'no'));
  }
  return ok(undefined);
}
