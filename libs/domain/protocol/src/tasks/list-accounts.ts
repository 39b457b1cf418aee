import { defined, ok, type JsonObject } from '@switchyard/values';
import { z } from 'zod';
import type { ListAccountsAnswer, ListAccountsRequest } from '../entities/account/account-messages.js';
import type { TaskSpec } from '../task-spec.js';
import { projectAccount, readAccount } from '../entities/account/account.js';
import { readList } from '../message/answer.js';
import { projectExtras, readExtras } from '../message/extras.js';
import { inputSchemaOf, extras, readShape } from '../message/shapes.js';
import { countAt, objectAt, textAt } from '../message/pick.js';

const usualPage = 50;

const shape = z.looseObject({
  ...extras,
  status: z
    .enum(['active', 'pending_approval', 'rejected', 'payment_required', 'suspended', 'closed'])
    .optional(),
  sandbox: z.boolean().optional(),
  pagination: z
    .looseObject({
      max_results: z.int().min(1).max(100).optional(),
      cursor: z.string().max(20_000).optional(),
    })
    .optional(),
});

/** Lists the caller's accounts with us, never ours with sellers (docs/protocol/accounts.md#two-planes). */
export const listAccounts: TaskSpec<ListAccountsRequest, ListAccountsAnswer> = {
  name: 'list_accounts',
  names: { ads: ['list_accounts'], adcp: ['list_accounts'] },
  access: 'credentials',
  kind: 'read',
  area: 'media_buys',
  permission: 'read',
  serves: 'platform',
  deadlineMs: 10_000,
  mayBeAsync: false,
  inputSchema: inputSchemaOf(shape),

  readRequest(args) {
    const checked = readShape(shape, args);
    if (!checked.ok) return checked;
    const { status, sandbox, pagination } = checked.value;
    return ok({
      ...readExtras(args),
      maxResults: pagination?.max_results ?? usualPage,
      ...defined({ status, sandbox, cursor: pagination?.cursor }),
    });
  },

  projectRequest(request, to) {
    const args = {
      ...projectExtras(request, to, 'read'),
      ...defined({ status: request.status, sandbox: request.sandbox }),
      pagination: defined({ max_results: request.maxResults, cursor: request.cursor }),
    } as JsonObject;
    return { args, findings: [] };
  },

  readAnswer(payload) {
    const list = readList(payload, 'accounts', readAccount);
    if (!list.ok) return list;
    const page = objectAt(payload, 'pagination');
    const { items, setAside } = list.value;
    const cursor = textAt(page, 'cursor');
    return ok({
      answer: {
        accounts: items,
        total: countAt(page, 'total_count') ?? items.length,
        ...defined({ cursor }),
      },
      setAside,
    });
  },

  projectAnswer({ accounts, total, cursor }) {
    const pagination = defined({ has_more: cursor !== undefined, cursor, total_count: total }) as JsonObject;
    return { accounts: accounts.map(projectAccount), pagination };
  },
};
