import type { Instant, JsonObject, JsonValue } from '@switchyard/values';

/** One impairment of a seller's buy as it is kept, in the seller's words. */
export interface KnownImpairment {
  readonly impairmentId: string;
  readonly detail: JsonObject;
  readonly isResolved: boolean;
}

/** One that is on record, and as of when it stands so. */
export interface RecordedImpairment extends KnownImpairment {
  readonly changedAt: Instant;
}

/** What becomes of one, and which channel said so. */
export interface ImpairmentChange extends KnownImpairment {
  readonly source: 'webhook' | 'snapshot';
}

/**
 * What a webhook changes. Nothing where it says what is known, and where it closes what was never open: sellers fire
 * one state several times, each with a key of its own.
 */
export function changeByWebhook(
  known: readonly KnownImpairment[],
  received: KnownImpairment,
): ImpairmentChange | undefined {
  const before = known.find(({ impairmentId }) => impairmentId === received.impairmentId);
  return isNews(before, received) ? { ...received, source: 'webhook' } : undefined;
}

/**
 * What a snapshot changes: it is all there is, so what it does not list any more is over. What has changed since the
 * snapshot was asked for, at `askedAt`, it may not know of, and leaves as it is. What has no id is left out.
 */
export function changesBySnapshot(
  recorded: readonly RecordedImpairment[],
  listed: readonly JsonObject[],
  askedAt: Instant,
): readonly ImpairmentChange[] {
  const newer = new Set(recorded.filter((one) => one.changedAt > askedAt).map((one) => one.impairmentId));
  const known = recorded.filter(({ impairmentId }) => !newer.has(impairmentId));
  const named = listed.flatMap((detail) => {
    const impairmentId = impairmentIdOf(detail);
    const isToldOf = impairmentId !== undefined && !newer.has(impairmentId);
    return isToldOf ? [{ impairmentId, detail, isResolved: false }] : [];
  });
  const update = named.filter((one) => !isListed(known, one));
  const gone = known
    .filter((one) => !one.isResolved && !named.some(({ impairmentId }) => impairmentId === one.impairmentId))
    .map(({ impairmentId, detail }) => ({ impairmentId, detail, isResolved: true }));
  return [...update, ...gone].map((one) => ({ ...one, source: 'snapshot' as const }));
}

function isNews(before: KnownImpairment | undefined, { detail, isResolved }: KnownImpairment): boolean {
  if (before === undefined) return !isResolved;
  return before.isResolved !== isResolved || (!isResolved && !isSame(before.detail, detail));
}

function isListed(known: readonly KnownImpairment[], { impairmentId, detail }: KnownImpairment): boolean {
  return known.some(
    (one) => one.impairmentId === impairmentId && !one.isResolved && isSame(one.detail, detail),
  );
}

/** What matters of an impairment: sellers add and drop words around it. */
function isSame(left: JsonObject, right: JsonObject): boolean {
  const core = (one: JsonObject): string =>
    JSON.stringify([one['resource_id'], one['reason_code'], impairedPackages(one), impairedTo(one)]);
  return core(left) === core(right);
}

/** The seller's ids of the packages that it hurts; none where it hurts the whole buy. */
export function impairedPackages(detail: JsonObject): readonly string[] {
  const ids = detail['package_ids'];
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [];
}

/** The state that the resource went to. */
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
