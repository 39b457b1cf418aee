import { describe, expect, it } from '@jest/globals';
import type { CreateMediaBuyRequest, UpdateMediaBuyRequest } from '@switchyard/protocol';
import type { OwnedThing } from '@switchyard/sellers';
import { endedLists, targetingsOf, targetingsOfUpdate } from './ended-lists.js';

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
      targetingsOf([packageWith(), packageWith('safe'), packageWith('ended')]),
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
    expect(await endedLists(ended, scope, targetingsOf([packageWith()]))).toEqual([]);
  });
});

describe('a change of a buy', () => {
  const ended = (_scope: typeof scope, named: readonly OwnedThing[]) =>
    Promise.resolve(named.filter(({ subject }) => subject === 'ended'));
  const fieldsOf = async (request: object): Promise<readonly unknown[]> => {
    const targetings = targetingsOfUpdate({
      packages: [],
      newPackages: [],
      ...request,
    } as unknown as UpdateMediaBuyRequest);
    return (await endedLists(ended, scope, targetings)).map(({ field }) => field);
  };

  it('is refused at each targeting that brings a list whose copies were ended: new packages, changed ones, the whole buy', async () => {
    const { targetingOverlay } = packageWith('ended');
    expect(
      await fieldsOf({
        targetingOverlay,
        packages: [packageWith(), packageWith('ended')],
        newPackages: [packageWith('ended')],
      }),
    ).toEqual(['targeting_overlay', 'packages[1].targeting_overlay', 'new_packages[0].targeting_overlay']);
  });

  it('that brings none, pauses or cancels is sent', async () => {
    expect(await fieldsOf({ paused: true, packages: [packageWith()] })).toEqual([]);
    expect(await fieldsOf({ canceled: true, packages: [packageWith('ended')] })).toEqual([]);
  });
});
