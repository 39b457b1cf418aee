import { brandDomainOf, defined, err, ok, storedDomain, type JsonObject } from '@switchyard/values';
import { z } from 'zod';
import type {
  RequestedAccount,
  SyncAccountsAnswer,
  SyncAccountsRequest,
} from '../entities/account/account-messages.js';
import { taskError } from '../errors/task-error.js';
import type { TaskError } from '../errors/task-fault.js';
import type { TaskSpec } from '../task-spec.js';
import {
  projectPair,
  projectSyncedAccount,
  readSyncedAccount,
  readRequestedAccount,
} from '../entities/account/account.js';
import { readSubscribers, subscriberFaults, subscribersShape } from '../entities/account/subscriber.js';
import { lifecycleMember } from '../releases/lifecycle-task.js';
import { readList } from '../message/answer.js';
import { projectExtras, readExtras } from '../message/extras.js';
import { inputSchemaOf, anyObject, brandShape, extras, idText, readShape } from '../message/shapes.js';
import { booleanAt, member, objectAt, objectsAt } from '../message/pick.js';
import { keyFaults, required } from '../message/require.js';

const domainBy = (stored: (text: string) => string) =>
  z
    .string()
    .max(253)
    .overwrite(stored)
    .regex(/^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*$/);

const shape = z.looseObject({
  ...extras,
  accounts: z
    .array(
      z.looseObject({
        account: extras.account,
        brand: brandShape.extend({ domain: domainBy(brandDomainOf).optional() }).optional(),
        operator: domainBy(storedDomain).optional(),
        billing: z.enum(['operator', 'agent', 'advertiser']).optional(),
        billing_entity: anyObject.optional(),
        payment_terms: idText.optional(),
        sandbox: z.boolean().optional(),
        preferred_reporting_protocol: idText.optional(),
        notification_configs: subscribersShape.optional(),
      }),
    )
    .max(1_000),
  delete_missing: z.boolean().optional(),
  dry_run: z.boolean().optional(),
});

/**
 * Declares pairs of brand and operator as the caller's accounts (docs/protocol/accounts.md#two-planes). Nothing is sent
 * to sellers.
 */
export const syncAccounts: TaskSpec<SyncAccountsRequest, SyncAccountsAnswer> = {
  name: 'sync_accounts',
  names: { ads: ['sync_accounts'], adcp: ['sync_accounts'] },
  access: 'credentials',
  kind: 'mutation',
  area: 'media_buys',
  permission: 'write',
  isForNoAccount: true,
  serves: 'platform',
  deadlineMs: 15_000,
  mayBeAsync: false,
  inputSchema: inputSchemaOf(shape),

  readRequest(args, profile) {
    const checked = readShape(shape, args);
    if (!checked.ok) return checked;
    const rows = objectsAt(args, 'accounts');
    const errors = [
      ...keyFaults(args, profile.form),
      ...rows.flatMap(faultsOf),
      ...rows.flatMap((row, at) =>
        // An event that is not sent here refuses its row alone.
        subscriberFaults(row, 'account', `accounts[${at}].`).filter(({ code }) => code === 'INVALID_REQUEST'),
      ),
      ...duplicateRows(rows.map(readRequestedAccount)),
    ];
    if (errors.length > 0) return err(errors);
    const agent = objectAt(args, lifecycleMember);
    return ok({
      ...readExtras(args),
      ...(agent === undefined ? {} : { agent: readSubscribers(agent) }),
      accounts: rows.map(readRequestedAccount),
      deleteMissing: booleanAt(args, 'delete_missing') === true,
      dryRun: booleanAt(args, 'dry_run') === true,
    });
  },

  projectRequest(request, to) {
    const args = {
      ...projectExtras(request, to, 'mutation'),
      accounts: request.accounts.map(projectRequestedAccount),
      ...(request.deleteMissing ? { delete_missing: true } : {}),
      ...(request.dryRun ? { dry_run: true } : {}),
    } as JsonObject;
    return { args, findings: [] };
  },

  readAnswer(payload) {
    const list = readList(payload, 'accounts', readSyncedAccount);
    if (!list.ok) return list;
    const dryRun = booleanAt(payload, 'dry_run') === true;
    return ok({ answer: { accounts: list.value.items, dryRun }, setAside: list.value.setAside });
  },

  projectAnswer({ accounts, dryRun }, to) {
    return {
      accounts: accounts.map((row) => projectSyncedAccount(row, to)),
      ...(dryRun ? { dry_run: true } : {}),
    };
  },
};

/** A row declares a pair or changes an existing account, never both. */
function faultsOf(row: JsonObject, at: number): readonly TaskError[] {
  const field = (name: string): string => `accounts[${at}].${name}`;
  const named = ['brand', 'operator', 'billing'].filter((name) => member(row, name) !== undefined);
  if (member(row, 'account') !== undefined) {
    return named.map((name) => {
      const suggestion = 'Name the account, or declare a pair: not both in one row.';
      return taskError('INVALID_REQUEST', `${field(name)} does not go with account.`, {
        field: field(name),
        suggestion,
      });
    });
  }
  const missing = ['brand', 'operator', 'billing'].filter((name) => !named.includes(name));
  const brand = readRequestedAccount(row).brandDomain;
  const faults = missing.map((name) => required(field(name)));
  return brand === '' && !missing.includes('brand') ? [...faults, required(field('brand.domain'))] : faults;
}

function duplicateRows(options: readonly RequestedAccount[]): readonly TaskError[] {
  const seen = new Set<string>();
  return options.flatMap((requested, at) => {
    if (requested.account !== undefined) return [];
    const key = [requested.brandDomain, requested.brandId, requested.operator].join(' ');
    if (!seen.has(key)) {
      seen.add(key);
      return [];
    }
    const suggestion = 'Send each pair once.';
    const field = `accounts[${at}]`;
    return [taskError('INVALID_REQUEST', 'Two rows declare the same account.', { field, suggestion })];
  });
}

function projectRequestedAccount(requested: RequestedAccount): JsonObject {
  const account =
    requested.account !== undefined && 'accountId' in requested.account
      ? { account: { account_id: requested.account.accountId } }
      : projectPair(requested);
  return defined({
    ...account,
    billing: requested.billing,
    payment_terms: requested.paymentTerms,
    sandbox: requested.sandbox ? true : undefined,
  });
}
