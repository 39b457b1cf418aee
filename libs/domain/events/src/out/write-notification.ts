import { Buffer } from 'node:buffer';
import type { CreativeStatus, Subscriber } from '@switchyard/protocol';
import { isoOf, type Instant, type JsonObject } from '@switchyard/values';
import type { BuyerRegistration } from './buyer-registration.js';
import { streamOf, type OutboxDraft } from './outbox-event.js';

/** A change of the status of an account, with the words of account.status_changed. */
export interface AccountStatusChange {
  readonly accountId: string;
  readonly from: string;
  readonly to: string;
  readonly reason: 'payment_required' | 'manual_update' | 'buyer_requested';
}

/** A new version of what this agent offers. */
export interface CapabilitiesChange {
  /** As its capabilities show it. */
  readonly version: string;
  /** The address of the agent. */
  readonly agentUrl: string;
}

interface Ids {
  readonly id: string;
  readonly idempotencyKey: string;
  /** One for each change, whoever is told of it. */
  readonly notificationId: string;
}

/** Tells a subscriber of an account that its status has changed. The subscriber reads the account again. */
export function writeAccountChange(
  to: BuyerRegistration,
  change: AccountStatusChange,
  ids: Ids,
  at: Instant,
): OutboxDraft {
  return draftOf(to, ids, at, `account ${change.accountId}`, 'account.status_changed', {
    account_id: change.accountId,
    previous_status: change.from,
    status: change.to,
    observed_at: isoOf(at),
    reason_code: change.reason,
  });
}

/** A creative of an account whose state over all its sellers was changed by one of them. */
export interface CreativeChange {
  readonly accountId: string;
  readonly creativeId: string;
  readonly from: CreativeStatus;
  readonly to: CreativeStatus;
  /** As the seller named it. */
  readonly reasonCode?: string;
}

/**
 * Tells a subscriber of an account that the state of a creative has changed; undefined where the release has no words for the
 * change (docs/protocol/webhooks-out.md#subscribers).
 */
export function writeCreativeChange(
  to: BuyerRegistration,
  change: CreativeChange,
  ids: Ids,
  at: Instant,
): OutboxDraft | undefined {
  // An approval ends a first review, also where its seller showed nothing between.
  const from = change.from === 'processing' && change.to === 'approved' ? 'pending_review' : change.from;
  const move = moves[`${from} ${change.to}`];
  const named = change.reasonCode ?? '';
  const reason = move?.allowed.includes(named) === true ? named : move?.usual;
  if (reason === undefined) return undefined;
  return draftOf(to, ids, at, `account ${change.accountId}`, 'creative.status_changed', {
    account_id: change.accountId,
    creative_id: change.creativeId,
    transition: { from, to: change.to, observed_at: isoOf(at) },
    reason_code: reason,
    initiator: 'seller',
  });
}

interface Move {
  readonly allowed: readonly string[];
  /** What is said where the seller names none of these; absent: nothing that would be true. */
  readonly usual?: string;
}

const lostSource = [
  ...['identity_authorization_revoked', 'identity_authorization_expired', 'source_private', 'source_deleted'],
  ...['account_suspended', 'takedown_request'],
];

/** The reasons of each change that the release has. */
const moves: Readonly<Record<string, Move>> = {
  'processing rejected': { allowed: ['review_failure'], usual: 'processing_failure' },
  'pending_review approved': { allowed: [], usual: 'review_passed' },
  'pending_review rejected': { allowed: [], usual: 'review_failure' },
  'approved pending_review': { allowed: ['content_drift'], usual: 'seller_rereview' },
  'approved suspended': { allowed: lostSource },
  'approved rejected': {
    allowed: ['content_drift', 'takedown_request', 'advertiser_request'],
    usual: 'policy_revocation',
  },
  'approved archived': { allowed: ['account_closed', 'retention_expired'], usual: 'seller_archive' },
  'suspended approved': { allowed: [], usual: 'review_passed' },
  'suspended rejected': { allowed: lostSource, usual: 'policy_revocation' },
};

/** Tells a subscriber of this agent that its capabilities have changed. The subscriber reads them again. */
export function writeCapabilitiesChange(
  to: BuyerRegistration,
  { version, agentUrl }: CapabilitiesChange,
  ids: Ids,
  at: Instant,
): OutboxDraft {
  return draftOf(to, ids, at, 'capabilities', 'capabilities.changed', {
    agent_url: agentUrl,
    changed_at: isoOf(at),
    reason: 'configuration_changed',
    capabilities_version: version,
  });
}

function draftOf(
  to: BuyerRegistration,
  ids: Ids,
  at: Instant,
  subject: string,
  type: string,
  members: JsonObject,
): OutboxDraft {
  const { notificationId } = ids;
  const body = {
    idempotency_key: ids.idempotencyKey,
    notification_id: notificationId,
    notification_type: type,
    fired_at: isoOf(at),
    subscriber_id: to.subscriberId ?? '',
    ...members,
  };
  return {
    ...ids,
    registrationId: to.id,
    principalId: to.principalId,
    operationId: to.operationId,
    stream: streamOf(to.id, subject),
    kind: 'change',
    notificationType: type,
    body: Buffer.from(JSON.stringify(body), 'utf8'),
    createdAt: at,
  };
}

/**
 * The question whether a subscriber's address belongs to the caller: its receiver answers with the challenge
 * (docs/protocol/webhooks-out.md#subscribers).
 */
export function writeChallenge(
  { subscriberId, eventTypes }: Subscriber,
  about: { readonly accountId?: string; readonly agentUrl: string; readonly challenge: string },
): JsonObject {
  return {
    type: 'webhook.challenge',
    ...(about.accountId === undefined ? { scope: 'agent' } : { account_id: about.accountId }),
    challenge: about.challenge,
    subscriber_id: subscriberId,
    seller_agent_url: about.agentUrl,
    delivery_auth: { mode: 'rfc9421' },
    event_types: [...eventTypes],
  };
}

/** Whether a receiver's answer is the proof: the challenge, in one of its two members. */
export function isProof(answer: JsonObject, challenge: string): boolean {
  const { challenge: echoed, token } = answer;
  return (echoed === undefined) !== (token === undefined) && (echoed ?? token) === challenge;
}
