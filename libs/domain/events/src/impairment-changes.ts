import type { Instant, JsonObject, JsonValue } from '@switchyard/values';

/** A stored impairment of a seller's buy, as the seller sent it. */
export interface KnownImpairment {
  readonly impairmentId: string;
  readonly detail: JsonObject;
  readonly isResolved: boolean;
}

/** A stored impairment with the time of its last change. */
export interface RecordedImpairment extends KnownImpairment {
  readonly changedAt: Instant;
}

/** A change of an impairment, and the channel that reported it. */
export interface ImpairmentChange extends KnownImpairment {
  readonly source: 'webhook' | 'snapshot';
}

/**
 * Returns the change of a webhook. Undefined where it repeats the stored state or closes an unknown
 * impairment: sellers send one state several times, each with a key of its own.
 */
export function changeByWebhook(
  known: readonly KnownImpairment[],
  received: KnownImpairment,
): ImpairmentChange | undefined {
  const before = known.find(({ impairmentId }) => impairmentId === received.impairmentId);
  return isChange(before, received) ? { ...received, source: 'webhook' } : undefined;
}

/**
 * Returns the changes of a snapshot, which lists all open impairments: those that it lacks are resolved.
 * Impairments that changed after `requestedAt` stay. Rows without an id are ignored.
 */
export function changesBySnapshot(
  recorded: readonly RecordedImpairment[],
  listed: readonly JsonObject[],
  requestedAt: Instant,
): readonly ImpairmentChange[] {
  const newer = new Set(
    recorded
      .filter((impairment) => impairment.changedAt > requestedAt)
      .map((impairment) => impairment.impairmentId),
  );
  const known = recorded.filter(({ impairmentId }) => !newer.has(impairmentId));
  const named = listed.flatMap((detail) => {
    const impairmentId = impairmentIdOf(detail);
    const isReported = impairmentId !== undefined && !newer.has(impairmentId);
    return isReported ? [{ impairmentId, detail, isResolved: false }] : [];
  });
  const update = named.filter((impairment) => !isListed(known, impairment));
  const gone = known
    .filter(
      (impairment) =>
        !impairment.isResolved && !named.some(({ impairmentId }) => impairmentId === impairment.impairmentId),
    )
    .map(({ impairmentId, detail }) => ({ impairmentId, detail, isResolved: true }));
  return [...update, ...gone].map((impairment) => ({ ...impairment, source: 'snapshot' as const }));
}

function isChange(before: KnownImpairment | undefined, { detail, isResolved }: KnownImpairment): boolean {
  if (before === undefined) return !isResolved;
  return before.isResolved !== isResolved || (!isResolved && !isSame(before.detail, detail));
}

function isListed(known: readonly KnownImpairment[], { impairmentId, detail }: KnownImpairment): boolean {
  return known.some(
    (impairment) =>
      impairment.impairmentId === impairmentId && !impairment.isResolved && isSame(impairment.detail, detail),
  );
}

/** Compares only these members: sellers add and drop others. */
function isSame(left: JsonObject, right: JsonObject): boolean {
  const core = (impairment: JsonObject): string =>
    JSON.stringify([
      impairment['resource_id'],
      impairment['reason_code'],
      impairedPackages(impairment),
      impairedTo(impairment),
    ]);
  return core(left) === core(right);
}

/** The seller's ids of the affected packages; empty where the whole buy is affected. */
export function impairedPackages(detail: JsonObject): readonly string[] {
  const ids = detail['package_ids'];
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [];
}

/** The new state of the resource. */
export function impairedTo(detail: JsonObject): string | undefined {
  const { transition } = detail;
  if (typeof transition !== 'object' || transition === null || Array.isArray(transition)) return undefined;
  return textOf(transition['to']);
}

function impairmentIdOf(detail: JsonObject): string | undefined {
  const id = textOf(detail['impairment_id']);
  return id === undefined || id === '' || id.length > 255 || id.includes('\u0000') ? undefined : id;
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
