import { custodyExport, verifyCustody, type RelayedRow, type RelayLog } from '@switchyard/relay';
import { ownerFilter, type PrincipalDirectory, type TenantScope } from '@switchyard/tenancy';
import { err, isoOf, isUuid, ok, type JsonObject, type Result } from '@switchyard/values';
import type { AdminFailure } from '../../application/admin.js';
import type { CustodyAdmin } from '../../application/delegations-admin.js';
import type { PrincipalCaller } from '../../application/task-call.js';
import { whoseKnown } from './whose.js';

export interface CustodyAdminParts {
  readonly log: RelayLog;
  readonly principals: Pick<PrincipalDirectory, 'find' | 'list'>;
}

const usualLimit = 100;

export function createCustodyAdmin(parts: CustodyAdminParts): CustodyAdmin {
  const { log } = parts;
  return {
    list: async (caller, ask) => {
      const of = await whoseKnown(parts, caller, ask.principalId, 'read');
      if (!of.ok) return of;
      const rows = await log.list(scopeOf(caller), {
        limit: ask.limit ?? usualLimit,
        ...(of.value === undefined ? {} : { principalId: of.value }),
        ...(ask.seller === undefined ? {} : { seller: ask.seller }),
        ...(ask.outcome === undefined ? {} : { outcome: ask.outcome }),
      });
      return ok(rows.map(viewOf));
    },
    show: async (caller, id) => {
      const found = isUuid(id) ? await log.show(scopeOf(caller), id, ownerFilter(caller)) : undefined;
      if (found === undefined) {
        return err({ code: 'NOT_FOUND', message: 'There is no such record in the chain.' });
      }
      return ok({ record: found.record, hash: found.hash, block: found.block });
    },
    export: async (caller, principalId) => {
      const of = await oneChain(parts, caller, principalId);
      if (!of.ok) return of;
      const { blocks, head } = await log.chain(scopeOf(caller), of.value);
      return ok(custodyExport(blocks, head));
    },
    verify: async (caller, principalId) => {
      const of = await whoseKnown(parts, caller, principalId, 'read');
      if (!of.ok) return of;
      const scope = scopeOf(caller);
      const ids = of.value === undefined ? await principalsWithRecords(parts, scope) : [of.value];
      const chains: JsonObject[] = [];
      for (const id of ids) chains.push({ principal_id: id, ...(await verified(log, scope, id)) });
      const [only, another] = chains;
      if (only !== undefined && another === undefined) {
        const { principal_id: _theOnlyOne, ...verdict } = only;
        return ok(verdict);
      }
      return ok({
        ok: chains.every((chain) => chain['ok'] === true),
        records: chains.reduce((sum, { records }) => sum + Number(records), 0),
        // One head per chain, and several chains have no head together.
        head: null,
        chains,
      });
    },
  };
}

async function verified(log: RelayLog, scope: TenantScope, principalId: string): Promise<JsonObject> {
  const { blocks, head } = await log.chain(scope, principalId);
  const verdict = await verifyCustody(blocks, head);
  const records = Number(verdict.ok ? verdict.entries : head.entryTotal);
  const fault = verdict.ok
    ? {}
    : { code: verdict.code, block: verdict.at.number.toString(), record: verdict.record ?? null };
  return { ok: verdict.ok, records, head: head.hash, ...fault };
}

/** An export is of one chain, so that it verifies alone; an admin who names none gets the only one there is. */
async function oneChain(
  parts: CustodyAdminParts,
  caller: PrincipalCaller,
  principalId: string | undefined,
): Promise<Result<string, AdminFailure>> {
  const of = await whoseKnown(parts, caller, principalId, 'read');
  if (!of.ok) return of;
  if (of.value !== undefined) return ok(of.value);
  const [only, another] = await principalsWithRecords(parts, scopeOf(caller));
  if (another === undefined) return ok(only ?? caller.principalId);
  return err({
    code: 'INVALID_REQUEST',
    message: 'There are several chains: say whose.',
    field: 'principal_id',
    suggestion: 'Give --principal ID.',
  });
}

async function principalsWithRecords(
  { log, principals }: CustodyAdminParts,
  scope: TenantScope,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { id } of await principals.list(scope)) {
    const rows = await log.list(scope, { principalId: id, limit: 1 });
    if (rows.length > 0) found.push(id);
  }
  return found;
}

function scopeOf({ organizationId }: PrincipalCaller): TenantScope {
  return { organizationId };
}

function viewOf(row: RelayedRow): JsonObject {
  return {
    record_id: row.id,
    principal_id: row.principalId,
    seller: row.seller,
    way: row.way,
    task: row.task ?? null,
    outcome: row.outcome ?? null,
    code: row.code ?? null,
    delegation_id: row.delegationId ?? null,
    operation_id: row.operationId ?? null,
    // Nothing was hashed of a body that was refused unread.
    body_hash: row.bodyHash === '' ? null : row.bodyHash,
    arrived_at: isoOf(row.arrivedAt),
    ended_at: row.endedAt === undefined ? null : isoOf(row.endedAt),
    in_chain: row.inChain,
  };
}
