import { splitId, type ActivationKey, type Finding } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import { isJsonObject, withoutEndSlashes, type JsonObject, type JsonValue } from '@switchyard/values';
import type { Activation, ActivationRepository } from '../model/activation.js';

/** Members that name a signal in targeting: ids in an entry, or segments. */
const idNames = ['signal_agent_segment_id', 'signal_id'] as const;
const segmentNames: ReadonlySet<string> = new Set(['axe_include_segment', 'axe_exclude_segment']);
const deepest = 16;

/** Targeting as one seller gets it, and findings on what could not be sent. */
interface KeyedTargeting {
  readonly targeting: JsonObject;
  readonly findings: readonly Finding[];
}

/** Replaces signals in targeting by the seller's keys. */
export type OfferKeys = (targeting: JsonObject, seller: Connection) => KeyedTargeting;

/**
 * Reads the activations of all signals that some targetings name by our ids, so that each seller gets its own
 * key. A signal that is not live at the seller stays as the buyer named it, with a finding: without it, the
 * buy would reach people outside the requested audience.
 */
export async function keysFor(
  repository: ActivationRepository | undefined,
  scope: TenantScope,
  connections: readonly Connection[],
  targetings: readonly JsonObject[],
): Promise<OfferKeys> {
  const agents = new Map(
    connections
      .filter((connection) => connection.kinds.includes('signals'))
      .map((connection) => [connection.slug, connection.id]),
  );
  const segments = new Map<string, { readonly connectionId: string; readonly segmentId: string }>();
  const lookUp = (text: JsonValue | undefined): string | undefined => {
    const id = typeof text === 'string' ? splitId(text) : undefined;
    const connectionId = id?.ok === true ? agents.get(id.value.slug) : undefined;
    if (id?.ok !== true || connectionId === undefined || typeof text !== 'string') return undefined;
    segments.set(text, { connectionId, segmentId: id.value.id });
    return text;
  };
  for (const targeting of targetings) {
    walk(targeting, 0, { entry: (entry) => note(entry, lookUp), segment: (text) => (lookUp(text), text) });
  }
  const rows =
    repository === undefined || segments.size === 0 ? [] : await repository.of(scope, [...segments.values()]);
  return (targeting, seller) => {
    const findings = new Map<string, Finding>();
    const keyAt = (id: string): ActivationKey | undefined => {
      const segment = segments.get(id);
      const row = rows.find(
        (activation) =>
          activation.connectionId === segment?.connectionId &&
          activation.segmentId === segment.segmentId &&
          isAt(activation, seller),
      );
      if (row?.key === undefined) findings.set(id, notLive(id, seller));
      return row?.key;
    };
    const keyed = walk(targeting, 0, {
      entry: (entry) => {
        const [named] = idNames.flatMap((name) => {
          const id = entry[name];
          return typeof id === 'string' && segments.has(id) ? [{ name, id }] : [];
        });
        if (named === undefined) return entry;
        const { name, id } = named;
        // A key that the buyer sends is not replaced.
        const key = 'activation_key' in entry ? undefined : keyAt(id);
        if (key === undefined) return entry;
        return { ...entry, [name]: segments.get(id)?.segmentId ?? id, activation_key: written(key) };
      },
      segment: (text) => {
        if (!segments.has(text)) return text;
        const key = keyAt(text);
        if (key?.type === 'segment_id') return key.segmentId;
        if (key !== undefined) findings.set(text, noSegment(text, seller));
        return text;
      },
    });
    return { targeting: keyed, findings: [...findings.values()] };
  };
}

interface Visitor {
  entry(entry: JsonObject): JsonObject;
  segment(text: string): string;
}

function note(entry: JsonObject, lookUp: (text: JsonValue | undefined) => string | undefined): JsonObject {
  for (const name of idNames) lookUp(entry[name]);
  return entry;
}

function walk(value: JsonObject, depth: number, visit: Visitor): JsonObject {
  if (depth > deepest) return value;
  const below = (item: JsonValue): JsonValue => {
    if (Array.isArray(item)) return item.map(below);
    return isJsonObject(item) ? walk(item, depth + 1, visit) : item;
  };
  const members = Object.entries(value).map(([name, item]): [string, JsonValue] => [
    name,
    segmentNames.has(name) && typeof item === 'string' ? visit.segment(item) : below(item),
  ]);
  return visit.entry(Object.fromEntries(members));
}

/** Whether the signal is live at the seller: at its address or its platform name, and at no other account than ours. */
function isAt({ state, target }: Activation, seller: Connection): boolean {
  if (state !== 'live') return false;
  const { account } = seller;
  const accountId = account !== undefined && 'accountId' in account ? account.accountId : undefined;
  if (target.account !== undefined && accountId !== undefined && target.account !== accountId) return false;
  if (target.type === 'agent') return bare(target.agentUrl) === bare(seller.agentUrl);
  return [seller.slug, seller.name].map(bare).includes(bare(target.platform));
}

function bare(text: string | undefined): string {
  return withoutEndSlashes(text ?? '').toLowerCase();
}

function written(key: ActivationKey): JsonObject {
  return key.type === 'segment_id'
    ? { type: key.type, segment_id: key.segmentId }
    : { type: key.type, key: key.key, value: key.value };
}

function notLive(id: string, seller: Connection): Finding {
  return {
    code: 'SIGNAL_NOT_LIVE',
    message:
      `The signal ${id} is not known to be live at the seller ${seller.slug}: it was given no key for it. ` +
      `Activate it with activate_signal for the deployment {"type":"agent","agent_url":"${seller.agentUrl}"}.`,
    field: 'targeting_overlay',
  };
}

function noSegment(id: string, seller: Connection): Finding {
  return {
    code: 'NOT_CARRIED',
    message:
      `The signal ${id} has a key and a value at the seller ${seller.slug}, which a segment cannot say. ` +
      'Name it in signal_targeting_groups as signal_agent_segment_id.',
    field: 'targeting_overlay',
  };
}

/** Replaces every signal in the targeting of a request's parts by the seller's own key. */
export function withKeys<Part extends { readonly targetingOverlay?: JsonObject }>(
  parts: readonly Part[],
  seller: Connection,
  offerKeys: OfferKeys,
): { readonly requests: readonly Part[]; readonly findings: readonly Finding[] } {
  const keyed = parts.map((part) => {
    if (part.targetingOverlay === undefined) return { part, findings: [] };
    const { targeting, findings } = offerKeys(part.targetingOverlay, seller);
    return { part: { ...part, targetingOverlay: targeting }, findings };
  });
  const received = new Map(
    keyed.flatMap(({ findings }) => findings).map((finding) => [finding.message, finding]),
  );
  return { requests: keyed.map(({ part }) => part), findings: [...received.values()] };
}
