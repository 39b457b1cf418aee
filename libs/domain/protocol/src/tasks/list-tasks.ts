import { defined, err, isJsonObject, ok, type JsonObject } from '@switchyard/values';
import { z } from 'zod';
import type { Finding } from '../losses/finding.js';
import type { ListTasksAnswer, ListTasksRequest, TaskFilters } from '../entities/task/task-messages.js';
import type { TaskSpec } from '../task-spec.js';
import { readList } from '../message/answer.js';
import { projectExtras, readExtras } from '../message/extras.js';
import { is3x } from '../message/form.js';
import { inputSchemaOf, extras, idText, readShape } from '../message/shapes.js';
import { booleanAt, countAt, objectAt, textAt, textsAt } from '../message/pick.js';
import { taskFilterFaults } from '../entities/task/task-names.js';
import { projectSummary, readSummary } from '../entities/task/task-summary.js';

const usualPage = 50;
const moment = z.iso.datetime({ offset: true });
const words = z.array(idText).min(1).max(100);

const shape = z.looseObject({
  ...extras,
  filters: z
    .looseObject({
      protocol: idText.optional(),
      protocols: words.optional(),
      domain: idText.optional(),
      domains: words.optional(),
      status: idText.optional(),
      statuses: words.optional(),
      task_type: idText.optional(),
      task_types: words.optional(),
      created_after: moment.optional(),
      created_before: moment.optional(),
      updated_after: moment.optional(),
      updated_before: moment.optional(),
      task_ids: words.optional(),
      context_contains: z.string().min(1).max(1_000).optional(),
      has_webhook: z.boolean().optional(),
      context_id: idText.optional().describe('A session of yours.'),
    })
    .optional(),
  sort: z
    .looseObject({
      field: z.enum(['created_at', 'updated_at', 'status', 'task_type', 'protocol', 'domain']).optional(),
      direction: z.enum(['asc', 'desc']).optional(),
    })
    .optional(),
  pagination: z
    .looseObject({
      max_results: z.int().min(1).max(100).optional(),
      cursor: z.string().max(20_000).optional(),
      limit: z.int().min(1).max(100).optional(),
      offset: z.int().min(0).max(1_000_000).optional(),
    })
    .optional(),
  include_history: z.boolean().optional(),
});

/** Lists the caller's own long-running tasks, newest first (docs/protocol/task-states.md#reading-tasks). */
export const listTasks: TaskSpec<ListTasksRequest, ListTasksAnswer> = {
  name: 'list_tasks',
  names: {
    ads: ['tasks/list', 'list_tasks', 'tasks_list'],
    adcp: ['tasks/list', 'list_tasks', 'tasks_list'],
  },
  access: 'credentials',
  kind: 'read',
  area: 'of_its_task',
  permission: 'read',
  serves: 'platform',
  deadlineMs: 10_000,
  mayBeAsync: false,
  inputSchema: inputSchemaOf(shape),

  readRequest(args) {
    const checked = readShape(shape, args);
    if (!checked.ok) return checked;
    const { filters, sort, pagination } = checked.value;
    const faults = taskFilterFaults(filters);
    if (faults.length > 0) return err(faults);
    const field = sort?.field === 'domain' ? 'protocol' : sort?.field;
    return ok({
      ...readExtras(args),
      filters: readFilters(objectAt(args, 'filters')),
      sort: { field: field ?? 'created_at', direction: sort?.direction ?? 'desc' },
      maxResults: pagination?.max_results ?? pagination?.limit ?? usualPage,
      includeHistory: checked.value.include_history ?? false,
      ...defined({ cursor: pagination?.cursor, offset: pagination?.offset }),
    });
  },

  projectRequest(request, to) {
    const modern = is3x(to.form);
    const { filters, sort } = request;
    const args = {
      ...projectExtras(request, to, 'read'),
      filters: defined({
        [modern ? 'protocols' : 'domains']: listOf(filters.protocols),
        statuses: listOf(filters.statuses),
        task_types: listOf(filters.taskTypes),
        created_after: filters.createdAfter,
        created_before: filters.createdBefore,
        updated_after: filters.updatedAfter,
        updated_before: filters.updatedBefore,
        task_ids: listOf(filters.taskIds),
        context_contains: filters.contextContains,
        has_webhook: filters.hasWebhook,
        context_id: filters.contextId,
      }),
      ...(request.includeHistory ? { include_history: true } : {}),
      sort: {
        field: sort.field === 'protocol' && !modern ? 'domain' : sort.field,
        direction: sort.direction,
      },
      pagination: modern
        ? defined({ max_results: request.maxResults, cursor: request.cursor })
        : defined({ limit: request.maxResults, offset: request.offset }),
    } as JsonObject;
    const isLost = !modern && request.cursor !== undefined;
    const message =
      "The seller's protocol version has page numbers and no cursors: the list starts at the first page.";
    const findings: readonly Finding[] = isLost
      ? [{ code: 'CURSOR_LEFT_OUT', message, field: 'pagination.cursor' }]
      : [];
    return { args, findings };
  },

  readAnswer(payload) {
    const list = readList(payload, 'tasks', readSummary);
    if (!list.ok) return list;
    const summary = objectAt(payload, 'query_summary');
    const page = objectAt(payload, 'pagination');
    const { items } = list.value;
    return ok({
      answer: {
        tasks: items,
        total: countAt(summary, 'total_matching') ?? countAt(page, 'total_count') ?? items.length,
        byProtocol: countsAt(summary, 'domain_breakdown'),
        byStatus: countsAt(summary, 'status_breakdown'),
        sort: { field: 'created_at', direction: 'desc' },
        limit: countAt(page, 'limit') ?? items.length,
        offset: countAt(page, 'offset') ?? 0,
        hasMore: booleanAt(page, 'has_more') ?? false,
        ...defined({ cursor: textAt(page, 'cursor') }),
      },
      setAside: list.value.setAside,
    });
  },

  projectAnswer(answer, to) {
    const modern = is3x(to.form);
    const { limit, offset, hasMore, tasks, total, sort } = answer;
    const field = sort.field === 'protocol' && !modern ? 'domain' : sort.field;
    const pagination = modern
      ? { has_more: hasMore, cursor: hasMore ? answer.cursor : undefined, total_count: total }
      : { limit, offset, has_more: hasMore, next_offset: hasMore ? offset + tasks.length : undefined };
    return {
      query_summary: {
        total_matching: total,
        returned: tasks.length,
        domain_breakdown: { ...answer.byProtocol },
        status_breakdown: { ...answer.byStatus },
        sort_applied: { field, direction: sort.direction },
      },
      tasks: tasks.map((task) => projectSummary(task, 'domain', to.form)),
      pagination: defined(pagination),
    };
  },
};

function readFilters(filters: JsonObject | undefined): TaskFilters {
  const both = (many: string, singular: string): readonly string[] => {
    const single = textAt(filters, singular);
    return [...textsAt(filters, many), ...(single === undefined ? [] : [single])];
  };
  const some = (values: readonly string[]): readonly string[] | undefined =>
    values.length === 0 ? undefined : [...new Set(values)];
  const protocols = [...both('protocols', 'protocol'), ...both('domains', 'domain')];
  return defined({
    protocols: some(protocols),
    statuses: some(both('statuses', 'status')),
    taskTypes: some(both('task_types', 'task_type')),
    createdAfter: textAt(filters, 'created_after'),
    createdBefore: textAt(filters, 'created_before'),
    updatedAfter: textAt(filters, 'updated_after'),
    updatedBefore: textAt(filters, 'updated_before'),
    taskIds: some(textsAt(filters, 'task_ids')),
    contextContains: textAt(filters, 'context_contains'),
    hasWebhook: booleanAt(filters, 'has_webhook'),
    contextId: textAt(filters, 'context_id'),
  });
}

function listOf(values: readonly string[] | undefined): string[] | undefined {
  return values === undefined ? undefined : [...values];
}

function countsAt(summary: JsonObject | undefined, key: string): Readonly<Record<string, number>> {
  const counts = summary?.[key];
  if (!isJsonObject(counts)) return {};
  return Object.fromEntries(
    Object.entries(counts).filter(([, count]) => typeof count === 'number'),
  ) as Record<string, number>;
}
