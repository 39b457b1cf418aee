import { isJsonObject, type JsonObject } from '@switchyard/values';
import { objectAt, refusedAs, textAt } from './answers.js';
import { pairIn } from './account-of-seed.js';
import { forceAccountStatus } from './force-account.js';
import type { TestControl } from './test-control.js';

/** Declares an account of the caller, as `sync_accounts` does, under the id that the run gives it. */
export async function seedAccount(control: TestControl): Promise<JsonObject> {
  const { params, deps, caller, names, call } = control;
  const name = textAt(params, 'account_id');
  if (name === undefined) return refusedAs('INVALID_PARAMS', 'params.account_id is required.');
  const fixture = objectAt(params, 'fixture');
  const pair = pairIn(fixture) ?? {
    brand: { domain: `${slugOf(name)}.example` },
    operator: 'test-controller.example',
  };
  const reply = await call('sync_accounts', {
    adcp_major_version: 3,
    idempotency_key: deps.ids.uuid(),
    accounts: [{ ...pair, billing: 'operator', sandbox: true }],
  });
  const [made] = Array.isArray(reply.body['accounts']) ? reply.body['accounts'] : [];
  const id = isJsonObject(made) ? textAt(made, 'account_id') : undefined;
  if (reply.isError || id === undefined)
    return refusedAs('INVALID_PARAMS', reply.errors[0]?.message ?? 'The account was not taken.');
  // The id may be a name given before, for the same pair.
  names.give(caller, 'account', name, names.idOf(caller, 'account', id));
  const status = textAt(fixture, 'status') ?? 'active';
  const forced = await forceAccountStatus({ ...control, params: { account_id: name, status } });
  return forced['success'] === true ? { success: true, message: 'It is an account of yours.' } : forced;
}

function slugOf(name: string): string {
  return (
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 60) || 'seeded'
  );
}
