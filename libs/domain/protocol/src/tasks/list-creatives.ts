import { defined, err, ok, type JsonObject } from '@switchyard/values';
import { z } from 'zod';
import { answeredForm } from '../versions/seller-form.js';
import type {
  CreativeSort,
  ListCreativesAnswer,
  ListCreativesRequest,
} from '../entities/creative/creative-messages.js';
import { taskError } from '../errors/task-error.js';
import type { TaskError } from '../errors/task-fault.js';
import type { TaskSpec } from '../task-spec.js';
import { readList } from '../message/answer.js';
import {
  emptyFilterFaults,
  creativeFiltersShape,
  projectCreativeFilters,
  readCreativeFilters,
  unheldFilters,
  creativeFilterFindings,
} from '../entities/creative/creative-filters.js';
import { projectCreativeStatus, readCreativeStatus } from '../entities/creative/creative.js';
import { projectExtras, readExtras } from '../message/extras.js';
import { is3x, withExt } from '../message/form.js';
import { inputSchemaOf, extras, idText, readShape } from '../message/shapes.js';
import { projectListed, readListed } from '../entities/creative/listed-creative.js';
import { booleanAt, countAt, listAt, numberAt, objectAt, textAt, textsAt } from '../message/pick.js';
import { numbers } from '../message/plain-types.js';
import type { Form } from '../versions/wire-profile.js';

const sortFields = ['created_date', 'updated_date', 'name', 'status', 'assignment_count'] as const;
const flag = z.boolean().optional();

const shape = z.looseObject({
  ...extras,
  filters: creativeFiltersShape.optional(),
  sort: z
    .looseObject({
      field: z.enum([...sortFields, 'performance_score']).optional(),
      direction: z.enum(['asc', 'desc']).optional(),
    })
    .optional(),
  pagination: z
    .looseObject({
      max_results: z.int().min(1).max(100).optional(),
      cursor: z.string().max(4_000).optional(),
      limit: z.int().min(1).max(100).optional(),
      offset: z.int().min(0).max(1_000_000).optional(),
    })
    .optional(),
  include_assignments: flag,
  include_performance: flag,
  include_sub_assets: flag,
  include_snapshot: flag,
  include_items: flag,
  include_variables: flag,
  include_pricing: flag,
  include_purged: flag,
  include_webhook_activity: flag,
  ...numbers('webhook_activity_limit'),
  fields: z.array(idText).min(1).max(50).optional(),
});

/** Requested data that is not stored here. Data that is off by default, or always empty here, needs no finding. */
const unavailable = ['include_performance', 'include_sub_assets', 'include_snapshot', 'include_items'];
const alsoUnavailable = [
  'include_variables',
  'include_pricing',
  'include_purged',
  'include_webhook_activity',
];

export const listCreatives: TaskSpec<ListCreativesRequest, ListCreativesAnswer> = {
  name: 'list_creatives',
  names: { ads: ['list_creatives'], adcp: ['list_creatives'] },
  access: 'credentials',
  kind: 'read',
  area: 'creatives',
  permission: 'read',
  serves: 'sales',
  deadlineMs: 10_000,
  mayBeAsync: false,
  inputSchema: inputSchemaOf(shape),

  readRequest(args, { form }) {
    const checked = readShape(shape, args);
    if (!checked.ok) return checked;
    const filters = objectAt(args, 'filters');
    const pagination = objectAt(args, 'pagination');
    const errors = [...emptyFilterFaults(filters, form), ...faultsOf(args)];
    if (errors.length > 0) return err(errors);
    const named = textAt(objectAt(args, 'sort'), 'field');
    const field = sortFields.find((name) => name === named) ?? 'created_date';
    const fields = textsAt(args, 'fields');
    const flags = [...unavailable, ...alsoUnavailable].filter((name) => booleanAt(args, name) === true);
    const sorts = named === 'performance_score' ? ['sort.performance_score'] : [];
    return ok({
      ...readExtras(args),
      filters: readCreativeFilters(filters),
      sort: { field, direction: checked.value.sort?.direction ?? 'desc' },
      limit: numberAt(pagination, 'max_results') ?? numberAt(pagination, 'limit') ?? 50,
      includeAssignments: booleanAt(args, 'include_assignments') !== false,
      unanswered: [...unheldFilters(filters), ...flags, ...sorts],
      ...defined({
        offset: countAt(pagination, 'offset'),
        cursor: textAt(pagination, 'cursor'),
        fields: fields.length === 0 ? undefined : fields,
      }),
    });
  },

  projectRequest(request, to) {
    const filters = projectCreativeFilters(request.filters, to.form);
    const modern = is3x(to.form);
    const pagination = modern
      ? defined({ max_results: request.limit, cursor: request.cursor })
      : { limit: request.limit, offset: request.offset ?? 0 };
    const args = {
      ...projectExtras(request, to, 'read'),
      ...defined({
        filters,
        sort: { ...request.sort },
        pagination,
        include_assignments: request.includeAssignments ? undefined : false,
        fields: request.fields === undefined ? undefined : [...request.fields],
      }),
    } as JsonObject;
    return { args, findings: creativeFilterFindings(request.filters, to.form) };
  },

  readAnswer(payload, from) {
    const form = answeredForm(payload, from);
    const list = readList(payload, 'creatives', (item) => readListed(item, form));
    if (!list.ok) return list;
    const summary = objectAt(payload, 'query_summary');
    const page = objectAt(payload, 'pagination');
    const creatives = list.value.items;
    return ok({
      answer: {
        creatives,
        total: countAt(summary, 'total_matching') ?? creatives.length,
        limit: countAt(page, 'limit') ?? creatives.length,
        hasMore: booleanAt(page, 'has_more') === true,
        filtersApplied: textsAt(summary, 'filters_applied'),
        sort: { field: 'created_date', direction: 'desc' },
        statusSummary: {},
        findings: [],
        ...defined({ cursor: textAt(page, 'cursor'), offset: countAt(page, 'offset') }),
      },
      setAside: list.value.setAside,
    });
  },

  projectAnswer(answer, to) {
    const creatives = answer.creatives.map((creative) => projectListed(creative, to.form, answer.fields));
    const payload = defined({
      query_summary: {
        total_matching: answer.total,
        returned: creatives.length,
        filters_applied: [...answer.filtersApplied],
        sort_applied: sortOf(answer.sort),
      },
      pagination: pageOf(answer, to.form),
      creatives,
      status_summary: summaryOf(answer.statusSummary, to.form),
    }) as JsonObject;
    if (answer.findings.length === 0) return payload;
    const findings = answer.findings.map((finding) => ({ ...finding }));
    return to.form === 'service'
      ? { ...payload, findings }
      : { ...payload, ...withExt(payload, { findings }) };
  },
};

function sortOf(sort: CreativeSort): JsonObject {
  return { field: sort.field, direction: sort.direction };
}

/** 2.5 counts pages, 3.x has a cursor; the `service` form defines neither, so it gets both. */
function pageOf(answer: ListCreativesAnswer, to: Form): JsonObject {
  const { limit, hasMore, cursor, total } = answer;
  const next = hasMore ? cursor : undefined;
  if (is3x(to)) return defined({ has_more: hasMore, cursor: next, total_count: total });
  const offset = answer.offset ?? 0;
  const counted = {
    limit,
    offset,
    has_more: hasMore,
    total_pages: Math.ceil(total / limit),
    current_page: Math.floor(offset / limit) + 1,
  };
  return defined({ ...counted, cursor: next });
}

/** States that a form does not have are counted under the state that its rows show. */
function summaryOf(summary: Readonly<Record<string, number>>, to: Form): JsonObject {
  const counts = new Map<string, number>();
  for (const [word, count] of Object.entries(summary)) {
    const status = readCreativeStatus(word);
    if (status === undefined) continue;
    const projected = projectCreativeStatus(status, to);
    counts.set(projected, (counts.get(projected) ?? 0) + count);
  }
  return Object.fromEntries(counts);
}

function faultsOf(args: JsonObject): readonly TaskError[] {
  const pagination = objectAt(args, 'pagination');
  if (textAt(pagination, 'cursor') !== undefined && countAt(pagination, 'offset') !== undefined) {
    const suggestion = 'Send the cursor alone.';
    const message = 'A page is requested by cursor or by offset, not by both.';
    return [taskError('INVALID_REQUEST', message, { field: 'pagination.offset', suggestion })];
  }
  const words = listAt(objectAt(args, 'filters'), 'statuses') ?? [];
  const unknown = words.findIndex((word) => readCreativeStatus(word) === undefined);
  if (unknown < 0) return [];
  const suggestion = 'Use processing, pending_review, approved, suspended, rejected or archived.';
  return [
    taskError('VALIDATION_ERROR', 'No creative has this status.', {
      field: `filters.statuses[${unknown}]`,
      suggestion,
    }),
  ];
}
