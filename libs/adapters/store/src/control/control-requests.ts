import { randomUUID } from 'node:crypto';
import {
  decidesControl,
  requestsControl,
  type ControlAct,
  type ControlActor,
  type ControlDecided,
  type ControlKind,
  type ControlOutcomes,
  type ControlRefusal,
  type ControlRequest,
  type ControlRequests,
  type Taken,
} from '@switchyard/buys';
import { reachOf, type TenantScope } from '@switchyard/tenancy';
import { isUuid, type Instant } from '@switchyard/values';
import { retryDeadlock } from '../core/retry-deadlock.js';
import type { Store } from '../core/open-store.js';
import { storableJson, storableText, storableValue } from '../core/storable.js';
import type { TenantClient, TenantSession } from '../core/tenant-client.js';
import { approvalMsByDefault } from '../spending/commit-spend.js';
import { holdersOfBoth, isOnePerson } from '../tenancy/one-person.js';
import { campaignRulesSet, campaignSet, storedCampaign } from './campaign-acts.js';
import { bankAccountSet } from './bank-acts.js';
import { agreementEnded, agreementSet } from './agreement-acts.js';
import { billingRuleEnded, billingRuleSet, clientPaymentVoided, legalEntitySet } from './billing-acts.js';
import type { ActRules, Judged, Taking } from './control-act.js';
import { organizationDeleted, personErased } from './erasure-acts.js';
import {
  fourEyesSet,
  grantAdded,
  principalRestored,
  roleSet,
  signInPolicySet,
  teamMemberAdded,
} from './grant-acts.js';
import { lockControls } from './lock-controls.js';
import { invoiceVoided, restWrittenOff } from './invoice-acts.js';
import { limitRemoved, limitSet, ratesSet } from './limit-acts.js';
import { scimAllowed, signInProviderSet } from './provider-acts.js';
import { brandAdded, buyAssigned } from './move-acts.js';
import { sellerLive } from './seller-acts.js';
import { actOf, listControls, openControl, requestById } from './control-rows.js';
import { activePrincipal, holdsAt, isSomebodyElse } from './somebody-else.js';

const rules: { readonly [Kind in ControlKind]: ActRules<Kind> } = {
  set_limit: limitSet,
  remove_limit: limitRemoved,
  set_rates: ratesSet,
  add_grant: grantAdded,
  set_role: roleSet,
  add_team_member: teamMemberAdded,
  restore_principal: principalRestored,
  set_four_eyes: fourEyesSet,
  set_sign_in_policy: signInPolicySet,
  set_sign_in_provider: signInProviderSet,
  allow_scim: scimAllowed,
  erase_person: personErased,
  delete_organization: organizationDeleted,
  assign_buy: buyAssigned,
  add_brand: brandAdded,
  set_campaign: campaignSet,
  set_campaign_rules: campaignRulesSet,
  void_invoice: invoiceVoided,
  write_off_rest: restWrittenOff,
  set_bank_account: bankAccountSet,
  set_legal_entity: legalEntitySet,
  set_billing_rule: billingRuleSet,
  end_billing_rule: billingRuleEnded,
  set_agreement: agreementSet,
  end_agreement: agreementEnded,
  void_client_payment: clientPaymentVoided,
  seller_live: sellerLive,
};

/** Changes of controls: taken at once, or requested and decided by another person. On PostgreSQL. */
export function controlRequests(store: Store): ControlRequests {
  return {
    take: async (scope, act, by) => {
      const taken = await retryDeadlock(() => store.inTenant(scope, (client) => take(client, act, by)));
      if (taken.kind !== 'done') return taken;
      return { ...taken, outcome: await finish(store, scope, act, takingOf(by), taken.outcome) };
    },
    list: (scope, filter) => store.inTenant(scope, (client) => listControls(client, filter)),
    find: (scope, id, at) => store.inTenant(scope, (client) => requestById(client, id, at)),
    decide: async (scope, id, decision) => {
      const decided = await retryDeadlock(() =>
        store.inTenant(scope, (client) => decide(client, id, decision)),
      );
      if (decided.kind !== 'approved') return decided;
      await finish(store, scope, decided.act, decided.taking, decided.outcome);
      return { kind: 'decided' };
    },
    demandsAnother: (scope, kind, principalId) =>
      store.inTenant(scope, async (client) => {
        if (await isOff(client)) return 'off';
        const needed = { ...decidesControl[kind], place: {} };
        return (await isSomebodyElse(client, principalId, needed)) ? 'another' : 'alone';
      }),
    withdraw: (scope, id, principalId, at) =>
      store.inTenantModels(scope, async ({ control_request }) => {
        if (!isUuid(id)) return false;
        const now = new Date(at);
        const own = { organization_id: scope.organizationId, id, principal_id: principalId };
        const { count } = await control_request.updateMany({
          where: { ...own, state: 'open', expires_at: { gt: now } },
          data: { state: 'withdrawn', decided_at: now, decided_by: principalId },
        });
        return count > 0;
      }),
  };
}

const takingOf = ({ principalId, at, reach = { kind: 'everything' } }: ControlActor): Taking => ({
  by: principalId,
  at,
  reach,
});

/** The kind of the act chooses its rules; the compiler cannot see that they belong together. */
const rulesOf = (act: ControlAct) => rules[act.kind] as unknown as ActRules<ControlKind>;

async function take<Kind extends ControlKind>(
  client: TenantSession,
  act: Extract<ControlAct, { readonly kind: Kind }>,
  by: ControlActor,
): Promise<Taken<ControlOutcomes[Kind]>> {
  await lockControls(client);
  const taking = takingOf(by);
  const judged = await rulesOf(act).judge(client, act, taking);
  if ('refusal' in judged) return { kind: 'refused', refusal: judged.refusal };
  const apply = async (alone: boolean) => {
    const outcome = (await rulesOf(act).apply(client, act, taking)) as ControlOutcomes[Kind];
    return { kind: 'done', outcome, alone } as const;
  };
  if (judged.asks && by.isProgram === true) return { kind: 'refused', refusal: ofProgram };
  if (!judged.asks || (await isOff(client))) return apply(false);
  const needed = { ...decidesControl[act.kind], place: judged.place };
  if (await isSomebodyElse(client, by.principalId, needed)) {
    const id = (await sameThatWaits(client, act, judged, by)) ?? (await keep(client, act, judged, by));
    return { kind: 'waits', id };
  }
  const self = await activePrincipal(client, by.principalId);
  if (self === undefined || !holdsAt(self, needed)) return { kind: 'refused', refusal: ofNobody(needed) };
  await keep(client, act, judged, by, { state: 'approved', reason: nobodyElse });
  return apply(true);
}

const ofProgram = {
  code: 'PROGRAM',
  message: 'A program may not request this: its person can, with a session or a token of their own.',
} as const;

const ofNobody = ({ area, kind }: (typeof decidesControl)[ControlKind]): ControlRefusal => ({
  code: 'NOBODY',
  message: `This needs ${area}.${kind}, which neither you nor anybody else who could approve it has.`,
});

const nobodyElse = 'Nobody else could approve it: its requester took the step alone.';

type Kept =
  | ControlDecided
  | {
      readonly kind: 'approved';
      readonly act: ControlAct;
      readonly taking: Taking;
      readonly outcome: ControlOutcomes[ControlKind];
    };

async function decide(
  client: TenantSession,
  id: string,
  { state, by, at, reason }: Parameters<ControlRequests['decide']>[2],
): Promise<Kept> {
  await lockControls(client);
  const open = isUuid(id) ? await openControl(client, id, at) : undefined;
  if (open === undefined) return { kind: 'decided_before' };
  const { request } = open;
  if (await isOnePerson(client, by, request.requestedBy)) return { kind: 'own_request' };
  const both = await holdersOfBoth(client, request.requestedBy, by);
  const close = (how: 'approved' | 'denied' | 'failed', why = reason) =>
    client.models.control_request.updateMany({
      where: { organization_id: client.organizationId, id },
      data: {
        state: how,
        decided_at: new Date(at),
        decided_by: by,
        decision_reason: why === undefined ? null : storableText(why.slice(0, 2_000)),
        holders_of_both: both.map(({ name }) => name),
      },
    });
  if (state === 'denied') {
    await close('denied');
    return { kind: 'decided' };
  }
  const act = actOf(open);
  const ready = await stillStands(client, act, open.basedOn, { request, at });
  if ('message' in ready) {
    await close('failed', ready.message);
    return { kind: 'failed', message: ready.message };
  }
  const outcome = await rulesOf(act).apply(client, act, ready.taking);
  await close('approved');
  return { kind: 'approved', act, taking: ready.taking, outcome };
}

/** Judges an act again for its requester: it fails if one of the two has lost its ground. */
async function stillStands(
  client: TenantSession,
  act: ControlAct,
  basedOn: string,
  { request, at }: { readonly request: ControlRequest; readonly at: Instant },
): Promise<{ readonly taking: Taking } | { readonly message: string }> {
  const requester = await activePrincipal(client, request.requestedBy);
  if (requester === undefined) return { message: 'The requester is not active any more.' };
  const grantee = { ...requester, principalId: requester.id };
  const reach = reachOf(grantee, 'media_buys', 'write');
  const taking: Taking = { by: requester.id, at, reach, requester };
  const judged = await rulesOf(act).judge(client, act, taking);
  if ('refusal' in judged) return { message: judged.refusal.message };
  if (!holdsAt(requester, { ...requestsControl[act.kind], place: judged.place }))
    return { message: `The requester may not change the ${request.subject} any more.` };
  if (canonical(judged.basedOn) !== basedOn)
    return { message: `The ${request.subject} has changed since this was requested. Request it anew.` };
  return { taking };
}

/** PostgreSQL does not keep the order of members, so both sides are compared sorted. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  );
}

async function finish<Kind extends ControlKind>(
  store: Store,
  { organizationId }: TenantScope,
  act: Extract<ControlAct, { readonly kind: Kind }>,
  taking: Taking,
  outcome: ControlOutcomes[Kind],
): Promise<ControlOutcomes[Kind]> {
  const done = await rulesOf(act).after?.(store, act, { ...taking, organizationId }, outcome);
  return done === undefined ? outcome : (done as ControlOutcomes[Kind]);
}

/**
 * The same request of the same principal, judged on the same ground, that still waits: asked again it is no second one. Ids and
 * times that are made anew for each do not count; a grant and what else names its id is always another request.
 */
async function sameThatWaits(
  client: TenantClient,
  act: ControlAct,
  { basedOn }: Judged,
  { principalId, at }: ControlActor,
): Promise<string | undefined> {
  const { rows } = await client.query<{ id: string }>(
    `select id from control_request
     where organization_id = $1 and principal_id = $3 and kind = $4 and state = 'open' and expires_at > $2
       and based_on = $6::jsonb
       and (kind = 'allow_scim' or act #- '{limit,id}' #- '{limit,createdAt}' #- '{jobId}'
         = $5::jsonb #- '{limit,id}' #- '{limit,createdAt}' #- '{jobId}')
     limit 1`,
    [
      client.organizationId,
      new Date(at),
      principalId,
      act.kind,
      storableJson(storedAct(act)),
      storableJson(canonical(basedOn)),
    ],
  );
  return rows[0]?.id;
}

async function keep(
  client: TenantSession,
  act: ControlAct,
  judged: Judged,
  { principalId, at }: ControlActor,
  decided?: { readonly state: 'approved'; readonly reason: string },
): Promise<string> {
  const id = randomUUID();
  const when = new Date(at);
  const { place } = judged;
  const data = {
    organization_id: client.organizationId,
    id,
    kind: act.kind,
    subject: storableText(judged.subject),
    act: storableValue(storedAct(act)),
    // As text inside of JSON: compared as it is.
    based_on: storableValue(canonical(judged.basedOn)),
    reason: storableText(judged.reason),
    before: judged.before === undefined ? null : storableText(judged.before),
    after: judged.after === undefined ? null : storableText(judged.after),
    amount_micros: judged.amount ?? null,
    currency: judged.currency ?? null,
    principal_id: principalId,
    client_id: place.clientId ?? null,
    brand_domain: place.brandDomain ?? null,
    campaign_id: place.campaignId ?? null,
    state: decided?.state ?? 'open',
    requested_at: when,
    expires_at: new Date(at + approvalMsByDefault),
    decided_at: decided === undefined ? null : when,
    decision_reason: decided?.reason ?? null,
  };
  await client.models.control_request.create({ data });
  return id;
}

const storedAct = (act: ControlAct): unknown => {
  if (act.kind === 'set_limit')
    return { ...act, limit: { ...act.limit, amount: act.limit.amount.toString() } };
  return act.kind === 'set_campaign' ? { ...act, campaign: storedCampaign(act.campaign) } : act;
};

async function isOff({ models, organizationId: id }: TenantSession): Promise<boolean> {
  return (await models.organization.count({ where: { id, four_eyes: 'off' } })) > 0;
}
