import { readPackageTerms } from '@switchyard/protocol';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import { storedTargeting } from '../model/stored-targeting.js';
import type { BuyPackage, Leg } from '../model/operation.js';

/** Returns the packages of a leg with the terms in its new request, in the order in which they are sent. */
export function withSentTerms(
  packages: readonly BuyPackage[],
  leg: Pick<Leg, 'id'>,
  outbound: JsonObject,
): readonly BuyPackage[] {
  const own = packages.filter((item) => item.legId === leg.id && isWritten(item));
  const sent = madeBy(outbound);
  // Packages of a proposal are written by the seller: only those in the request have sent terms.
  if (own.length === 0 || sent.length !== own.length) return packages;
  return packages.map((item) => {
    const written = sent[own.indexOf(item)];
    if (!isWritten(item) || item.terms === undefined || written === undefined) return item;
    return { ...item, terms: { ...item.terms, sent: storedTargeting(readPackageTerms(written)) } };
  });
}

function isWritten({ terms }: BuyPackage): boolean {
  return terms !== undefined && terms.isOfProposal !== true;
}

/** The packages that a request creates: all of a new buy, or those that a change adds, in any form. */
export function madeBy(args: JsonObject): readonly JsonObject[] {
  const updates = isJsonObject(args['updates']) ? args['updates'] : {};
  const isChange = args['media_buy_id'] !== undefined;
  const list: JsonValue | undefined = isChange
    ? (args['new_packages'] ?? updates['new_packages'])
    : args['packages'];
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}
