import { unsignedLeg, type Leg, type OperationState } from '@switchyard/buys';
import { findTask, lostInReading, prefixId, type Finding, type WireProfile } from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';
import { withOurs } from './with-ours.js';

/**
 * Adds findings about what could not be carried to a seller, or was odd in its answer: nothing is dropped silently. At
 * the top level in the `service` form, under `ext.switchyard` elsewhere, like the rows of sellers.
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

/** Members of a seller's answer that our model does not have. */
function unreadOf({ task: name, status, answer, profile }: Leg): readonly Finding[] {
  const task = status === 'completed' ? findTask(name) : undefined;
  const read = task?.readAnswer(answer ?? {}, profile);
  if (task === undefined || read?.ok !== true) return [];
  return lostInReading(task, answer ?? {}, read.value.answer as object, profile);
}

/**
 * A finding that names a package by the seller's own id is returned with the buyer's id
 * (docs/protocol/requests-and-versions.md#ids).
 */
function ownName({ packages }: OperationState, seller: string, field: string): string {
  const isPackage = packages.some((item) => item.seller === seller && item.sellerPackageId === field);
  return isPackage ? prefixId(seller, field) : field;
}
