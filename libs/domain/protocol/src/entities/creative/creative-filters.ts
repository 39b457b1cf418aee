import { defined, sanitizeKeyName, type JsonObject } from '@switchyard/values';
import { z } from 'zod';
import type { CreativeFilters } from './creative-messages.js';
import type { Form } from '../../versions/wire-profile.js';
import { projectAccountRef, readAccountRef } from '../../message/extras.js';
import { is3x } from '../../message/form.js';
import { booleanAt, listAt, member, objectsAt, textAt, textsAt } from '../../message/pick.js';
import { flags, objects } from '../../message/plain-types.js';
import { accountRefShape, idText } from '../../message/shapes.js';
import { taskError } from '../../errors/task-error.js';
import type { TaskError } from '../../errors/task-fault.js';
import type { Finding } from '../../losses/finding.js';

const texts = z.array(idText).max(500).optional();
const time = z.iso.datetime({ offset: true }).optional();
const formatText = z.union([z.array(idText).max(500), z.array(z.looseObject({ id: idText })).max(500)]);

export const creativeFiltersShape = z.looseObject({
  format: idText.optional(),
  formats: formatText.optional(),
  format_ids: z
    .array(z.looseObject({ agent_url: idText, id: idText }))
    .max(500)
    .optional(),
  status: idText.optional(),
  statuses: texts,
  tags: texts,
  tags_any: texts,
  name_contains: z.string().max(1_000).optional(),
  creative_ids: texts,
  created_after: time,
  created_before: time,
  updated_after: time,
  updated_before: time,
  assigned_to_package: idText.optional(),
  assigned_to_packages: texts,
  media_buy_ids: texts,
  buyer_refs: texts,
  accounts: z.array(accountRefShape).max(500).optional(),
  concept_ids: texts,
  unassigned: z.boolean().optional(),
  ...flags('has_performance_data', 'has_served', 'has_variables'),
  ...objects('ext'),
});

/** Reads filters of any form. 2.5 also has single-value variants of three lists; 3.x has format ids. */
export function readCreativeFilters(value: JsonObject | undefined): CreativeFilters {
  const listOf = (plural: string, single?: string): readonly string[] | undefined => {
    const text = single === undefined ? undefined : textAt(value, single);
    const all = [...textsAt(value, plural), ...(text === undefined ? [] : [text])];
    return all.length === 0 && !isEmpty(value, plural) ? undefined : all;
  };
  const formats = [...objectsAt(value, 'format_ids'), ...objectsAt(value, 'formats')];
  return defined({
    formats: formats.length === 0 && !isEmpty(value, 'format_ids') ? undefined : formats,
    formatNames: listOf('formats', 'format'),
    statuses: listOf('statuses', 'status'),
    tags: listOf('tags'),
    tagsAny: listOf('tags_any'),
    nameContains: textAt(value, 'name_contains'),
    creativeIds: listOf('creative_ids'),
    createdAfter: textAt(value, 'created_after'),
    createdBefore: textAt(value, 'created_before'),
    updatedAfter: textAt(value, 'updated_after'),
    updatedBefore: textAt(value, 'updated_before'),
    packageIds: listOf('assigned_to_packages', 'assigned_to_package'),
    mediaBuyIds: listOf('media_buy_ids'),
    buyerRefs: listOf('buyer_refs'),
    accounts: accountsOf(value),
    conceptIds: listOf('concept_ids'),
    unassigned: booleanAt(value, 'unassigned'),
  });
}

function accountsOf(value: JsonObject | undefined): CreativeFilters['accounts'] {
  const named = objectsAt(value, 'accounts').map(readAccountRef);
  if (named.length === 0 && !isEmpty(value, 'accounts')) return undefined;
  return named.filter((text) => text !== undefined);
}

function isEmpty(value: JsonObject | undefined, name: string): boolean {
  return listAt(value, name)?.length === 0;
}

/** Filters of the releases for which no data is stored. */
const unavailable: ReadonlySet<string> = new Set(['has_performance_data', 'has_served', 'has_variables']);

/** Filters that are not applied here. They are reported, so that the answer does not look filtered. */
export function unheldFilters(value: JsonObject | undefined): readonly string[] {
  return Object.keys(value ?? {})
    .filter((name) => unavailable.has(name) || !Object.hasOwn(creativeFiltersShape.shape, name))
    .filter((name) => member(value, name) !== undefined)
    .map((name) => `filters.${sanitizeKeyName(name)}`);
}

/** The filters as a peer of this form writes them. `service` defines none of its own, so it gets those of 2.5. */
export function projectCreativeFilters(filters: CreativeFilters, to: Form): JsonObject | undefined {
  const modern = is3x(to);
  const isSayable = (list: readonly unknown[] | undefined): boolean =>
    list !== undefined && !(modern && list.length === 0);
  const copy = (list: readonly string[] | undefined): string[] | undefined =>
    isSayable(list) ? [...(list ?? [])] : undefined;
  const formatNames = [
    ...(filters.formatNames ?? []),
    ...(filters.formats ?? []).map((format) => textAt(format, 'id')).filter((id) => id !== undefined),
  ];
  const namesFormats = filters.formatNames !== undefined || filters.formats !== undefined;
  const written = defined({
    format_ids:
      modern && isSayable(filters.formats)
        ? filters.formats?.map((format) => structuredClone(format))
        : undefined,
    formats: modern || !namesFormats ? undefined : formatNames,
    statuses: copy(filters.statuses),
    tags: copy(filters.tags),
    tags_any: copy(filters.tagsAny),
    name_contains: filters.nameContains,
    creative_ids: copy(filters.creativeIds),
    created_after: filters.createdAfter,
    created_before: filters.createdBefore,
    updated_after: filters.updatedAfter,
    updated_before: filters.updatedBefore,
    assigned_to_packages: copy(filters.packageIds),
    media_buy_ids: copy(filters.mediaBuyIds),
    buyer_refs: modern ? undefined : copy(filters.buyerRefs),
    accounts: modern && isSayable(filters.accounts) ? filters.accounts?.map(projectAccountRef) : undefined,
    concept_ids: modern ? copy(filters.conceptIds) : undefined,
    unassigned: filters.unassigned,
  }) as JsonObject;
  return Object.keys(written).length === 0 ? undefined : written;
}

/**
 * Errors for empty lists, which 3.x rejects (`minItems` of its filters). Older forms allow them, and there an empty
 * list matches nothing. It never matches everything.
 */
export function emptyFilterFaults(value: JsonObject | undefined, from: Form): readonly TaskError[] {
  if (!is3x(from)) return [];
  return filterLists
    .filter((name) => listAt(value, name)?.length === 0)
    .map((name) =>
      taskError('VALIDATION_ERROR', `filters.${name} is an empty list: it names nothing.`, {
        field: `filters.${name}`,
        suggestion: `Name at least one, or leave filters.${name} out to filter by nothing.`,
      }),
    );
}

const filterLists = [
  ...['format_ids', 'formats', 'statuses', 'tags', 'tags_any', 'creative_ids', 'assigned_to_packages'],
  ...['media_buy_ids', 'buyer_refs', 'accounts', 'concept_ids'],
];

/** Findings for filters that the other form does not have. */
export function creativeFilterFindings(filters: CreativeFilters, to: Form): readonly Finding[] {
  const finding = (name: string): Finding => ({
    code: 'FILTER_LEFT_OUT',
    message: `The seller's protocol version cannot filter creatives by ${name}.`,
    field: `filters.${name}`,
  });
  const lost: Finding[] = [];
  if (is3x(to) && filters.buyerRefs !== undefined) lost.push(finding('buyer_refs'));
  if (!is3x(to) && filters.accounts !== undefined) lost.push(finding('accounts'));
  if (!is3x(to) && filters.conceptIds !== undefined) lost.push(finding('concept_ids'));
  if (is3x(to) && filters.formatNames !== undefined) lost.push(finding('formats'));
  if (is3x(to)) lost.push(...emptyLists(filters).map(finding));
  return lost;
}

/** Empty lists of the older forms, by their names in 3.x, which does not allow them. */
function emptyLists(filters: CreativeFilters): readonly string[] {
  const { formats, statuses, tags, tagsAny, creativeIds, packageIds, mediaBuyIds, accounts, conceptIds } =
    filters;
  const lists = {
    ...{ format_ids: formats, statuses, tags, tags_any: tagsAny, creative_ids: creativeIds },
    ...{ assigned_to_packages: packageIds, media_buy_ids: mediaBuyIds, accounts, concept_ids: conceptIds },
  };
  return Object.entries(lists)
    .filter(([, list]) => list?.length === 0)
    .map(([name]) => name);
}
