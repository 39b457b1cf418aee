import type { Instant, JsonObject, JsonValue } from '@switchyard/values';
import { objectsIn } from '../keys/read-adagents.js';

/** For whom and from where a document is read. */
export interface OfferQuestion {
  /** The publisher's domain; absent if the document was given by its own address, and speaks for everybody in it. */
  readonly publisher?: string;
  /** True if the publisher's own document points to this one: then it must mention the publisher. */
  readonly isPointedTo: boolean;
  readonly now: Instant;
  /** Domains that are held revoked, although the document may not say so any more. */
  readonly heldRevoked: ReadonlySet<string>;
}

/** A domain covers its own names `www.` and `m.`, and no other name below it. */
export function bare(domain: string): string {
  return domain.toLowerCase().replace(/^(?:www|m)\.(?=[^.]+\.)/, '');
}

/** The properties of a document. */
export interface Properties {
  /** Undefined if the document lists none. */
  readonly valid: readonly JsonObject[] | undefined;
  /** How many were skipped, because they lack what a property must have. */
  readonly skipped: number;
}

/** Reads them one by one: one that lacks its type or identifiers is skipped, and spoils no other. */
export function propertiesOf(document: JsonObject): Properties {
  const list = document['properties'];
  if (!Array.isArray(list)) return { valid: undefined, skipped: 0 };
  const valid = objectsIn(list).filter(
    ({ property_type: type, identifiers }) => typeof type === 'string' && objectsIn(identifiers).length > 0,
  );
  return { valid, skipped: list.length - valid.length };
}

const signals: readonly JsonValue[] = ['signal_ids', 'signal_tags'];
/** The member that carries what a type of authorization selects. */
const companions: Readonly<Record<string, string>> = {
  property_ids: 'property_ids',
  property_tags: 'property_tags',
  publisher_properties: 'publisher_properties',
  inline_properties: 'properties',
  signal_ids: 'signal_ids',
  signal_tags: 'signal_tags',
};

/** Whether an entry authorizes signals instead of inventory. */
export function isForSignals(entry: JsonObject): boolean {
  return signals.includes(entry['authorization_type'] ?? null);
}

/** Why the selector of an entry cannot be read, as a text; undefined if it can. */
export function selectorFault(entry: JsonObject): string | undefined {
  const type = entry['authorization_type'];
  // Documents of 2.5 have none: the agent is authorized for everything.
  if (type === undefined || type === null) return undefined;
  const companion =
    typeof type === 'string' && Object.hasOwn(companions, type) ? companions[type] : undefined;
  if (companion === undefined) return 'Its authorization_type is none that the protocol has.';
  const selected = entry[companion];
  if (!Array.isArray(selected) || selected.length === 0)
    return `An entry with this authorization_type must list ${companion}.`;
  if (type !== 'publisher_properties') return undefined;
  for (const part of objectsIn(selected)) {
    const [one, many] = [part['publisher_domain'], part['publisher_domains']];
    if ((one === undefined) === (many === undefined))
      return 'Each of its publisher_properties must name either publisher_domain or publisher_domains.';
    if (many !== undefined && part['selection_type'] === 'by_id')
      return 'Its publisher_properties select by_id over several domains, where an id is not unique.';
  }
  return undefined;
}

/** How many properties of the publisher an entry covers; undefined if the document does not list them. */
export function reached(
  entry: JsonObject,
  { valid }: Properties,
  { publisher, isPointedTo }: OfferQuestion,
): number | undefined {
  const isOwn = ({ publisher_domain: domain }: JsonObject): boolean =>
    publisher === undefined ||
    !isPointedTo ||
    (typeof domain === 'string' ? bare(domain) === bare(publisher) : true);
  const count = (isMeant: (property: JsonObject) => boolean) =>
    valid?.filter((property) => isOwn(property) && isMeant(property)).length;
  switch (entry['authorization_type']) {
    case 'property_ids':
      return count(({ property_id: id }) => includes(entry['property_ids'], id));
    case 'property_tags':
      return count((property) => hasTag(property, entry['property_tags']));
    case 'inline_properties':
      return objectsIn(entry['properties']).filter(isOwn).length;
    case 'publisher_properties':
      return ofPublishers(entry, valid, publisher);
    default:
      return valid === undefined ? undefined : count(() => true);
  }
}

/** Counts the properties that an entry selects by publisher. Those of other documents cannot be counted. */
function ofPublishers(
  entry: JsonObject,
  valid: readonly JsonObject[] | undefined,
  publisher: string | undefined,
): number | undefined {
  const parts = objectsIn(entry['publisher_properties']).filter(
    ({ publisher_domain: one, publisher_domains: many }) =>
      publisher === undefined ||
      (Array.isArray(many) ? many : [one]).some(
        (name) => typeof name === 'string' && bare(name) === bare(publisher),
      ),
  );
  if (parts.length === 0) return 0;
  const listed = valid?.filter((property) => {
    const domain = property['publisher_domain'];
    return parts.some(
      ({
        publisher_domain: one,
        publisher_domains: many,
        selection_type: by,
        property_tags: tags,
        property_ids: ids,
      }) => {
        if (publisher !== undefined && typeof domain === 'string' && bare(domain) !== bare(publisher))
          return false;
        if (publisher === undefined && domain !== one && !includes(many, domain)) return false;
        if (by === 'by_tag') return hasTag(property, tags);
        return by === 'by_id' ? includes(ids, property['property_id']) : true;
      },
    );
  }).length;
  // The publisher's properties may stand in its own document only.
  return listed === 0 ? undefined : listed;
}

function hasTag({ tags }: JsonObject, wanted: JsonValue | undefined): boolean {
  return Array.isArray(tags) && tags.some((tag) => includes(wanted, tag));
}

function includes(list: JsonValue | undefined, value: JsonValue | undefined): boolean {
  return value !== undefined && Array.isArray(list) && list.includes(value);
}
