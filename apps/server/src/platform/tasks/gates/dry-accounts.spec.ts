import { describe, expect, it } from '@jest/globals';
import { openBuyingHarness } from '@switchyard/testing';
import { harnessCall, harnessDeps } from '../testkit/harness-call.js';
import { taskService } from '../../../main/testkit/task-service.js';

const known = {
  id: 'acc_1',
  brandDomain: 'known.example',
  brandId: '',
  operator: 'agency.example',
  isSandbox: false,
  createdAt: 0,
};

/** A dry run of two rows, of which the second is there already. */
async function runTestController() {
  const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
  const service = taskService(
    harnessDeps(harness, [known], {
      accounts: { accounts: () => Promise.resolve([known]) },
      declareOnFirstUse: false,
    }),
  );
  const row = { operator: 'agency.example', billing: 'operator' };
  return service.call(
    harnessCall(harness, 'sync_accounts', {
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
  it('shows no id of an account that it would open', async () => {
    const { body } = await runTestController();
    const [opened, there] = body['accounts'] as readonly object[];
    expect(opened).toMatchObject({ brand: { domain: 'new.example' }, action: 'created', status: 'active' });
    expect(opened).not.toHaveProperty('account_id');
    expect(there).toMatchObject({ action: 'unchanged', account_id: 'acc_1' });
  });
});
