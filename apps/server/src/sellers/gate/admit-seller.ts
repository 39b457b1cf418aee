import type { CheckResult, Connection, OnboardingRun } from '@switchyard/sellers';
import { defined, err, ok, type Result } from '@switchyard/values';
import type { AdminFailure, SellerDraft } from '../../platform/failure.js';
import { scopeOf, type PrincipalCaller } from '../../platform/tasks/call/task-call.js';
import { onboardSeller, prepareSeller } from '../onboarding/onboard-seller.js';
import { runGate, type GateDeps } from './run-gate.js';

/** A seller after its checks. */
export interface Admitted {
  readonly connection: Connection;
  readonly state: OnboardingRun['state'];
  /** Why it is not live, and what to do. */
  readonly reason?: string;
  readonly code?: string;
}

/** Brings in a seller that is given by its address. */
export type AdmitSeller = (
  caller: PrincipalCaller,
  draft: SellerDraft,
) => Promise<Result<Admitted, AdminFailure>>;

interface AdmitDeps extends GateDeps {
  readonly isSandboxUrl: (agentUrl: string) => boolean;
}

/** One in these states is through the gate: it is changed, and not brought in, unless its address changes. */
const throughTheGate: ReadonlySet<string> = new Set<Connection['state']>(['live', 'suspended', 'disabled']);

const source: CheckResult = {
  state: 'passed',
  code: 'unconfirmed',
  words: 'It was entered by its address, and no document was asked about it.',
};

/**
 * Brings in a seller by its address through the checks of the gate, and asks another person like any other way in. Sellers
 * of the practice market that this process started are not judged: some of them are slow or wrong on purpose.
 */
export async function admitSeller(
  deps: AdmitDeps,
  caller: PrincipalCaller,
  draft: SellerDraft,
): Promise<Result<Admitted, AdminFailure>> {
  const scope = scopeOf(caller);
  const known = await deps.connections.bySlug(scope, draft.slug);
  const isPractice = deps.isSandboxUrl(draft.agentUrl);
  if (isPractice || (known !== undefined && isChange(known, draft))) {
    const changed = await onboardSeller(deps, caller, draft, isPractice);
    if (!changed.ok) return changed;
    const { state, stateReason: reason } = changed.value;
    return ok({
      connection: changed.value,
      state: state === 'live' ? state : 'failed',
      ...defined({ reason }),
    });
  }
  const isIn = known !== undefined && known.state !== 'draft' && known.state !== 'removed';
  const prepared = await prepareSeller(deps, caller, draft, {
    isSandbox: false,
    // What runs at a known seller is read on, so it stays in the lists.
    state: isIn ? 'onboarding' : 'draft',
  });
  if (!prepared.ok) return prepared;
  const { id } = prepared.value;
  const { protocol, dialect, agentUrl: input } = draft;
  await runGate(deps, caller, prepared.value, {
    input,
    source,
    wanted: { protocol, dialect },
    goesByRule: true,
  });
  const [connection, run] = [
    await deps.connections.byId(scope, id),
    await deps.onboardingRuns.find(scope, id),
  ];
  if (connection === undefined || run === undefined)
    return err({ code: 'NOT_FOUND', message: 'The seller was removed meanwhile.' });
  return ok({ connection, state: run.state, ...whyNot(run) });
}

function isChange(known: Connection, draft: SellerDraft): boolean {
  return throughTheGate.has(known.state) && known.agentUrl === draft.agentUrl;
}

function whyNot({ state, checks }: OnboardingRun): Pick<Admitted, 'reason' | 'code'> {
  const open = checks.find((check) => check.state !== 'passed' && check.state !== 'skipped');
  if (state === 'live' || open === undefined) return {};
  return { code: open.code, reason: open.next === undefined ? open.words : `${open.words} ${open.next}` };
}
