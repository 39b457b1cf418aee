import { describe, expect, it } from '@jest/globals';
import { openBuyingDesk } from '@switchyard/testing';
import type { HandlerParts } from '../handler.js';
import { deskCall } from '../testkit/desk-call.js';
import { createTaskService } from '../task-service.js';

const known = {
  id: 'acc_1',
  brandDomain: 'known.example',
  brandId: '',
  operator: 'agency.example',
  isSandbox: false,
  createdAt: 0,
};

/** A dry run of two rows, of which the second is there already. */
async function rehearse() {
  const desk = await openBuyingDesk({ acme: { isIdempotent: true } });
  const service = createTaskService({
    ports: desk.ports,
    principals: { accountsOf: () => Promise.resolve([known]) },
    accounts: { accounts: () => Promise.resolve([known]) },
    domainOf: () => Promise.resolve('agency.example'),
    declareOnFirstUse: false,
  } as unknown as HandlerParts);
  const row = { operator: 'agency.example', billing: 'operator' };
  return service.call(
    deskCall(desk, 'sync_accounts', {
      adcp_version: '3.1',
      idempotency_key: 'a-key-of-the-buyer-1',
      accounts: [
        { ...row, brand: { domain: 'new.example' } },
        { ...row, brand: { domain: 'known.example' } },
      ],
      dry_run: true,
    }),
  );
}

describe('a dry run of sync_accounts', () => {
  it('shows no id of an account that it would open: nothing has it afterwards', async () => {
    const { body } = await rehearse();
    const [opened, there] = body['accounts'] as readonly object[];
    expect(opened).toMatchObject({ brand: { domain: 'new.example' }, action: 'created', status: 'active' });
    expect(opened).not.toHaveProperty('account_id');
    expect(there).toMatchObject({ action: 'unchanged', account_id: 'acc_1' });
  });
});
