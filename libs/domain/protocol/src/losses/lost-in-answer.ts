import { isJsonObject, sanitizeKeyName, type JsonObject } from '@switchyard/values';
import { answerLimits, type AnswerLimit } from './answer-limits.js';
import type { ListCreativesAnswer } from '../entities/creative/creative-messages.js';
import type { CreatedPackage } from '../entities/media-buy/create-media-buy.js';
import type { Finding } from './finding.js';
import type { ListCreativeFormatsAnswer } from '../entities/format/creative-format.js';
import type { Form } from '../versions/wire-profile.js';
import { originalLimits } from './original-limits.js';
import { answerCarriage } from './answer-carriage.js';
import { storedItems, storedLists } from './lost-in-reading.js';
import { fittedAssets } from '../entities/creative/creative-assets.js';
import { fittedFormat } from '../entities/format/format-members.js';
import { fittedTerms } from '../entities/package/fitted-terms.js';
import { leftOutOf, lostPaths, notCarried, findingsOfLost } from './lost-members.js';
import { lostTargeting } from '../entities/targeting/targeting.js';

/** A lost member of an answer. `seller` is absent if no single seller sent it. */
export interface AnswerLoss extends Finding {
  /** Slug. */
  readonly seller?: string;
}

/** A value, and the objects around it, outermost first. */
interface Place {
  readonly value: unknown;
  readonly around: readonly Record<string, unknown>[];
}

/**
 * Returns the members of an answer that the form of `written` does not have: each once per seller, by its wire name.
 * The sender of `written` adds these as findings, so that every loss is reported.
 */
export function lostInAnswer(
  task: string,
  answer: object,
  written: JsonObject,
  to: Form,
): readonly AnswerLoss[] {
  const all = [...(answerLimits[task] ?? []), ...(originalLimits[task] ?? [])];
  const rows = all.filter(({ forms }) => forms.includes(to));
  const limits = rows.flatMap((limit) => eachMember(limit, answer));
  const losses = new Map<string, AnswerLoss>();
  for (const limit of limits)
    for (const place of lostPlaces(limit, answer, written, to)) {
      const seller = sellerAround(place);
      const loss = { ...notCarried(limit.as), ...(seller === undefined ? {} : { seller }) };
      losses.set(`${seller ?? ''} ${limit.as}`, loss);
    }
  const parts = [lostOfTargeting, lostOfTerms, lostOfAssets, lostOfFormats].flatMap((lostOf) =>
    lostOf(task, answer, to),
  );
  for (const loss of parts) losses.set(`${loss.seller ?? ''} ${loss.field ?? ''}`, loss);
  const fields = new Set(losses.keys());
  const newer = (leftOutOf.get(written) ?? []).map(notCarried);
  return [...losses.values(), ...newer, ...lostOfItems(task, { answer, written }, to, fields)];
}

/** Locations of packages in answers, internal and on the wire. */
const packages: Readonly<Record<string, readonly [at: string, as: string]>> = {
  create_media_buy: ['packages[]', 'packages[]'],
  update_media_buy: ['affectedPackages[]', 'affected_packages[]'],
  get_media_buys: ['mediaBuys[].packages[]', 'media_buys[].packages[]'],
};

/** Targeting of packages that a form lacks, entirely or in part. */
function lostOfTargeting(task: string, answer: object, to: Form): readonly AnswerLoss[] {
  const [at, as] = packages[task] ?? [];
  if (at === undefined || as === undefined) return [];
  return placesOf(answer, `${at}.targeting`.split('.')).flatMap((place) => {
    const seller = sellerAround(place);
    const names = isJsonObject(place.value) ? lostTargeting(place.value, to) : [];
    return names.map((name) => ({
      ...notCarried(`${as}.targeting_overlay.${sanitizeKeyName(name)}`),
      ...(seller === undefined ? {} : { seller }),
    }));
  });
}

/** Terms with values that one of the 3.x releases does not accept. */
function lostOfTerms(task: string, answer: object, to: Form): readonly AnswerLoss[] {
  const [at, as] = packages[task] ?? [];
  if (at === undefined || as === undefined) return [];
  return placesOf(answer, at.split('.')).flatMap((place) => {
    const { reportedTerms: terms = {}, original } = place.value as CreatedPackage;
    // Between the two 3.x releases the seller's own object is sent.
    const merged = original.form === '3.1' ? { ...terms, ...original.value } : terms;
    const seller = sellerAround(place);
    return fittedTerms(merged, to).lost.map((path) => ({
      ...notCarried(`${as}.${path}`),
      ...(seller === undefined ? {} : { seller }),
    }));
  });
}

/** Assets of a kind that a form lacks, or without members that it requires, are omitted from its rows. */
function lostOfAssets(task: string, answer: object, to: Form): readonly AnswerLoss[] {
  if (task !== 'list_creatives') return [];
  const { creatives, fields } = answer as ListCreativesAnswer;
  if (fields?.includes('assets') === false) return [];
  return creatives.flatMap(({ assets = {}, original }) => {
    const fitted = fittedAssets(assets, original.form, to);
    return [...lostPaths({ creatives: [{ assets }] }, { creatives: [{ assets: fitted }] }, {})].map(
      notCarried,
    );
  });
}

/** Members inside formats that a release does not have. */
function lostOfFormats(task: string, answer: object, to: Form): readonly AnswerLoss[] {
  if (task !== 'list_creative_formats' || to === 'service') return [];
  return (answer as ListCreativeFormatsAnswer).formats.flatMap(({ original: { form, value }, seller }) =>
    (form === to ? [] : fittedFormat(value, form, to).lost).map((path) => ({
      ...notCarried(`formats[].${path}`),
      ...(seller === undefined ? {} : { seller }),
    })),
  );
}

/** Members of the sellers' own objects, stored with the items, that the written message does not contain. */
function lostOfItems(
  task: string,
  { answer, written }: { readonly answer: object; readonly written: JsonObject },
  to: Form,
  known: ReadonlySet<string>,
): readonly AnswerLoss[] {
  const stored = storedLists[task];
  if (stored === undefined) return [];
  const { list, isRewritten = false } = stored;
  const items = Array.isArray(written[list]) ? written[list] : [];
  const carriage = answerCarriage(task);
  const bySeller = new Map<string, Set<string>>();
  for (const [at, { original, seller = '' }] of storedItems(task, answer).entries()) {
    if ((original.form === to && !isRewritten) || original.form === 'ours') continue;
    const item = items[at];
    const paths = lostPaths({ [list]: [original.value] }, { [list]: [item ?? {}] }, carriage);
    const all = bySeller.get(seller) ?? new Set<string>();
    for (const path of paths) if (!known.has(`${seller} ${path}`)) all.add(path);
    bySeller.set(seller, all);
  }
  return [...bySeller].flatMap(([seller, paths]) =>
    findingsOfLost(paths).map((finding) => ({ ...finding, ...(seller === '' ? {} : { seller }) })),
  );
}

/** Expands a limit for any member (`*`) into one limit for each member. */
function eachMember(limit: AnswerLimit, answer: object): readonly AnswerLimit[] {
  if (!limit.at.endsWith('.*')) return [limit];
  const holders = placesOf(answer, limit.at.slice(0, -2).split('.')).map(({ value }) => value);
  const names = new Set(
    holders.flatMap((holder) => (typeof holder === 'object' && holder !== null ? Object.keys(holder) : [])),
  );
  const named = (path: string, name: string): string => `${path.slice(0, -1)}${sanitizeKeyName(name)}`;
  return [...names].map((name) => ({ ...limit, at: named(limit.at, name), as: named(limit.as, name) }));
}

function lostPlaces(limit: AnswerLimit, answer: object, written: JsonObject, to: Form): readonly Place[] {
  const { isLost } = limit;
  const places = placesOf(answer, limit.at.split('.'));
  if (isLost !== undefined)
    return places.filter(
      ({ value, around }) => isThere(value) && isLost(value, around.at(-1) ?? {}, answer, to),
    );
  const some = places.filter(({ value }) => hasContent(value));
  const shown = placesOf(written, limit.as.split('.')).filter(({ value }) => hasContent(value));
  return some.length > shown.length ? some : [];
}

function isThere(value: unknown): boolean {
  return value !== undefined && !(Array.isArray(value) && value.length === 0);
}

/** Empty, `false` and absent have the same meaning. */
function hasContent(value: unknown): boolean {
  if (value === undefined || value === null || value === false) return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}

function placesOf(value: unknown, steps: readonly string[], around: Place['around'] = []): readonly Place[] {
  const [step, ...rest] = steps;
  if (step === undefined) return [{ value, around }];
  if (!isJsonObject(value)) return [];
  const owner = value as Record<string, unknown>;
  const isList = step.endsWith('[]');
  const inner = owner[isList ? step.slice(0, -2) : step];
  const within = [...around, owner];
  if (!isList) return placesOf(inner, rest, within);
  return Array.isArray(inner) ? inner.flatMap((item) => placesOf(item, rest, within)) : [];
}

function sellerAround({ around }: Place): string | undefined {
  const sellers = around.map((owner) => owner['seller']).filter((seller) => typeof seller === 'string');
  return sellers.at(-1);
}
