import { defined, isoOf, type JsonObject } from '@switchyard/values';
import type { Connection } from '../connection.js';
import { certificateFacts } from '../client-certificate.js';
import { cut } from '../keys/discovery-failure.js';
import { probeSeller } from '../probe-seller.js';
import { notSpoken, unopened, type Check, type CheckResult } from './check.js';
import { checkAccounts } from './check-accounts.js';
import { checkBuy } from './check-buy.js';
import { checkWebhook } from './check-webhook.js';
import { judgeKeys } from './judge-keys.js';
import type { SellerProtocol } from '../seller-protocol.js';
import type { GateContext } from './gate-context.js';
import { dialectOf, publishedSignIn, tryProtocol, wantedCredential } from './reach.js';
import { readSeller } from './read-seller.js';

const minute = 60_000;
const hour = 60 * minute;

/** What a check waits for, for how many milliseconds its result stands, and what it does. */
type Row<Key extends string = string> = readonly [
  needs: readonly NoInfer<Key>[],
  freshForMs: number,
  run: (context: GateContext) => Promise<CheckResult>,
];

/**
 * The checks of a seller by their keys, in their order: the same for adding, resuming and testing one, and at night
 * (docs/protocol/sellers.md#the-gate). Each ends with one sentence and, if it did not pass, one act.
 */
const rows = rowsOf({
  source: [[], hour, (context) => Promise.resolve(context.source)],
  address: [
    ['source'],
    10 * minute,
    async (context) => {
      const { agentUrl } = context.connection();
      const judged = await context.egress.checkUrl(agentUrl);
      if (judged.ok)
        return { state: 'passed', code: 'allowed', words: `${new URL(agentUrl).host} may be called.` };
      return {
        state: 'failed',
        code: judged.error.code,
        words: `It is not called: ${judged.error.message}.`,
        next: 'Choose another address.',
      };
    },
  ],
  'reach.mcp': [['address'], 10 * minute, (context) => reach(context, 'mcp')],
  'reach.a2a': [['address'], 10 * minute, (context) => reach(context, 'a2a')],
  'reach.connector': [['address'], 10 * minute, reachByConnector],
  metadata: [
    ['reach.mcp', 'reach.a2a', 'reach.connector'],
    10 * minute,
    async (context) => {
      const wants = await wantedCredential(context);
      const published = await publishedSignIn(context, wants);
      if (!published.ok) return { ...published.error, next: mendSignIn };
      const { issuers, url, sha256 } = published.value ?? {};
      const way = published.value === undefined ? wants.way : 'oauth';
      const evidence: JsonObject = {
        way,
        ...(wants.says !== undefined && { says: wants.says }),
        ...(issuers !== undefined && { issuers: [...issuers], ...defined({ url, sha256 }) }),
      };
      return { state: 'passed', code: `wants_${way}`, words: ways[way], evidence };
    },
  ],
  authorise: [['metadata'], 10 * minute, authorise],
  capabilities: [
    ['authorise'],
    10 * minute,
    async (context) => {
      if (context.decides !== undefined)
        return {
          state: 'skipped',
          code: 'sells_nothing',
          words: `Its brand.json names it as an agent for ${context.decides.join(' and ')}: it sells nothing.`,
        };
      const target = await context.target();
      if (target === undefined) return unopened;
      const found = await context.inTime((signal) =>
        probeSeller(context.transport, target, context.connection().configuredForm, signal),
      );
      if (!found.ok) {
        const { code, message, httpStatus } = found.error;
        return {
          state: 'failed',
          code: code === 'timeout' || code === 'aborted' ? 'slow' : code,
          words: cut(message),
          next: 'Ask the seller, and try again.',
          ...(httpStatus === undefined ? {} : { evidence: { status: httpStatus } }),
        };
      }
      await context.keep(found.value);
      const { kinds, form } = found.value;
      return {
        state: 'passed',
        code: 'read',
        words: `It offers ${kinds.join(' and ')}, in release ${form}.`,
      };
    },
  ],
  keys: [['capabilities'], hour, judgeKeys],
  accounts: [['capabilities'], 10 * minute, ofSellers(checkAccounts)],
  'read.mcp': [['capabilities', 'accounts'], 10 * minute, ofSellers((context) => read(context, 'mcp'))],
  'read.a2a': [['capabilities', 'accounts'], 10 * minute, ofSellers((context) => read(context, 'a2a'))],
  'read.connector': [
    ['capabilities', 'accounts'],
    10 * minute,
    ofSellers((context) =>
      isConnector(context.connection().protocol) ? readSeller(context) : Promise.resolve(noConnector),
    ),
  ],
  buy: [['read.mcp', 'read.a2a', 'read.connector'], hour, ofSellers(checkBuy)],
  webhook: [['keys', 'read.mcp', 'read.a2a', 'read.connector'], 10 * minute, checkWebhook],
  report: [
    ['buy', 'webhook'],
    10 * minute,
    () =>
      Promise.resolve({
        state: 'passed',
        code: 'made',
        words: 'Its report can be read: switchyard sellers report SLUG',
      }),
  ],
  approve: [['report'], 0, (context) => context.approve()],
  live: [['approve'], 0, (context) => context.goLive()],
});

export type CheckKey = keyof typeof rows;

/** The keys of the checks, in their order. */
export const checkKeys = Object.keys(rows) as readonly CheckKey[];
const known: ReadonlySet<string> = new Set(checkKeys);

/** False for the key of a check that an earlier version had. */
export const isCheckKey = (key: string): key is CheckKey => known.has(key);

export const sellerChecks: readonly Check<GateContext>[] = checkKeys.map((key) => {
  const [needs, freshForMs, run] = rows[key];
  return { key, needs, freshForMs, run: async (context) => named(await run(context), context.connection()) };
});

function rowsOf<Key extends string>(of: Readonly<Record<Key, Row<Key>>>): Readonly<Record<Key, Row<Key>>> {
  return of;
}

/** The command of a hint names this seller, so that it can be copied. An address that a shell would change stays out. */
function named(result: CheckResult, { agentUrl, slug }: Pick<Connection, 'agentUrl' | 'slug'>): CheckResult {
  const address = /^[\w:/.[\]-]+$/.test(agentUrl) ? agentUrl : 'INPUT';
  const meant = (text: string): string =>
    text
      .replaceAll(/\bINPUT --slug (?:SLUG|[a-z0-9-]+)/g, `${address} --slug ${slug}`)
      .replaceAll(/\bsellers report SLUG\b/g, `sellers report ${slug}`);
  const { next, words } = result;
  return { ...result, words: meant(words), ...(next !== undefined && { next: meant(next) }) };
}

/** A check that is skipped for an agent that sells nothing. */
function ofSellers(run: Check<GateContext>['run']): Check<GateContext>['run'] {
  return (context) =>
    context.decides === undefined
      ? run(context)
      : Promise.resolve({ state: 'skipped', code: 'sells_nothing', words: 'It sells nothing.' });
}

const ways = {
  none: 'It answers without a credential.',
  token: 'It wants a token.',
  basic: 'It wants a name and a password.',
  oauth: 'It wants a sign-in by OAuth.',
  mtls: 'It wants a client certificate.',
} as const;

const mendSignIn =
  'Send the report to the seller, or add it with a token: switchyard sellers add INPUT --slug SLUG --token-stdin';

/** Tries one protocol. The one that an admin named is tried; the other one only if that does not answer. */
async function reach(context: GateContext, protocol: 'mcp' | 'a2a'): Promise<CheckResult> {
  const { wanted } = context;
  const other = protocol === 'mcp' ? 'a2a' : 'mcp';
  if (wanted.protocol !== undefined && wanted.protocol !== protocol)
    return { state: 'skipped', code: 'not_wanted', words: `It is called ${byName(wanted.protocol)}.` };
  if (
    wanted.protocol === undefined &&
    protocol === 'a2a' &&
    context.connection().protocol === 'mcp' &&
    reached.has(context)
  )
    return { state: 'skipped', code: 'not_needed', words: 'It is called in MCP.' };
  const tried = await tryProtocol(context, protocol);
  const { tools, ...result } = tried;
  if (result.state === 'passed') {
    reached.add(context);
    await context.choose({ protocol, dialect: wanted.dialect ?? dialectOf(tools) });
    return result;
  }
  if (result.code === unopened.code) return result;
  if (wanted.protocol === undefined && protocol === 'a2a')
    return {
      ...result,
      words: `It answers neither in MCP nor in A2A at this address. In MCP: ${mcpWords.get(context) ?? 'nothing.'} In A2A: ${result.words}`,
    };
  if (result.code === 'too_large') {
    // Something answers, so the other protocol is not tried.
    reached.add(context);
    const words = `It answers our question for its tools (${protocol.toUpperCase()}) with more than is read: 8 MiB, and some 50,000 tools.`;
    return { ...result, words, next: 'Ask the seller to list fewer tools at this address, and try again.' };
  }
  const isSlow = result.code === 'slow';
  if (wanted.protocol === undefined) mcpWords.set(context, result.words);
  if (wanted.protocol === undefined && !isSlow) return { ...result, state: 'skipped', code: notSpoken };
  const offered = await tryProtocol(context, other);
  // One that is only slow is not the other protocol's yet, unless that answers.
  if (wanted.protocol === undefined)
    return offered.state === 'passed' ? { ...result, state: 'skipped', code: notSpoken } : result;
  return offered.state === 'passed' && offered.code === 'answers'
    ? {
        ...result,
        code: 'other_protocol',
        words: `It does not answer in ${protocol.toUpperCase()}, and does in ${other.toUpperCase()}.`,
        next: `Add it with --protocol ${other}.`,
      }
    : result;
}

const isConnector = (protocol: SellerProtocol): boolean => protocol !== 'mcp' && protocol !== 'a2a';
const byName = (protocol: SellerProtocol): string =>
  isConnector(protocol) ? `by the connector ${protocol}` : `in ${protocol.toUpperCase()}`;
const noConnector: CheckResult = {
  state: 'skipped',
  code: 'not_wanted',
  words: 'It is called by no connector.',
};

/** A connector is never guessed: an admin names it. */
async function reachByConnector(context: GateContext): Promise<CheckResult> {
  const { protocol = 'mcp' } = context.wanted;
  if (!isConnector(protocol)) return noConnector;
  const { tools, ...result } = await tryProtocol(context, protocol);
  if (result.state !== 'passed') return result;
  await context.choose({ protocol, dialect: dialectOf(tools) });
  return { ...result, words: `It is called ${byName(protocol)}.` };
}

/** Contexts whose first protocol has answered. */
const reached = new WeakSet<GateContext>();
/** What was found where MCP was tried. */
const mcpWords = new WeakMap<GateContext, string>();

async function authorise(context: GateContext): Promise<CheckResult> {
  const { credentialId, protocol } = context.connection();
  const wants = await wantedCredential(context);
  const published = await publishedSignIn(context, wants);
  if (!published.ok) return { ...published.error, next: mendSignIn };
  if (published.value !== undefined) {
    const signedIn = await context.signIn.run(published.value, wants.scopes ?? []);
    if (signedIn.state !== 'passed') return signedIn;
  } else if (credentialId === undefined) {
    if (wants.way === 'none')
      return {
        state: 'skipped',
        code: 'not_wanted',
        words: 'It wants no credential for what it shows to everybody.',
      };
    return context.authorise(wants);
  }
  const tried = await tryProtocol(context, protocol);
  const { tools: _, ...result } = tried;
  if (result.code === 'wants_credential')
    return {
      state: 'failed',
      code: 'refused',
      words: `${result.words}${wants.says === undefined ? '' : ` Its words: ${wants.says}`}`,
      next: 'Add it again with another one.',
    };
  return result.state === 'passed' ? accepted(await context.target()) : result;
}

/** A certificate is shown without its key, so that a person sees who we are there, and until when. */
function accepted(target: Awaited<ReturnType<GateContext['target']>>): CheckResult {
  const { credential } = target ?? {};
  const facts =
    credential?.scheme === 'certificate' ? credential.secret.useText(certificateFacts) : undefined;
  if (facts === undefined) return { state: 'passed', code: 'accepted', words: 'It takes our credential.' };
  const { subject, issuer, names, endsAt } = facts;
  const until = isoOf(endsAt);
  return {
    state: 'passed',
    code: 'accepted',
    words: `It takes our certificate for ${cut(names)}, which ends on ${until.slice(0, 10)}.`,
    evidence: { subject, issuer, names, until },
  };
}

async function read(context: GateContext, protocol: 'mcp' | 'a2a'): Promise<CheckResult> {
  if (context.connection().protocol !== protocol)
    return { state: 'skipped', code: notSpoken, words: `It is not called in ${protocol.toUpperCase()}.` };
  return readSeller(context);
}
