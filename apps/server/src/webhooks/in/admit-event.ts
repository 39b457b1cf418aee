import { storeObservation, type Leg } from '@switchyard/buys';
import { readA2aEvent, readWebhookEnvelope, replyOfEnvelope, type SellerReply } from '@switchyard/protocol';
import type { DecisionDraft, EventLog, InboxMark, StoredEvent } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import { err, ok, parseStrictJson, type Instant, type Result, type StrictJson } from '@switchyard/values';
import { applyCreativeEvent } from './apply-creative-event.js';
import { applyImpairment } from './apply-impairment.js';
import { replyOf } from './apply-native-event.js';
import type { WorkerDeps } from '../../platform/lanes/worker-deps.js';
import { readReport } from './read-report.js';

/** Who admits an event, and why. */
export interface Admission {
  readonly decisionId: string;
  readonly principalId: string;
  readonly principalName: string;
  readonly reason: string;
}

/** `not_quarantined`: somebody else was first. `not_admissible`: no decision can make it usable. */
interface AdmissionFailure {
  readonly code: 'not_quarantined' | 'not_admissible';
  readonly message: string;
}

type Effect = Pick<DecisionDraft, 'state' | 'stateReason'>;
type Admitted = Result<Effect, AdmissionFailure>;

/** Thrown to roll back the ledger for an event that somebody else decided meanwhile. */
class DecidedMeanwhile extends Error {}

/**
 * Applies a quarantined event as a person decided. A report is posted, and the decision recorded, in one transaction; a
 * task update is applied first, which is idempotent.
 */
export async function admitEvent(
  deps: WorkerDeps & { readonly events: EventLog },
  scope: TenantScope,
  event: StoredEvent,
  admission: Admission,
): Promise<Admitted> {
  if (event.state !== 'quarantined') return notQuarantined;
  if (event.registrationKind === 'events')
    return notAdmissible('It came to an address that belongs to no buy.');
  const now = deps.ports.clock.now();
  if (event.kind === 'delivery_report') return admitReport(deps, { scope, event, admission }, now);
  const effect = await effectOf(deps, scope, event);
  if (!effect.ok) return effect;
  const isDecided = await deps.events.decideAlone(scope, draftOf(event, admission, effect.value, now));
  return isDecided ? effect : notQuarantined;
}

async function admitReport(
  deps: WorkerDeps & { readonly events: EventLog },
  {
    scope,
    event,
    admission,
  }: { readonly scope: TenantScope; readonly event: StoredEvent; readonly admission: Admission },
  now: Instant,
): Promise<Admitted> {
  const by = { by: admission.principalName, reason: admission.reason };
  const read = await readReport(deps, scope, event, by);
  if (!('observation' in read)) return notAdmissible(`It cannot be read (${read.reason ?? 'no reason'}).`);
  let effect: Admitted = notQuarantined;
  try {
    await deps.ledger.applyReports(scope, [read.observation], {
      now,
      alongside: async (client, [outcome]) => {
        if (outcome?.kind === 'quarantined') {
          effect = notAdmissible(outcome.reasons.map(({ message }) => message).join(' '));
          return;
        }
        if (outcome === undefined || outcome.kind === 'deferred') {
          effect = notAdmissible('The request of its buy has no answer yet: try again later.');
          return;
        }
        const received: Effect =
          outcome.kind === 'duplicate'
            ? { state: 'stale', stateReason: 'already_recorded' }
            : { state: 'applied', stateReason: 'admitted' };
        if (!(await deps.events.decide(client, draftOf(event, admission, received, now))))
          throw new DecidedMeanwhile();
        effect = ok(received);
      },
    });
  } catch (error) {
    if (error instanceof DecidedMeanwhile) return notQuarantined;
    throw error;
  }
  return effect;
}

async function effectOf(deps: WorkerDeps, scope: TenantScope, event: StoredEvent): Promise<Admitted> {
  if (event.kind === 'task_status') return applyTask(deps, scope, event);
  if (event.kind === 'creative_status') return applyCreative(deps, scope, event);
  if (event.kind === 'other' && event.idempotencyKey === undefined)
    return notAdmissible('It has no envelope.');
  if (event.kind !== 'impairment') return withoutEffect(event);
  return effectOfMark((await applyImpairment(deps, scope, event)).mark);
}

async function applyCreative(deps: WorkerDeps, scope: TenantScope, event: StoredEvent): Promise<Admitted> {
  return effectOfMark(await applyCreativeEvent(deps, scope, event));
}

function effectOfMark({ state, reason }: InboxMark): Admitted {
  if (state !== 'applied' && state !== 'stale')
    return notAdmissible(`It is still wrong (${reason ?? state}).`);
  return ok({ state, stateReason: reason ?? 'admitted' });
}

async function applyTask(deps: WorkerDeps, scope: TenantScope, event: StoredEvent): Promise<Admitted> {
  const leg = await deps.ports.store.leg(scope, event.legId);
  const parsed = parseStrictJson(event.body);
  if (leg === undefined || !parsed.ok) return notAdmissible('It cannot be read.');
  const reply = replyIn(event, leg, parsed.value);
  if (reply === undefined) return notAdmissible('Its envelope cannot be read.');
  const applied = await storeObservation(deps.ports, scope, leg, {
    source: 'webhook',
    at: event.receivedAt,
    reply,
  });
  if (applied === undefined) return notAdmissible('Its leg was not found.');
  if (applied.kind === 'changed') return ok({ state: 'applied', stateReason: 'admitted' });
  if (applied.kind === 'parked') return ok({ state: 'applied', stateReason: 'admitted:leg_parked' });
  return ok({ state: 'stale', stateReason: `admitted:${applied.kind}` });
}

function replyIn(event: StoredEvent, leg: Leg, { value, exact }: StrictJson): SellerReply | undefined {
  if (event.registrationKind === 'a2a') {
    const update = readA2aEvent(value);
    return update === undefined ? undefined : replyOf(update, leg);
  }
  const reading = readWebhookEnvelope(value, exact, leg.profile.form);
  return reading.ok ? replyOfEnvelope(reading.value.envelope) : undefined;
}

function withoutEffect(event: StoredEvent): Admitted {
  return ok({ state: 'applied', stateReason: `known_without_effect:${event.kind}` });
}

function draftOf(event: StoredEvent, admission: Admission, effect: Effect, now: Instant): DecisionDraft {
  const { decisionId, principalId, principalName, reason } = admission;
  return {
    id: decisionId,
    eventId: event.id,
    decision: 'admitted',
    reason,
    principalId,
    principalName,
    decidedAt: now,
    ...effect,
  };
}

const notQuarantined: Admitted = err({
  code: 'not_quarantined',
  message: 'It is not in quarantine.',
});

function notAdmissible(why: string): Admitted {
  return err({ code: 'not_admissible', message: `It cannot be admitted. ${why}` });
}
