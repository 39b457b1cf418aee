import { createHash } from 'node:crypto';
import type { ControlRequests } from '@switchyard/buys';
import {
  digestOf,
  runChecks,
  runState,
  sellerChecks,
  targetOf,
  type CheckResult,
  type Connection,
  type ConnectionPatch,
  type Egress,
  type GateContext,
  type OnboardingRun,
  type OnboardingRuns,
  type StoredCheck,
} from '@switchyard/sellers';
import { reachOf } from '@switchyard/tenancy';
import { scopeOf, type PrincipalCaller } from '../../platform/tasks/call/task-call.js';
import type { OnboardingDeps } from '../onboarding/onboard-seller.js';
import { webhookObjection } from '../onboarding/webhook-objection.js';

/** What runs the checks of sellers. */
export interface GateDeps extends OnboardingDeps {
  readonly egress: Pick<Egress, 'checkUrl' | 'request'>;
  readonly onboardingRuns: OnboardingRuns;
  readonly controls: Pick<ControlRequests, 'take'>;
}

/** Where a seller was found, and what an admin has chosen. */
export interface GateRequest {
  readonly input: string;
  readonly source: CheckResult;
  readonly wanted: GateContext['wanted'];
}

/** Milliseconds for one call of a check. */
const timeoutMs = 15_000;

/**
 * Runs the checks of a draft that do not stand any more, stores each result, and lets the seller go live at the end, or
 * asks another person. The draft stays one if a check fails.
 */
export async function runGate(
  deps: GateDeps,
  caller: PrincipalCaller,
  draft: Connection,
  request: GateRequest,
): Promise<OnboardingRun> {
  const scope = scopeOf(caller);
  const before = await deps.onboardingRuns.find(scope, draft.id);
  const live = { connection: draft, version: 0, approvalId: before?.approvalId };
  const refresh = async (patch?: ConnectionPatch) => {
    if (patch !== undefined) await deps.connections.update(scope, draft.id, patch, deps.clock.now());
    live.connection = (await deps.connections.byId(scope, draft.id)) ?? live.connection;
  };
  const target = async () => {
    const { connection } = live;
    const leased = await deps.lease(scope, [connection], { operationId: connection.id, purpose: 'probe' });
    const credential = leased.ok ? leased.value.get(connection.id)?.credential : undefined;
    live.version = credential?.version ?? 0;
    return connection.credentialId !== undefined && credential === undefined
      ? undefined
      : targetOf(connection, credential);
  };
  let checks: readonly StoredCheck[] = [];
  const runOf = (): OnboardingRun => ({
    connectionId: draft.id,
    input: request.input,
    state: runState(checks),
    checks,
    digest: digestOf(checks),
    startedBy: before?.startedBy ?? caller.principalId,
    updatedAt: deps.clock.now(),
    ...(live.approvalId === undefined ? {} : { approvalId: live.approvalId }),
  });
  const save = async (results: readonly StoredCheck[]) => {
    checks = results;
    await deps.onboardingRuns.save(scope, runOf());
  };
  const context: GateContext = {
    transport: deps.transport,
    egress: deps.egress,
    connection: () => live.connection,
    target,
    source: request.source,
    wanted: request.wanted,
    isPractice: draft.isSandbox,
    choose: (spoken) => refresh(spoken),
    keep: async (found) => {
      await deps.connections.saveCapabilities(scope, live.connection, found, deps.clock.now());
      await refresh();
    },
    useAccount: (account) => refresh({ account }),
    authorise: (wants) => Promise.resolve(tokenWanted(wants.way, wants.says)),
    webhookObjection: () => {
      const { capabilities, legacyWebhooks } = live.connection;
      return capabilities === undefined ? undefined : webhookObjection(capabilities, legacyWebhooks);
    },
    approve: async () => {
      const taken = await deps.controls.take(
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
      return work(stop.signal).finally(deps.clock.after(timeoutMs, () => stop.abort()));
    },
  };
  await runChecks({
    checks: sellerChecks,
    context,
    stored: before?.checks ?? [],
    inputsHash: () => inputsHash(live.connection, live.version),
    now: () => deps.clock.now(),
    save,
  });
  await deps.transport.forget(draft.id);
  return runOf();
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
  return createHash('sha256').update(JSON.stringify(inputs)).digest('hex');
}

function tokenWanted(way: 'none' | 'token' | 'basic' | 'oauth', says: string | undefined): CheckResult {
  const words = says === undefined ? '' : ` Its words: ${says}`;
  if (way === 'basic')
    return {
      state: 'needs_person',
      code: 'basic_wanted',
      words: `It wants a name and a password.${words}`,
      next: 'Add it again with them: switchyard sellers add INPUT --slug SLUG --basic --token-stdin',
    };
  return {
    state: 'needs_person',
    code: way === 'oauth' ? 'oauth_wanted' : 'token_wanted',
    words: `It wants ${way === 'oauth' ? 'a token of its authorization server' : 'a token'}.${words}`,
    next: 'Add it again with a token: switchyard sellers add INPUT --slug SLUG --token-stdin',
  };
}
