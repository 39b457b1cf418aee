import type { Instant, JsonObject, JsonValue } from '@switchyard/values';
import { listHas, objectsIn } from '../keys/read-adagents.js';

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

/** A property, as far as entries select it. */
interface ListedProperty {
  readonly id: JsonValue | undefined;
  readonly tags: readonly JsonValue[];
  readonly domain: JsonValue | undefined;
  /** In its short form; undefined if the property names none. */
  readonly short: string | undefined;
  /** Whether it is one of the publisher that is asked for. */
  readonly isOwn: boolean;
}

/** The properties of a document. */
export interface Properties {
  /** Undefined if the document lists none. */
  readonly valid: readonly ListedProperty[] | undefined;
  /** How many were skipped, because they lack what a property must have. */
  readonly skipped: number;
}

/** Reads them one by one: one that lacks its type or identifiers is skipped, and spoils no other. */
export function propertiesOf(document: JsonObject, question: OfferQuestion): Properties {
  const list = document['properties'];
  if (!Array.isArray(list)) return { valid: undefined, skipped: 0 };
  const valid = objectsIn(list)
    .filter(
      ({ property_type: type, identifiers }) => typeof type === 'string' && objectsIn(identifiers).length > 0,
    )
    .map((property): ListedProperty => {
      const { property_id: id, tags, publisher_domain: domain } = property;
      const short = typeof domain === 'string' ? bare(domain) : undefined;
      const isOwn = isOwnIn(question, short);
      return { id, domain, short, isOwn, tags: Array.isArray(tags) ? tags : [] };
    });
  return { valid, skipped: list.length - valid.length };
}

/** A document that was pointed to must name the publisher; its own may leave that out. */
const isOwnIn = ({ publisher, isPointedTo }: OfferQuestion, short: string | undefined): boolean =>
  publisher === undefined || !isPointedTo || short === undefined || short === bare(publisher);

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
  question: OfferQuestion,
): number | undefined {
  const count = (isMeant: (property: ListedProperty) => boolean) =>
    valid?.filter((property) => property.isOwn && isMeant(property)).length;
  switch (entry['authorization_type']) {
    case 'property_ids':
      return count(({ id }) => listHas(entry['property_ids'], id));
    case 'property_tags':
      return count(({ tags }) => tags.some((tag) => listHas(entry['property_tags'], tag)));
    case 'inline_properties':
      return objectsIn(entry['properties']).filter(({ publisher_domain: domain }) =>
        isOwnIn(question, typeof domain === 'string' ? bare(domain) : undefined),
      ).length;
    case 'publisher_properties':
      return ofPublishers(entry, valid, question.publisher && bare(question.publisher));
    default:
      return valid === undefined ? undefined : count(() => true);
  }
}

/** Counts the properties that an entry selects by publisher. Those of other documents cannot be counted. */
function ofPublishers(
  entry: JsonObject,
  valid: Properties['valid'],
  publisher: string | undefined,
): number | undefined {
  const selections = selectionsIn(entry, publisher);
  if (selections.size === 0) return 0;
  const listed = valid?.filter(({ domain, short, id, tags }) => {
    const selection = selections.get(publisher === undefined ? (domain ?? null) : (short ?? publisher));
    if (selection === undefined) return false;
    if (selection.isAll || (id !== undefined && selection.ids.has(id))) return true;
    return tags.some((tag) => selection.tags.has(tag));
  }).length;
  // The publisher's properties may stand in its own document only.
  return listed === 0 ? undefined : listed;
}

/** What the parts of an entry select of one publisher, together. */
interface Selection {
  isAll: boolean;
  readonly ids: Set<JsonValue>;
  readonly tags: Set<JsonValue>;
}

/** By the domain of the publisher: of the one that is asked for, in its short form, else of each as it is written. */
function selectionsIn(entry: JsonObject, publisher: string | undefined): ReadonlyMap<JsonValue, Selection> {
  const selections = new Map<JsonValue, Selection>();
  for (const part of objectsIn(entry['publisher_properties'])) {
    const { publisher_domain: one = null, publisher_domains: many, selection_type: by } = part;
    const domains = new Set(
      (Array.isArray(many) ? many : [one]).map((name) =>
        typeof name === 'string' && publisher !== undefined ? bare(name) : name,
      ),
    );
    const [ids, tags] = [part['property_ids'], part['property_tags']];
    for (const domain of domains) {
      if (publisher !== undefined && domain !== publisher) continue;
      const selection = selections.get(domain) ?? { isAll: false, ids: new Set(), tags: new Set() };
      selections.set(domain, selection);
      if (by === 'by_id') for (const id of Array.isArray(ids) ? ids : []) selection.ids.add(id);
      else if (by === 'by_tag') for (const tag of Array.isArray(tags) ? tags : []) selection.tags.add(tag);
      else selection.isAll = true;
    }
  }
  return selections;
}
