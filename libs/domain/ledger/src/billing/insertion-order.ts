import { microsToDecimal } from '@switchyard/money';
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';

const format = 'switchyard.insertion-order.1';

/** A package of an insertion order. */
export interface OrderedPackage {
  /** The same in all versions. */
  readonly id: string;
  /** What the seller calls what was bought. */
  readonly name: string;
  /** The seller's own id of the package, once it has given one. */
  readonly sellerPackageId?: string;
  readonly pricingOptionId: string;
  /** How the price counts, for example `cpm`. */
  readonly model?: string;
  /** In units of the currency, or the floor of an auction. */
  readonly price?: string;
  readonly isFloor?: boolean;
  readonly bid?: string;
  readonly budgetMicros: bigint;
  /** RFC 3339. */
  readonly start: string;
  readonly end: string;
  /** IANA name; absent: the seller has declared none. */
  readonly zone?: string;
  /** Who counts what is paid, and how far two counts may differ. */
  readonly countedBy: string;
  readonly isCanceled: boolean;
}

/** What is ordered of one seller by one buy. */
export interface OrderFacts {
  readonly organization: string;
  readonly buyer: { readonly name: string; readonly lines: readonly string[] };
  readonly seller: { readonly name: string; readonly lines: readonly string[] };
  /** Names of what it is for, in the order in which they are shown: client, campaign, PO number. */
  readonly names: Readonly<Record<string, string>>;
  readonly currency: string;
  readonly packages: readonly OrderedPackage[];
  /** Sentences. */
  readonly terms: readonly string[];
}

/** A version of an insertion order: the text that its digest covers. */
export interface OrderVersion {
  readonly number: string;
  readonly version: number;
  readonly document: JsonObject;
  /** Sentences: what changed since the version before. */
  readonly changes: readonly string[];
}

/** The number of an insertion order: `IO-00012`. */
export const orderNumber = (serial: number): string => `IO-${String(serial).padStart(5, '0')}`;

export const orderTitle = ({ number, version }: Pick<OrderVersion, 'number' | 'version'>): string =>
  `Insertion order ${number}, version ${String(version)}`;

/**
 * The next version of an insertion order; undefined if the last one says the same. A package keeps the price with which it
 * was first written down as long as its pricing option is the same: a later quote changes nothing that was bought.
 */
export function nextOrder(
  facts: OrderFacts,
  before: OrderVersion | undefined,
  { number, madeAt }: { readonly number: string; readonly madeAt: string },
): OrderVersion | undefined {
  const known = new Map(before === undefined ? [] : rowsOf(before.document).map((row) => [row['id'], row]));
  const text = textOf(facts, known);
  const { version: _version, made_at: _at, changes: _changes, ...last } = before?.document ?? {};
  const next = { ...text, number };
  if (before !== undefined && canonicalJson(last) === canonicalJson(next)) return undefined;
  const changes = before === undefined ? [] : changesOf(before.document, text);
  const version = (before?.version ?? 0) + 1;
  return { number, version, changes, document: { ...next, version, made_at: madeAt, changes: [...changes] } };
}

function textOf(facts: OrderFacts, known: ReadonlyMap<JsonValue | undefined, JsonObject>): JsonObject {
  const { organization, buyer, seller, names, currency, packages, terms } = facts;
  const total = packages.reduce((sum, one) => sum + (one.isCanceled ? 0n : one.budgetMicros), 0n);
  return {
    ...{ format, organization, currency },
    ...{ buyer: { name: buyer.name, lines: [...buyer.lines] } },
    ...{ seller: { name: seller.name, lines: [...seller.lines] } },
    names: { ...names },
    packages: packages.map((one) => packageText(one, known.get(one.id))),
    total: microsToDecimal(total),
    terms: [...terms],
  };
}

function packageText(
  { budgetMicros, isCanceled, isFloor, pricingOptionId, sellerPackageId, countedBy, ...one }: OrderedPackage,
  before: JsonObject | undefined,
): JsonObject {
  const { model, price, ...own } = one;
  const quoted = {
    ...(model !== undefined && { model }),
    ...(price !== undefined && { price }),
    ...(isFloor === true && { floor: true }),
  };
  const kept =
    before?.['pricing_option_id'] === pricingOptionId && before['price'] !== undefined
      ? Object.fromEntries(
          ['model', 'price', 'floor'].flatMap((name) =>
            before[name] === undefined ? [] : [[name, before[name]] as const],
          ),
        )
      : quoted;
  return {
    ...own,
    ...kept,
    ...{ pricing_option_id: pricingOptionId, budget: microsToDecimal(budgetMicros), counted_by: countedBy },
    ...(sellerPackageId !== undefined && { seller_package_id: sellerPackageId }),
    ...(isCanceled && { canceled: true }),
  };
}

const rowsOf = (document: JsonObject): readonly JsonObject[] => {
  const { packages } = document;
  return Array.isArray(packages) ? packages.filter(isJsonObject) : [];
};

const shown: Readonly<Record<string, string>> = {
  budget: 'budget',
  price: 'price',
  bid: 'bid',
  start: 'start',
  end: 'end',
  zone: 'time zone',
  name: 'name',
  counted_by: 'who counts',
  pricing_option_id: 'pricing option',
  seller_package_id: 'id at the seller',
};

const words = (value: JsonValue | undefined): string =>
  typeof value === 'string' ? value : value === undefined ? 'nothing' : canonicalJson(value);

/** What two versions say differently, a sentence for each. */
function changesOf(before: JsonObject, now: JsonObject): readonly string[] {
  const [old, rows] = [new Map(rowsOf(before).map((row) => [row['id'], row])), rowsOf(now)];
  const sentences: string[] = [];
  for (const row of rows) {
    const name = words(row['name']);
    const last = old.get(row['id']);
    old.delete(row['id']);
    if (last === undefined)
      sentences.push(`${name} is new: ${words(row['budget'])} ${words(now['currency'])}.`);
    else if (row['canceled'] === true && last['canceled'] !== true) sentences.push(`${name} is canceled.`);
    else
      for (const [member, label] of Object.entries(shown))
        if (words(last[member]) !== words(row[member]))
          sentences.push(`${name}: ${label} ${words(row[member])}, before ${words(last[member])}.`);
  }
  for (const row of old.values()) sentences.push(`${words(row['name'])} is no longer part of it.`);
  if (words(before['total']) !== words(now['total']))
    sentences.push(
      `Total ${words(now['total'])} ${words(now['currency'])}, before ${words(before['total'])}.`,
    );
  const [then, named] = [before['names'], now['names']];
  if (isJsonObject(then) && isJsonObject(named))
    for (const label of new Set([...Object.keys(then), ...Object.keys(named)]))
      if (words(then[label]) !== words(named[label]))
        sentences.push(`${label}: ${words(named[label])}, before ${words(then[label])}.`);
  for (const [member, label] of [
    ['buyer', 'The buyer'],
    ['seller', 'The seller'],
    ['terms', 'The terms'],
  ] as const)
    if (words(before[member]) !== words(now[member])) sentences.push(`${label} changed.`);
  return sentences;
}
