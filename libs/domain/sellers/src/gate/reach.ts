import { Buffer } from 'node:buffer';
import { getCapabilities, type Dialect } from '@switchyard/protocol';
import { defined, err, isJsonObject, ok, parseStrictJson, type Result } from '@switchyard/values';
import { cut } from '../keys/discovery-failure.js';
import { introductionFailure, type Tools } from '../query-agent.js';
import type { SellerProtocol } from '../seller-protocol.js';
import type { SellerTarget } from '../transport.js';
import { readChallenges } from './challenge.js';
import { unopened, type CheckResult } from './check.js';
import type { GateContext, WantedCredential } from './gate-context.js';
import type { OAuthFault } from '../oauth/fetch-document.js';
import { readProtectedResource, type ProtectedResource } from '../oauth/protected-resource.js';

/** Whether something answers in a protocol: a refusal of the credential is an answer, too. */
export async function tryProtocol(
  context: GateContext,
  protocol: SellerProtocol,
): Promise<CheckResult & { readonly tools?: Tools }> {
  const target = await context.target();
  if (target === undefined) return unopened;
  const asked: SellerTarget = { ...target, protocol };
  const listed = await context.inTime((signal) => context.transport.listTools(asked, signal));
  const name = protocol.toUpperCase();
  if (listed.ok) {
    const evidence = { tools: Object.keys(listed.value).slice(0, 50) };
    return {
      state: 'passed',
      code: 'answers',
      words: `It answers in ${name}.`,
      evidence,
      tools: listed.value,
    };
  }
  const { code, message, httpStatus } = introductionFailure(listed.error, protocol);
  if (code === 'unauthorized' || httpStatus === 403)
    return {
      state: 'passed',
      code: 'wants_credential',
      words:
        target.credential === undefined
          ? `It answers, and not without a credential (${httpStatus ?? 401}).`
          : cut(message),
    };
  if (code === 'unreachable' && (await wantedCredential(context)).way === 'mtls')
    return {
      state: 'passed',
      code: 'wants_credential',
      words:
        target.credential === undefined
          ? 'It answers nobody without a client certificate.'
          : 'It does not take our client certificate.',
    };
  return {
    state: 'failed',
    code: code === 'timeout' || code === 'aborted' ? 'slow' : code,
    words: cut(message),
    next: `Check the address and the protocol, or try again.${target.credential === undefined && code === 'unreachable' ? certificateHint : ''}`,
    ...(httpStatus === undefined ? {} : { evidence: { status: httpStatus } }),
  };
}

/** Many servers only break off where they miss a certificate. */
const certificateHint =
  ' If it knows its callers by their client certificate: switchyard sellers add INPUT --slug SLUG --certificate FILE';

/** The dialect by the name of the capabilities task; the public one where neither is listed. */
export function dialectOf(tools: Tools | undefined): Dialect {
  const isListed = (dialect: Dialect): boolean =>
    getCapabilities.names[dialect].some((name) => Object.hasOwn(tools ?? {}, name));
  return isListed('ads') && !isListed('adcp') ? 'ads' : 'adcp';
}

const mostBytes = 64 * 1024;
const timeoutMs = 10_000;

type Asking = Pick<GateContext, 'connection' | 'egress'>;

/** What was wanted in a run, which asks once. */
const wanted = new WeakMap<Asking, Promise<WantedCredential>>();

/** Asks without a credential, and reads from the refusal which one is wanted. */
export function wantedCredential(context: Asking): Promise<WantedCredential> {
  const known = wanted.get(context) ?? askWithout(context);
  wanted.set(context, known);
  return known;
}

async function askWithout(context: Asking): Promise<WantedCredential> {
  const { agentUrl } = context.connection();
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
  const answer = await context.egress.request({
    method: 'POST',
    url: agentUrl,
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: Buffer.from(JSON.stringify(call)),
    maxBytes: mostBytes,
    timeoutMs,
    returnsRedirects: true,
  });
  if (!answer.ok) return { way: answer.error.fault === 'certificate_wanted' ? 'mtls' : 'none' };
  // Some forbid what they would ask a credential for.
  if (answer.value.status === 403) return { way: 'token', ...defined({ says: wordsIn(answer.value.body) }) };
  if (answer.value.status !== 401) return { way: 'none' };
  const header = answer.value.headers['www-authenticate'];
  const challenges = (typeof header === 'string' ? [header] : (header ?? []))
    .slice(0, 10)
    .flatMap(readChallenges);
  const bearer = challenges.filter(({ scheme }) => scheme === 'bearer');
  const named = bearer
    .map(({ parameters }) => parameters.get('resource_metadata'))
    .find((one) => one !== undefined);
  const scope = bearer
    .map(({ parameters }) => parameters.get('scope')?.value)
    .find((one) => one !== undefined);
  const says = wordsIn(answer.value.body);
  const shared = defined({
    says,
    scopes: scope
      ?.split(/\s+/)
      .filter((one) => one !== '')
      .slice(0, 50),
  });
  if (named !== undefined) return { way: 'oauth', ...shared, named };
  const isBasic = bearer.length === 0 && challenges.some(({ scheme }) => scheme === 'basic');
  return { way: isBasic ? 'basic' : 'token', ...shared };
}

/** Ways of sellers that may publish where tokens come from. */
const mayPublish: ReadonlySet<WantedCredential['way']> = new Set(['token', 'oauth']);

/**
 * What a seller that wants a token publishes about its sign-in; undefined if it publishes nothing, or wants nothing of
 * the kind. Nothing is read for a seller that has a credential already, unless a sign-in is due.
 */
export async function publishedSignIn(
  context: GateContext,
  { way, named }: WantedCredential,
): Promise<Result<ProtectedResource | undefined, OAuthFault>> {
  const { agentUrl, credentialId } = context.connection();
  const isDue = await context.signIn.isDue();
  if (!isDue && (credentialId !== undefined || !mayPublish.has(way))) return ok(undefined);
  const read = await readProtectedResource(context.egress, agentUrl, named);
  if (!read.ok || read.value !== undefined || !(isDue || way === 'oauth')) return read;
  return err({
    state: 'failed',
    code: 'resource_metadata_missing',
    words: 'It publishes no metadata of a sign-in by OAuth.',
  });
}

/** What the seller says about its refusal, as text. */
function wordsIn(body: Buffer): string | undefined {
  const parsed = parseStrictJson(body, { maxMembers: 1_000 });
  const value = parsed.ok ? parsed.value.value : undefined;
  const error = isJsonObject(value) ? value['error'] : undefined;
  const message = isJsonObject(error) ? error['message'] : undefined;
  return typeof message === 'string' && message !== '' ? cut(message) : undefined;
}
