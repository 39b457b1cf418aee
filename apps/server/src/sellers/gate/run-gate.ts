import { createHash } from 'node:crypto';
import type { ControlRequests } from '@switchyard/buys';
import {
  digestOf,
  listedOnce,
  runChecks,
  runState,
  sellerChecks,
  targetOf,
  type CheckResult,
  type Connection,
  type ConnectionPatch,
  type DiscoveredSeller,
  type Egress,
  type GateContext,
  type KeyInspector,
  type OnboardingRun,
  type OnboardingRuns,
  type SellerKind,
  type SignIn,
  type StoredCheck,
  type WantedCredential,
} from '@switchyard/sellers';
import type { GovernanceCases } from '@switchyard/store';
import { reachOf, type TenantScope } from '@switchyard/tenancy';
import { canonicalJson, defined } from '@switchyard/values';
import { scopeOf, type PrincipalCaller } from '../../platform/tasks/call/task-call.js';
import type { OnboardingDeps } from '../onboarding/onboard-seller.js';
import { webhookObjection } from '../onboarding/webhook-objection.js';
import { sellerSignIn } from '../oauth/seller-sign-in.js';
import type { AskedSignIn, SignInDeps } from '../oauth/sign-in-deps.js';

/** What runs the checks of sellers. */
export interface GateDeps extends OnboardingDeps {
  readonly egress: Pick<Egress, 'checkUrl' | 'request'>;
  readonly onboardingRuns: OnboardingRuns;
  readonly controls: Pick<ControlRequests, 'take'>;
  readonly signIns: SignInDeps;
  readonly sellerKeys: KeyInspector;
  readonly governance: Pick<GovernanceCases, 'addressOf'>;
  /** The domain by which sellers know an organization. */
  readonly domainOf: (scope: TenantScope) => Promise<string>;
  /** Our public address, without a trailing slash. */
  readonly baseUrl: () => string;
}

/** Where a seller was found, and what an admin has chosen. */
export interface GateRequest {
  readonly input: string;
  readonly source: CheckResult;
  readonly wanted: GateContext['wanted'];
  /** Whether questions that a rule answers are asked of nobody, also when the run goes on by itself. */
  readonly goesByRule?: boolean;
  /** What the admin asks for about its sign-in. */
  readonly signIn?: AskedSignIn;
  /** What the agent decides, if it sells nothing. */
  readonly decides?: readonly SellerKind[];
  /** Breaks off the calls of the checks. */
  readonly stopped?: AbortSignal;
}

/** A run, and where a person consents if it waits for that. */
export interface GateOutcome {
  readonly run: OnboardingRun;
  readonly authorizeUrl?: string;
}

/** What a test uses: it stores nothing, begins no sign-in, and asks nobody. */
export type TestDeps = Pick<
  GateDeps,
  | 'clock'
  | 'connections'
  | 'domainOf'
  | 'egress'
  | 'lease'
  | 'newId'
  | 'onboardingRuns'
  | 'sellerKeys'
  | 'transport'
>;

/** In whose name checks may change something. */
interface ActsFor {
  readonly deps: GateDeps;
  readonly caller: PrincipalCaller;
}

/** Milliseconds for one call of a check. */
const timeoutMs = 15_000;
/** How long a challenge that we have asked for is answered, in milliseconds. */
const challengeMs = 120_000;

/**
 * Runs the checks of a draft that do not stand any more, stores each result, and lets the seller go live at the end, or
 * asks another person. The draft stays one if a check fails.
 */
export async function runGate(
  deps: GateDeps,
  caller: PrincipalCaller,
  draft: Connection,
  request: GateRequest,
): Promise<GateOutcome> {
  const { run, authorizeUrl } = await judge(deps, scopeOf(caller), draft, request, { deps, caller });
  await deps.transport.forget(draft.id);
  return { run, ...(authorizeUrl !== undefined && { authorizeUrl }) };
}

/** Without `by` each check up to the reads runs anew, and nothing is stored or changed. */
async function judge(
  deps: TestDeps,
  scope: TenantScope,
  draft: Connection,
  request: GateRequest,
  by?: ActsFor,
): Promise<GateOutcome & { readonly found?: DiscoveredSeller }> {
  const before = await deps.onboardingRuns.find(scope, draft.id);
  const { goesByRule = false, stopped } = request;
  const live: {
    connection: Connection;
    version: number;
    approvalId: string | undefined;
    authorizeUrl?: string;
    found?: DiscoveredSeller;
  } = { connection: draft, version: 0, approvalId: before?.approvalId };
  const refresh = async (patch?: ConnectionPatch) => {
    if (by === undefined) return;
    if (patch !== undefined) await deps.connections.update(scope, draft.id, patch, deps.clock.now());
    live.connection = (await deps.connections.byId(scope, draft.id)) ?? live.connection;
  };
  const target = async () => {
    const { connection } = live;
    const leased = await deps.lease(scope, [connection], { operationId: connection.id, purpose: 'probe' });
    const credential = leased.ok ? leased.value.get(connection.id)?.credential : undefined;
    // A token that is renewed by itself is no other credential.
    live.version = credential?.renews === true ? 0 : (credential?.version ?? 0);
    // A sign-in that has ended leaves no token: what comes before the next one is asked without it.
    const isMissing = connection.credentialId !== undefined && credential === undefined;
    return isMissing && !(await signIn.isDue()) ? undefined : targetOf(connection, credential);
  };
  let checks: readonly StoredCheck[] = [];
  const runOf = (): OnboardingRun => ({
    connectionId: draft.id,
    input: request.input,
    state: runState(checks),
    checks,
    digest: digestOf(checks),
    // Of a test, which is not stored, nobody.
    startedBy: before?.startedBy ?? by?.caller.principalId ?? '',
    updatedAt: deps.clock.now(),
    ...(live.approvalId === undefined ? {} : { approvalId: live.approvalId }),
  });
  const save = async (results: readonly StoredCheck[]) => {
    checks = results;
    if (by === undefined) return;
    await deps.onboardingRuns.save(scope, runOf());
  };
  const signIn =
    by === undefined
      ? noSignIn
      : refreshing(
          sellerSignIn(by.deps.signIns, {
            scope,
            connection: () => live.connection,
            asked: request.signIn ?? {},
            principalId: by.caller.principalId,
            onConsent: (url) => {
              live.authorizeUrl = url;
            },
          }),
          refresh,
        );
  const context: GateContext = {
    transport: listedOnce(deps.transport),
    egress: deps.egress,
    connection: () => live.connection,
    target,
    source: { ...request.source, evidence: { ...request.source.evidence, goes_by_rule: goesByRule } },
    wanted: request.wanted,
    goesByRule,
    ...(request.decides === undefined ? {} : { decides: request.decides }),
    isPractice: draft.isSandbox,
    choose: (spoken) => refresh(spoken),
    keep: async (found) => {
      live.found = found;
      if (by === undefined) {
        live.connection = { ...live.connection, ...found };
        return;
      }
      await deps.connections.saveCapabilities(scope, live.connection, found, deps.clock.now());
      await refresh();
    },
    useAccount: (account) => refresh({ account }),
    wantAccount: () => refresh({ wantsAccount: true }),
    authorise: (wants) => Promise.resolve(tokenWanted(wants.way, wants.says)),
    signIn,
    inspectKeys: () => deps.sellerKeys.inspect(live.connection),
    challenges: {
      address: async () => {
        const id = await by?.deps.governance.addressOf(scope, draft.id, deps.newId(), deps.clock.now());
        return `${by?.deps.baseUrl() ?? ''}/webhooks/${id ?? ''}`;
      },
      expect: (expected) =>
        deps.onboardingRuns.expectChallenge(scope, draft.id, expected, deps.clock.now() + challengeMs),
      answeredBy: () => deps.onboardingRuns.challengeAnsweredBy(scope, draft.id),
    },
    ownDomain: () => deps.domainOf(scope),
    newId: deps.newId,
    now: () => deps.clock.now(),
    pause: (ms) => new Promise((resolve) => void deps.clock.after(ms, resolve)),
    webhookObjection: () => {
      const { capabilities, legacyWebhooks } = live.connection;
      return capabilities === undefined ? undefined : webhookObjection(capabilities, legacyWebhooks);
    },
    approve: async () => {
      if (by === undefined)
        return { state: 'skipped', code: 'not_wanted', words: 'A test asks nobody for an approval.' };
      const { caller } = by;
      const taken = await by.deps.controls.take(
        scope,
        { kind: 'seller_live', connectionId: draft.id, digest: runOf().digest },
        {
          principalId: caller.principalId,
          at: deps.clock.now(),
          reach: reachOf(caller, 'sellers', 'write'),
          isProgram: false,
        },
      );
      if (taken.kind === 'waits') {
        live.approvalId = taken.id;
        return {
          state: 'waiting',
          code: 'waits_for_person',
          words: 'Another person must approve it.',
          next: `switchyard sellers approve ${draft.slug}`,
        };
      }
      if (taken.kind === 'refused')
        return { state: 'failed', code: 'refused', words: taken.refusal.message, next: 'Add it again.' };
      return taken.alone
        ? {
            state: 'passed',
            code: 'alone',
            words: 'Nobody else could approve it: it was approved alone, and the audit says so.',
          }
        : { state: 'passed', code: 'not_wanted', words: 'The organization wants no second person.' };
    },
    goLive: async () => {
      await refresh();
      const { state, slug } = live.connection;
      return state === 'live'
        ? { state: 'passed', code: 'live', words: `${slug} is live.` }
        : {
            state: 'failed',
            code: 'not_live',
            words: `${slug} could not be switched on.`,
            next: 'Try again.',
          };
    },
    inTime: (work) => {
      const stop = new AbortController();
      const signal = stopped === undefined ? stop.signal : AbortSignal.any([stop.signal, stopped]);
      return work(signal).finally(deps.clock.after(timeoutMs, () => stop.abort()));
    },
  };
  // Where it was found is kept with how it is asked, and costs nothing to say again.
  const stored = by === undefined ? [] : (before?.checks ?? []).filter(({ key }) => key !== 'source');
  await runChecks({
    checks: by === undefined ? sellerChecks.filter(({ key }) => tested.has(key)) : sellerChecks,
    context,
    stored: (await signIn.isDue()) ? stored.filter(({ key }) => beforeSignIn.has(key)) : stored,
    inputsHash: () => inputsHash(live.connection, live.version),
    now: () => deps.clock.now(),
    save,
  });
  const { authorizeUrl, found } = live;
  return { run: runOf(), ...defined({ authorizeUrl, found }) };
}

/** Goes on with the checks of a seller that was found before. */
export async function resumeGate(
  deps: GateDeps,
  caller: PrincipalCaller,
  connection: Connection,
): Promise<OnboardingRun | undefined> {
  const before = await deps.onboardingRuns.find(scopeOf(caller), connection.id);
  const source = before?.checks.find(({ key }) => key === 'source');
  if (before === undefined || source === undefined) return undefined;
  const { protocol, dialect, kinds } = connection;
  const decides = kinds.filter((kind) => kind === 'rights' || kind === 'governance');
  const { run } = await runGate(deps, caller, connection, {
    input: before.input,
    source,
    goesByRule: source.evidence?.['goes_by_rule'] === true,
    // Until something has answered, both protocols are tried.
    wanted: before.checks.some(({ key, state }) => key.startsWith('reach.') && state === 'passed')
      ? { protocol, dialect }
      : {},
    ...(decides.length > 0 && decides.length === kinds.length ? { decides } : {}),
  });
  return run;
}

/** Checks whose results do not rest on who we are there. */
const beforeSignIn: ReadonlySet<StoredCheck['key']> = new Set([
  'source',
  'address',
  'reach.mcp',
  'reach.a2a',
  'reach.connector',
  'metadata',
]);

/** A test begins no sign-in. */
const noSignIn: SignIn = {
  isDue: () => Promise.resolve(false),
  run: () =>
    Promise.resolve({
      state: 'failed',
      code: 'oauth_wanted',
      words: 'It wants a sign-in by OAuth, which it has not had here.',
      next: 'Sign in there: switchyard sellers add INPUT --slug SLUG --oauth',
    }),
};

/** Checks of a test: without the purchase, the subscription, and what lets a seller go live. */
const tested: ReadonlySet<StoredCheck['key']> = new Set([
  ...beforeSignIn,
  'authorise',
  'capabilities',
  'keys',
  'accounts',
  'read.mcp',
  'read.a2a',
  'read.connector',
]);

/** What a test has found. */
interface TestedSeller {
  readonly checks: readonly StoredCheck[];
  /** Its capabilities now, if they could be read. */
  readonly found?: DiscoveredSeller;
}

/** Runs the checks of a seller that is in as if it were added now, and changes nothing. */
export async function testGate(
  deps: TestDeps,
  scope: TenantScope,
  connection: Connection,
  stopped?: AbortSignal,
): Promise<TestedSeller> {
  const { agentUrl: input, protocol, dialect, kinds } = connection;
  const source: CheckResult = { state: 'passed', code: 'known', words: 'It is in.' };
  const decides = kinds.filter((kind) => kind === 'rights' || kind === 'governance');
  const { run, found } = await judge(deps, scope, connection, {
    ...{ input, source, wanted: { protocol, dialect }, goesByRule: true },
    ...(decides.length > 0 && decides.length === kinds.length ? { decides } : {}),
    ...defined({ stopped }),
  });
  return { checks: run.checks, ...defined({ found }) };
}

/** A sign-in gives the seller another credential. */
function refreshing(signIn: SignIn, refresh: () => Promise<void>): SignIn {
  return {
    isDue: () => signIn.isDue(),
    run: async (resource, scopes) => {
      const result = await signIn.run(resource, scopes);
      await refresh();
      return result;
    },
  };
}

/** What results rest on: whatever changes how the seller is called, or who we are there. */
function inputsHash(connection: Connection, credentialVersion: number): string {
  const { agentUrl, protocol, dialect, configuredForm, credentialId, account, legacyWebhooks } = connection;
  const inputs = [
    agentUrl,
    protocol,
    dialect,
    configuredForm,
    credentialId,
    account,
    legacyWebhooks,
    credentialVersion,
  ];
  return createHash('sha256')
    .update(canonicalJson(inputs.map((input) => input ?? null)))
    .digest('hex');
}

function tokenWanted(way: WantedCredential['way'], says: string | undefined): CheckResult {
  const words = says === undefined ? '' : ` Its words: ${says}`;
  if (way === 'basic')
    return {
      state: 'needs_person',
      code: 'basic_wanted',
      words: `It wants a name and a password.${words}`,
      next: 'Add it again with them: switchyard sellers add INPUT --slug SLUG --basic --token-stdin',
    };
  if (way === 'mtls')
    return {
      state: 'needs_person',
      code: 'certificate_wanted',
      words: 'It knows its callers by their client certificate.',
      next: 'Add it again with one: switchyard sellers add INPUT --slug SLUG --certificate FILE',
    };
  return {
    state: 'needs_person',
    code: 'token_wanted',
    words: `It wants a token.${words}`,
    next: 'Add it again with a token: switchyard sellers add INPUT --slug SLUG --token-stdin',
  };
}
