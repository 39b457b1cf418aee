import { defined, err, ok, type JsonObject } from '@switchyard/values';
import { z } from 'zod';
import { answeredForm } from '../versions/seller-form.js';
import type { GetProductsAnswer, GetProductsRequest } from '../entities/product/get-products.js';
import type { TaskSpec } from '../task-spec.js';
import type { Form } from '../versions/wire-profile.js';
import { projectIncomplete, projectPage, readIncomplete, readList, readPage } from '../message/answer.js';
import { domainFaults, lostOfBrand, projectBrand, readBrand, sentToSeller } from '../entities/brand/brand.js';
import { projectExtras, readExtras } from '../message/extras.js';
import { fittedCatalog } from '../entities/product/fitted-catalog.js';
import { filtersShape, lostInFilters, projectFilters, readFilters } from '../entities/product/filters.js';
import { is3x } from '../message/form.js';
import {
  inputSchemaOf,
  anyObject,
  brandShape,
  extras,
  idText,
  manifestShape,
  paginationShape,
  readShape,
} from '../message/shapes.js';
import type { Finding } from '../losses/finding.js';
import { lostMembers, findingsOfLost, withPaths, type Carriage } from '../losses/lost-members.js';
import { booleanAt, countAt, objectAt, objectsAt, textAt, textsAt, without } from '../message/pick.js';
import { lists, texts } from '../message/plain-types.js';
import { readProduct } from '../entities/product/product.js';
import { productFilterFaults } from '../entities/product/product-filter-faults.js';
import { projectProduct } from '../entities/product/project-product.js';

const shape = z.looseObject({
  ...extras,
  brief: z.string().max(20_000).optional().describe('What the campaign wants, in plain words.'),
  buying_mode: z.enum(['brief', 'wholesale', 'refine']).optional(),
  brand: brandShape.optional(),
  brand_manifest: manifestShape.optional(),
  filters: filtersShape.optional(),
  refine: z.array(anyObject).max(100).optional(),
  catalog: z
    .looseObject({
      ...texts('type', 'catalog_id', 'name', 'url', 'feed_format', 'update_frequency', 'query', 'category'),
      ...texts('content_id_type'),
      ...lists('ids', 'gtins', 'tags', 'items', 'conversion_events', 'feed_field_mappings'),
    })
    .optional(),
  preferred_delivery_types: z.array(idText).max(10).optional(),
  property_list: z.looseObject(texts('agent_url', 'list_id', 'auth_token')).optional(),
  fields: z.array(idText).max(200).optional(),
  time_budget: z
    .looseObject({
      interval: z.int().min(1),
      unit: z.enum(['seconds', 'minutes', 'hours', 'days', 'campaign']),
    })
    .optional(),
  pagination: paginationShape.optional(),
  required_policies: z.array(idText).max(200).optional(),
  if_wholesale_feed_version: z.string().max(1_000).optional(),
  if_pricing_version: z.string().max(1_000).optional(),
});

/** Members of 3.x only: they are sent on between peers of 3.x. */
const modernMembers = ['catalog', 'preferred_delivery_types', 'required_policies', 'property_list'];

const carriage: Carriage = {
  aliases: {
    'filters.budget': ['budget_range'],
    'filters.budget_range': ['budget'],
    'filters.signal_targeting[].signal_ref': ['signal_id'],
  },
  // Modes except `refine` are expressed by a brief or its absence; losses of brands are reported separately.
  local: [
    'brand',
    'brand_manifest',
    'buying_mode',
    'time_budget',
    'pagination',
    'fields',
    'if_wholesale_feed_version',
    'if_pricing_version',
    // Part of the postal system's name, or lost with the area.
    'filters.postal_areas[].country',
    'filters.required_geo_targeting[].country',
    // An excluded signal is lost completely.
    'filters.signal_targeting[].targeting_mode',
  ],
};

/** No schema forbids a brief beside the modes that have none; there it means nothing, and reaches no seller. */
const ignoredBrief: Finding = {
  code: 'NOT_CARRIED',
  message: 'Only the buying_mode brief uses a brief, so it was ignored.',
  field: 'brief',
};

export const getProducts: TaskSpec<GetProductsRequest, GetProductsAnswer> = {
  name: 'get_products',
  names: { ads: ['get_products'], adcp: ['get_products'] },
  access: 'limited',
  kind: 'read',
  area: 'products',
  permission: 'read',
  serves: 'sales',
  deadlineMs: 10_000,
  mayBeAsync: true,
  inputSchema: inputSchemaOf(shape),

  readRequest(args, profile, exact) {
    const checked = readShape(shape, args);
    if (!checked.ok) return checked;
    const filters = objectAt(args, 'filters');
    const faults = [...domainFaults(args), ...productFilterFaults(filters, profile.form)];
    if (faults.length > 0) return err(faults);
    const brief = textAt(args, 'brief');
    const buyingMode = checked.value.buying_mode ?? (brief === undefined ? 'wholesale' : 'brief');
    const isBrief = buyingMode === 'brief';
    return ok({
      ...readExtras(args),
      buyingMode,
      ...defined({
        brief: isBrief ? brief : undefined,
        brand: readBrand(args),
        filters: readFilters(filters, profile.form, exact),
        maxResults: countAt(objectAt(args, 'pagination'), 'max_results'),
        cursor: textAt(objectAt(args, 'pagination'), 'cursor'),
        refine: buyingMode === 'refine' ? some(objectsAt(args, 'refine')) : undefined,
        ignored: isBrief || brief === undefined ? undefined : [ignoredBrief],
        fields: textsAt(args, 'fields').length === 0 ? undefined : textsAt(args, 'fields'),
        original: { form: profile.form, value: isBrief ? args : without(args, ['brief']) },
      }),
    });
  },

  projectRequest(request, to) {
    const brand = request.brand === undefined ? undefined : projectBrand(request.brand, to.form);
    const isModern = is3x(to.form);
    const members = carriedTo(request, to.form);
    const args = {
      ...members.carried,
      ...projectExtras(request, to, 'read'),
      ...defined({
        // The older forms have a brief only: for everything, they get an empty one.
        brief: isModern && request.buyingMode !== 'brief' ? undefined : request.brief,
        buying_mode: isModern ? request.buyingMode : undefined,
        filters: request.filters === undefined ? undefined : projectFilters(request.filters, to.form),
        refine: isModern ? request.refine?.map((change) => structuredClone(change)) : undefined,
        time_budget:
          isModern && request.timeBudgetSeconds !== undefined
            ? { interval: request.timeBudgetSeconds, unit: 'seconds' }
            : undefined,
        pagination: isModern ? requestedPage(request) : undefined,
      }),
      ...brand?.members,
      ...sameBrand(request, to.form),
    } as JsonObject;
    const requested = request.original?.value ?? {};
    const lost = [...lostMembers(requested, args, carriage), ...findingsOfLost(lostOfBrand(requested, args))];
    const odd = brand?.findings.filter(({ field }) => field !== 'brand.domain') ?? [];
    const paths = [...lostInFilters(request.filters, to.form), ...members.lost];
    return { args: sentToSeller(args, to.form), findings: withPaths([...odd, ...lost], paths) };
  },

  readAnswer(payload, from, exact = new Map()) {
    const notes: { code: string; message: string; field?: string }[] = [];
    const form = answeredForm(payload, from);
    const list = readList(payload, 'products', (item, pointer) => {
      const reading = readProduct(item, form, pointer, exact);
      if (!reading.ok) return reading;
      notes.push(...reading.value.setAside);
      return ok(reading.value.product);
    });
    if (!list.ok) return list;
    const answer = {
      products: list.value.items,
      ...defined({
        proposals: some(objectsAt(payload, 'proposals')),
        incomplete: some(readIncomplete(payload)),
        refinementApplied: some(objectsAt(payload, 'refinement_applied')),
        propertyListApplied: booleanAt(payload, 'property_list_applied'),
        page: readPage(payload),
      }),
    };
    return ok({ answer, setAside: [...list.value.setAside, ...notes] });
  },

  projectAnswer(answer, to) {
    const products = answer.products.map((product) => projectProduct(product, to.form));
    if (!is3x(to.form)) return { products };
    return {
      products,
      // Prices differ by account, so an answer may be cached for this account only; the public tier overrides it.
      ...(to.form === '3.1' ? { cache_scope: 'account' } : {}),
      ...(defined({
        proposals: answer.proposals?.map((proposal) => structuredClone(proposal)),
        refinement_applied: answer.refinementApplied?.map((change) => structuredClone(change)),
        property_list_applied: answer.propertyListApplied,
      }) as JsonObject),
      ...projectIncomplete(answer.incomplete, to.form),
      ...projectPage(answer.page, to.form),
    };
  },
};

/** The buyer's own `brand` object, if the seller's form is the same. */
function sameBrand({ original }: GetProductsRequest, to: Form): JsonObject {
  const sentBrand = original?.form === to ? objectAt(original.value, 'brand') : undefined;
  return sentBrand === undefined ? {} : { brand: structuredClone(sentBrand) };
}

function requestedPage({ maxResults, cursor }: GetProductsRequest): JsonObject | undefined {
  if (maxResults === undefined && cursor === undefined) return undefined;
  return defined({ max_results: maxResults, cursor });
}

function some<T>(items: readonly T[]): readonly T[] | undefined {
  return items.length === 0 ? undefined : items;
}

/** 3.0 would misread a catalog whose feed format it does not have. */
function carriedTo(
  { original }: GetProductsRequest,
  to: Form,
): { readonly carried: JsonObject; readonly lost: readonly string[] } {
  if (original === undefined || !is3x(original.form) || !is3x(to)) return { carried: {}, lost: [] };
  const modern = Object.entries(original.value).filter(([name]) => modernMembers.includes(name));
  const catalog = objectAt(original.value, 'catalog');
  const fitted = catalog === undefined ? undefined : fittedCatalog(catalog, to);
  const carried = defined({
    ...structuredClone(Object.fromEntries(modern)),
    catalog: fitted?.catalog,
  }) as JsonObject;
  return { carried, lost: (fitted?.lost ?? []).map((path) => (path === '' ? 'catalog' : `catalog.${path}`)) };
}
