import { readPackageTerms } from '@switchyard/protocol';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import { storedTargeting } from '../model/stored-targeting.js';
import type { BuyPackage, Leg } from '../model/operation.js';

/** The packages of a leg with the terms that it sends them with now, in the order in which they are sent. */
export function withTermsSent(
  packages: readonly BuyPackage[],
  leg: Pick<Leg, 'id'>,
  outbound: JsonObject,
): readonly BuyPackage[] {
  const own = packages.filter((item) => item.legId === leg.id && isWritten(item));
  const sent = madeBy(outbound);
  // A proposal's packages are its seller's to write: only what stands in the request has terms that were sent.
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

/** Packages that a request makes: all of a new buy's, and those that a change adds, wherever its form has them. */
export function madeBy(args: JsonObject): readonly JsonObject[] {
  const updates = isJsonObject(args['updates']) ? args['updates'] : {};
  const isChange = args['media_buy_id'] !== undefined;
  const list: JsonValue | undefined = isChange
    ? (args['new_packages'] ?? updates['new_packages'])
    : args['packages'];
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}
