import fc from 'fast-check';
import type {
  CreativeAtSeller,
  CreativeStatus,
  ListCreativesAnswer,
  ListedCreative,
  PackageApproval,
  SyncCreativesAnswer,
  SyncedCreative,
} from '../../entities/creative/creative-messages.js';
import type { Finding } from '../../losses/finding.js';
import type { TaskStatus } from '../../entities/task/task-status.js';
import type { TaskProgress, TaskView } from '../../entities/task/task-view.js';
import type { TaskExchange } from '../../entities/task/task-messages.js';
import type {
  CancelRefusal,
  CancelTaskAnswer,
  ListTasksAnswer,
  TaskSummary,
} from '../../entities/task/task-messages.js';
import { count, flag, list, moment, opaque, ours, shape, some, word } from './arbitrary.js';
import { warning, warnings } from './other-answers.js';

const finding = shape<Finding>({ code: word, message: word }, { field: word });
const creativeStatus: fc.Arbitrary<CreativeStatus> = fc.constantFrom(
  'processing',
  'pending_review',
  'approved',
  'suspended',
  'rejected',
  'archived',
);
const creativeAction = fc.constantFrom(
  ...(['created', 'updated', 'unchanged', 'failed', 'deleted'] as const),
);

const packageApproval = shape<PackageApproval>(
  {
    packageId: word,
    status: fc.constantFrom('pending_review' as const, 'approved' as const, 'rejected' as const),
  },
  { reason: word, asOf: moment },
);
const atSeller = shape<CreativeAtSeller>(
  { seller: word, status: fc.oneof(creativeStatus, fc.constant('not_synced' as const)) },
  { action: creativeAction, reason: word, asOf: moment, packages: some(packageApproval) },
);

const synced = shape<SyncedCreative>(
  {
    creativeId: word,
    action: creativeAction,
    changes: list(word),
    errors: warnings,
    warnings: list(word),
    assignedTo: list(word),
    assignmentErrors: fc.dictionary(word, word, { maxKeys: 2, noNullPrototype: true }),
  },
  { status: creativeStatus, platformId: word, sellers: some(atSeller) },
).map(({ status, ...one }): SyncedCreative => {
  // A failed or deleted creative has no status.
  const isGone = one.action === 'failed' || one.action === 'deleted';
  return isGone || status === undefined ? one : { ...one, status };
});

export const syncedAnswer = shape<SyncCreativesAnswer>(
  {
    creatives: list(synced),
    dryRun: flag,
    findings: list(
      shape<SyncCreativesAnswer['findings'][number]>({ code: word, message: word }, { seller: word }),
    ),
  },
  {},
);

const format = fc.record(
  { agent_url: fc.constant('https://f.example'), id: word },
  { noNullPrototype: true },
);
const assets = fc.record(
  {
    main: fc.record(
      {
        asset_type: fc.constant('image'),
        url: fc.constant('https://c.example/1.png'),
        width: fc.constant(300),
        height: fc.constant(250),
      },
      { noNullPrototype: true },
    ),
  },
  { noNullPrototype: true },
);

/** A creative has a format or, only in 3.1, a kind. */
const listedCreative = fc
  .tuple(
    shape<ListedCreative>(
      {
        creativeId: word,
        name: word,
        status: creativeStatus,
        createdAt: moment,
        updatedAt: moment,
        tags: list(word),
        original: ours,
      },
      {
        format,
        formatKind: word,
        assets,
        assignments: some(fc.record({ packageId: word, assignedAt: moment })),
        sellers: some(atSeller),
        reason: word,
      },
    ),
    flag,
  )
  .map(([{ format: id, formatKind, ...one }, hasFormat]): ListedCreative =>
    hasFormat && id !== undefined ? { ...one, format: id } : { ...one, formatKind: formatKind ?? 'image' },
  );

const sort = fc.record({
  field: fc.constantFrom(
    ...(['created_date', 'updated_date', 'name', 'status', 'assignment_count'] as const),
  ),
  direction: fc.constantFrom('asc' as const, 'desc' as const),
});
const someCreatives = shape<ListCreativesAnswer>(
  {
    creatives: list(listedCreative),
    total: count,
    limit: fc.integer({ min: 1, max: 100 }),
    hasMore: flag,
    filtersApplied: list(word),
    sort,
    statusSummary: fc.dictionary(creativeStatus, count, { noNullPrototype: true }),
    findings: list(finding),
  },
  {
    offset: count,
    cursor: word,
    // Members that every row has; a member that the caller did not request is no loss.
    fields: fc.constant(['creative_id', 'tags', 'assignments', 'assets', 'format_id', 'format_kind']),
  },
);

/** The last page has no cursor. */
export const creativesAnswer = someCreatives.map(({ cursor, ...page }): ListCreativesAnswer =>
  page.hasMore && cursor !== undefined ? { ...page, cursor } : page,
);

const taskStatus: fc.Arbitrary<TaskStatus> = fc.constantFrom(
  ...(['submitted', 'working', 'input-required', 'auth-required', 'completed'] as const),
  ...(['failed', 'canceled', 'rejected', 'unknown'] as const),
);
const exchange = shape<TaskExchange>(
  { timestamp: moment, type: fc.constantFrom('request' as const, 'response' as const), data: opaque },
  {},
);
const summary = shape<TaskSummary>(
  {
    taskId: word,
    taskType: word,
    protocol: fc.constantFrom('media-buy', 'signals', 'governance', 'elsewhere'),
    status: taskStatus,
    createdAt: moment,
    updatedAt: moment,
    hasWebhook: flag,
  },
  { completedAt: moment, contextId: word, history: some(exchange) },
);

export const taskAnswer = shape<TaskView>(
  {
    taskId: word,
    taskType: word,
    protocol: fc.constantFrom('media-buy', 'signals', 'governance', 'elsewhere'),
    status: taskStatus,
    createdAt: moment,
    updatedAt: moment,
  },
  {
    hasWebhook: flag,
    contextId: word,
    history: some(exchange),
    completedAt: moment,
    error: warning,
    message: word,
    progress: shape<TaskProgress>(
      {},
      {
        percentage: fc.integer({ min: 0, max: 100 }),
        currentStep: word,
        totalSteps: fc.integer({ min: 1, max: 9 }),
        stepNumber: fc.integer({ min: 1, max: 9 }),
      },
    ),
    result: opaque,
  },
).map(({ error, ...view }): TaskView =>
  // Only failed tasks have an error.
  error !== undefined && (view.status === 'failed' || view.status === 'rejected') ? { ...view, error } : view,
);

const someTasks = shape<ListTasksAnswer>(
  {
    tasks: list(summary),
    total: count,
    byProtocol: fc.dictionary(fc.constantFrom('media-buy', 'signals'), count, { noNullPrototype: true }),
    byStatus: fc.dictionary(taskStatus, count, { noNullPrototype: true }),
    sort: fc.record({
      field: fc.constantFrom(...(['created_at', 'updated_at', 'status', 'task_type', 'protocol'] as const)),
      direction: fc.constantFrom('asc' as const, 'desc' as const),
    }),
    limit: fc.integer({ min: 1, max: 100 }),
    offset: count,
    hasMore: flag,
  },
  { cursor: word },
);

export const tasksAnswer = someTasks.map(({ cursor, ...page }): ListTasksAnswer =>
  page.hasMore && cursor !== undefined ? { ...page, cursor } : page,
);

const refusal = shape<CancelRefusal>({ seller: word, code: word, message: word }, { mediaBuyId: word });
export const canceledAnswer = shape<CancelTaskAnswer>({ task: summary, refusals: list(refusal) }, {});
