import { ok, type JsonObject } from '@switchyard/values';
import { z } from 'zod';
import type { GetProductsAnswer, GetProductsRequest } from '../model.js';
import type { TaskSpec } from '../task-spec.js';
import { readList } from '../wire/answer.js';
import { projectBrand, readBrand } from '../wire/brand.js';
import { projectExtras, readExtras } from '../wire/extras.js';
import { projectFilters, readFilters, filtersShape } from '../wire/filters.js';
import { is3x } from '../wire/form.js';
import { inputSchemaOf } from '../wire/input-schema.js';
import { countAt, defined, objectAt, textAt } from '../wire/pick.js';
import { readProduct } from '../wire/product.js';
import { projectProduct } from '../wire/project-product.js';
import { readShape } from '../wire/read-shape.js';
import { anyObject, brandShape, extras, idText, manifestShape, paginationShape } from '../wire/shapes.js';

const shape = z.looseObject({
  ...extras,
  brief: z.string().max(20_000).optional().describe('What the campaign wants, in plain words.'),
  buying_mode: z.enum(['brief', 'wholesale', 'refine']).optional(),
  brand: brandShape.optional(),
  brand_manifest: manifestShape.optional(),
  filters: filtersShape.optional(),
  refine: z.array(anyObject).max(100).optional(),
  catalog: anyObject.optional(),
  preferred_delivery_types: z.array(idText).max(10).optional(),
  property_list: anyObject.optional(),
  fields: z.array(idText).max(200).optional(),
  time_budget: anyObject.optional(),
  pagination: paginationShape.optional(),
  required_policies: z.array(idText).max(200).optional(),
  if_wholesale_feed_version: z.string().max(1_000).optional(),
  if_pricing_version: z.string().max(1_000).optional(),
});

/** What 3.x alone asks for: it travels on between two peers that both speak 3.x. */
const modernMembers = ['refine', 'catalog', 'preferred_delivery_types', 'required_policies', 'fields'];

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

  readRequest(args, voice, exact) {
    const checked = readShape(shape, args);
    if (!checked.ok) return checked;
    const brief = textAt(args, 'brief');
    const buyingMode = checked.value.buying_mode ?? (brief === undefined ? 'wholesale' : 'brief');
    return ok({
      ...readExtras(args),
      buyingMode,
      ...defined({
        brief,
        brand: readBrand(args),
        filters: readFilters(objectAt(args, 'filters'), voice.form, exact),
        maxResults: countAt(objectAt(args, 'pagination'), 'max_results'),
        original: { form: voice.form, value: args },
      }),
    });
  },

  projectRequest(request, to) {
    const brand = request.brand === undefined ? undefined : projectBrand(request.brand, to.form);
    const isModern = is3x(to.form);
    const args = {
      ...(isModern && request.original !== undefined && is3x(request.original.form)
        ? carried(request.original.value)
        : {}),
      ...projectExtras(request, to, 'read'),
      ...defined({
        // A brief is what the older forms have; asked for everything, they answer an empty one.
        brief: isModern && request.buyingMode !== 'brief' ? undefined : request.brief,
        buying_mode: isModern ? request.buyingMode : undefined,
        filters: request.filters === undefined ? undefined : projectFilters(request.filters, to.form),
        pagination:
          isModern && request.maxResults !== undefined ? { max_results: request.maxResults } : undefined,
      }),
      ...brand?.members,
    } as JsonObject;
    return { args, findings: brand?.findings.filter(({ field }) => field !== 'brand.domain') ?? [] };
  },

  readAnswer(payload, from, exact = new Map()) {
    const notes: { code: string; message: string; field?: string }[] = [];
    const list = readList(payload, 'products', (item, pointer) => {
      const reading = readProduct(item, from.form, pointer, exact);
      if (!reading.ok) return reading;
      notes.push(...reading.value.setAside);
      return ok(reading.value.product);
    });
    if (!list.ok) return list;
    return ok({ answer: { products: list.value.items }, setAside: [...list.value.setAside, ...notes] });
  },

  projectAnswer(answer, to) {
    const products = answer.products.map((product) => projectProduct(product, to.form));
    // Prices differ by account, so no answer of ours may be kept for another one.
    return to.form === '3.1' ? { products, cache_scope: 'account' } : { products };
  },
};

function carried(value: JsonObject): JsonObject {
  return structuredClone(
    Object.fromEntries(Object.entries(value).filter(([key]) => modernMembers.includes(key))),
  );
}
