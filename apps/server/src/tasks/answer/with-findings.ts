import { unsignedLeg, type Leg, type OperationState } from '@switchyard/buys';
import { findTask, lostInReading, prefixId, type Finding, type WireProfile } from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';
import { withOurs } from './with-ours.js';

/**
 * Says beside an answer what could not be carried over to a seller, or what a seller said oddly: nothing is dropped in
 * silence. At the top level in the `service` form, under `ext.switchyard` elsewhere, as the rows of sellers are.
 */
export function withFindings(payload: JsonObject, state: OperationState, profile: WireProfile): JsonObject {
  const findings = state.legs
    .filter((leg) => leg.status !== 'held')
    .flatMap((leg) =>
      [...leg.findings, ...unreadOf(leg)]
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

/** What a seller's answer says that nobody here has a place for. */
function unreadOf({ task: name, status, answer, profile }: Leg): readonly Finding[] {
  const task = status === 'completed' ? findTask(name) : undefined;
  const read = task?.readAnswer(answer ?? {}, profile);
  if (task === undefined || read?.ok !== true) return [];
  return lostInReading(task, answer ?? {}, read.value.answer as object, profile);
}

/**
 * A package that a finding names by its seller's own id goes out under the id that the buyer knows
 * (docs/protocol/requests-and-versions.md#ids).
 */
function ownName({ packages }: OperationState, seller: string, field: string): string {
  const isPackage = packages.some((item) => item.seller === seller && item.sellerPackageId === field);
  return isPackage ? prefixId(seller, field) : field;
}
