import {
  type WireProfile,
  projectError,
  type TaskError,
  findTask,
  readWarnings,
  taskTable,
  lostInReading,
  prefixId,
  unconfirmed,
  type Finding,
  getProducts,
  getSignals,
  hasFeature,
  listAuthorizedProperties,
  listCreativeFormats,
  type SellerRow,
} from '@switchyard/protocol';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import {
  unsignedLeg,
  type Leg,
  type OperationState,
  translateError,
  isSettled,
  reportedOf,
} from '@switchyard/buys';
import { isMeantFor } from '@switchyard/sellers';
import type { Handled, HandledCall, HandlerDeps } from '../call/handler.js';

/**
 * Adds our own members to an answer: at the top level in the `service` form, under `ext.switchyard` elsewhere, like the
 * rows of sellers. `undefined` and empty lists are omitted. Findings are merged, each once; any other member is
 * replaced.
 */
export function withOurs(
  payload: JsonObject,
  members: Readonly<Record<string, JsonValue | undefined>>,
  profile: WireProfile,
): JsonObject {
  const isFlat = profile.form === 'service';
  const ext = isJsonObject(payload['ext']) ? payload['ext'] : {};
  const ours = isFlat ? payload : isJsonObject(ext['switchyard']) ? ext['switchyard'] : {};
  const reported = Object.fromEntries(
    Object.entries(members).flatMap(([name, value]): [string, JsonValue][] => {
      if (value === undefined || (Array.isArray(value) && value.length === 0)) return [];
      return [[name, name === 'findings' ? joined(ours[name], value) : value]];
    }),
  );
  if (Object.keys(reported).length === 0) return payload;
  if (isFlat) return { ...payload, ...reported };
  return { ...payload, ext: { ...ext, switchyard: { ...ours, ...reported } } };
}

function joined(before: JsonValue | undefined, added: JsonValue): JsonValue {
  if (!Array.isArray(before) || !Array.isArray(added)) return added;
  const seen = new Set(before.map(identityOf));
  return [...before, ...added.filter((finding) => !seen.has(identityOf(finding)))];
}

/** Two findings are equal if they say the same of the same member of the same seller. */
function identityOf(finding: JsonValue): string {
  if (!isJsonObject(finding)) return JSON.stringify(finding);
  return JSON.stringify(['seller', 'code', 'field', 'message'].map((name) => finding[name] ?? null));
}

/** Adds advisory errors to a payload: the answer is valid, and names what it could not answer. */
export function withErrors(
  payload: JsonObject,
  errors: readonly TaskError[],
  profile: WireProfile,
): JsonObject {
  if (errors.length === 0) return payload;
  return { ...payload, errors: errors.map((error) => projectError(error, profile.dialect, profile.form)) };
}

/**
 * Adds findings about what could not be carried to a seller, or was odd in its answer: nothing is dropped silently. At
 * the top level in the `service` form, under `ext.switchyard` elsewhere, like the rows of sellers.
 */
export function withFindings(payload: JsonObject, state: OperationState, profile: WireProfile): JsonObject {
  const findings = state.legs
    .filter((leg) => leg.status !== 'held')
    .flatMap((leg) =>
      [...leg.findings, ...unreadOf(leg), ...undoneBy(leg), ...remarksOn(leg)]
        .filter(({ code }) => code !== unsignedLeg)
        .map(({ code, message, field }): JsonObject => ({
          seller: leg.seller,
          code,
          message,
          ...(field === undefined ? {} : { field: ownName(state, leg.seller, field) }),
        })),
    );
  return withOurs(payload, { findings }, profile);
}

/** Members of a seller's answer that our model does not have. */
function unreadOf({ task: name, status, answer, profile }: Leg): readonly Finding[] {
  const task = status === 'completed' ? findTask(name) : undefined;
  const read = task?.readAnswer(answer ?? {}, profile);
  if (task === undefined || read?.ok !== true) return [];
  return lostInReading(task, answer ?? {}, read.value.answer as object, profile);
}

/** Effects that a seller was asked for, and that its final answer neither confirms nor refuses. */
function undoneBy(leg: Leg): readonly Finding[] {
  // The bytes of a sealed request are its brand's own.
  if (leg.status !== 'completed' || leg.sealed === true) return [];
  return unconfirmed(leg.task, reportedOf(leg), leg.answer ?? {});
}

/** What a seller warns of beside a purchase or change that it made. */
function remarksOn({ status, task, answer = {} }: Leg): readonly Finding[] {
  const isBuy = task === taskTable.createMediaBuy.name || task === taskTable.updateMediaBuy.name;
  if (status !== 'completed' || !isBuy) return [];
  return readWarnings(answer).map(({ code, message, field }) => ({
    code,
    message,
    ...(field === undefined ? {} : { field }),
  }));
}

/**
 * A finding that names a package by the seller's own id is returned with the buyer's id
 * (docs/protocol/requests-and-versions.md#ids).
 */
function ownName({ packages }: OperationState, seller: string, field: string): string {
  const isPackage = packages.some((item) => item.seller === seller && item.sellerPackageId === field);
  return isPackage ? prefixId(seller, field) : field;
}

/**
 * Adds the refusals of single sellers to an answer that is valid because others accepted. The releases allow no
 * `errors` there, and a seller's row has only a code.
 */
export function withSellerErrors(
  payload: JsonObject,
  state: OperationState,
  profile: WireProfile,
): JsonObject {
  const errors = state.legs
    .filter((leg) => isSettled(leg) && leg.status !== 'completed')
    .flatMap((leg) => leg.errors.map((error) => translateError(state, leg, error)))
    .map((error) => projectError(error, profile.dialect, profile.form));
  return withOurs(payload, { seller_errors: errors }, profile);
}

const governanceMember = 'governance_context';

/** Reads that are forwarded with the buyer's own members. The others are sent in our own form. */
const forwardedReads: ReadonlySet<string> = new Set([
  getProducts.name,
  getSignals.name,
  listCreativeFormats.name,
  listAuthorizedProperties.name,
]);

/**
 * Adds a finding that the governance token of a read went to no seller: a token is for one audience
 * (docs/protocol/relay.md#governance-context), and a buyer who believes that it was sent would wait for the result. For
 * a change, its first leg has the same finding.
 */
export async function withGovernanceFinding(
  { ports }: Pick<HandlerDeps, 'ports'>,
  { spec, scope, args, version }: HandledCall<unknown>,
  outcome: Handled,
): Promise<Handled> {
  const token = args[governanceMember];
  if (spec.kind !== 'read' || typeof token !== 'string' || outcome.kind !== 'done') return outcome;
  const requested = forwardedReads.has(spec.name) ? requestedAmong(outcome.sellers ?? []) : new Set<string>();
  const isSent = (await ports.connections.list(scope)).some(
    ({ slug, agentUrl, form }) =>
      requested.has(slug) && hasFeature(form, 'governanceContext') && isMeantFor(token, agentUrl),
  );
  if (isSent) return outcome;
  const message = 'The governance context was not forwarded: no queried seller is its only audience.';
  const finding = { code: 'GOVERNANCE_CONTEXT_NOT_FORWARDED', message, field: governanceMember };
  return { ...outcome, payload: withOurs(outcome.payload, { findings: [finding] }, version.profile) };
}

function requestedAmong(rows: readonly SellerRow[]): ReadonlySet<string> {
  return new Set(rows.filter(({ status }) => status !== 'skipped').map(({ seller }) => seller));
}
