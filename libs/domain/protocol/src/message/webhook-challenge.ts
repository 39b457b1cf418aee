import { createHash } from 'node:crypto';
import { isJsonObject, type JsonValue } from '@switchyard/values';

/** What a challenge must say to be answered: it is the one that we have just asked for. */
export interface ExpectedChallenge {
  readonly accountId: string;
  readonly subscriberId: string;
  readonly agentUrl: string;
  readonly eventTypes: readonly string[];
}

/** A seller's request to prove that we have an address, signed by the seller. */
export interface WebhookChallenge extends ExpectedChallenge {
  /** To be sent back. */
  readonly challenge: string;
  readonly deliveryMode: string;
}

const challengeText = /^[A-Za-z0-9_.:-]{32,255}$/;

/** Reads the body of a challenge; undefined if it is none, or lacks a member. */
export function readWebhookChallenge(body: JsonValue): WebhookChallenge | undefined {
  if (!isJsonObject(body) || body['type'] !== 'webhook.challenge') return undefined;
  const { challenge, account_id: accountId, subscriber_id: subscriberId, seller_agent_url: agentUrl } = body;
  const { delivery_auth: auth, event_types: types } = body;
  const deliveryMode = isJsonObject(auth) ? auth['mode'] : undefined;
  const eventTypes = Array.isArray(types) ? types.filter((type) => typeof type === 'string') : [];
  if (
    typeof challenge !== 'string' ||
    !challengeText.test(challenge) ||
    typeof accountId !== 'string' ||
    typeof subscriberId !== 'string' ||
    typeof agentUrl !== 'string' ||
    typeof deliveryMode !== 'string'
  )
    return undefined;
  return { challenge, accountId, subscriberId, agentUrl, deliveryMode, eventTypes };
}

/** Whether a challenge is the expected one: every member equal, and signatures for what comes later. */
export function isExpected(challenge: WebhookChallenge, expected: ExpectedChallenge): boolean {
  return (
    challenge.deliveryMode === 'rfc9421' &&
    challenge.accountId === expected.accountId &&
    challenge.subscriberId === expected.subscriberId &&
    challenge.agentUrl === expected.agentUrl &&
    challenge.eventTypes.toSorted().join() === expected.eventTypes.toSorted().join()
  );
}

/** SHA-256 of a challenge, in hex: the value itself is stored nowhere. */
export const challengeHash = (challenge: string): string =>
  createHash('sha256').update(challenge).digest('hex');
