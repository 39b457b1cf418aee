import { describe, expect, it } from '@jest/globals';
import type { CreateMediaBuyRequest } from '@switchyard/protocol';
import { endedLists } from './ended-lists.js';

const scope = { organizationId: 'o' };
const packageWith = (listId?: string): CreateMediaBuyRequest['packages'][number] =>
  ({
    productId: 'acme:p',
    ...(listId !== undefined && {
      targetingOverlay: { property_list: { agent_url: 'https://lists.example/mcp', list_id: listId } },
    }),
  }) as unknown as CreateMediaBuyRequest['packages'][number];

describe('a new buy', () => {
  it('is refused at each package that names a list whose copies were ended, with what to do', async () => {
    const faults = await endedLists(
      (_scope, named) => Promise.resolve(named.filter(({ subject }) => subject === 'ended')),
      scope,
      [packageWith(), packageWith('safe'), packageWith('ended')],
    );
    expect(faults).toMatchObject([
      {
        code: 'GOVERNANCE_UNAVAILABLE',
        field: 'packages[2].targeting_overlay',
        details: { list_id: 'ended', agent_url: 'https://lists.example/mcp' },
      },
    ]);
  });

  it('that names no list is not looked up', async () => {
    const ended = () => Promise.reject(new Error('It was looked up.'));
    expect(await endedLists(ended, scope, [packageWith()])).toEqual([]);
  });
});
