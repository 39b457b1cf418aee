import { describe, expect, it } from '@jest/globals';
import { kindOfKeyedPayload } from './classify-event.js';

const update = { fired_at: '2026-11-21T12:00:00Z', subscriber_id: 's', account_id: 'a' };

describe('kindOfKeyedPayload', () => {
  it.each([
    [{ event: 'collection_list_changed', list_id: 'l' }, 'collection_list_changed'],
    [{ event: 'property_list_changed', list_id: 'l' }, 'property_list_changed'],
    [{ media_buy_id: 'm', batch_id: 'b', artifacts: [] }, 'artifacts'],
    [{ rights_id: 'r', brand_id: 'b', reason: 'over' }, 'rights_revoked'],
    [{ ...update, notification_type: 'creative.status_changed', creative_id: 'c' }, 'creative_status'],
    [{ ...update, notification_type: 'creative.purged', creative_id: 'c' }, 'creative_status'],
    [{ ...update, notification_type: 'product.priced' }, 'feed_changed'],
    [{ ...update, notification_type: 'wholesale_feed.bulk_change' }, 'feed_changed'],
    [{ ...update, notification_type: 'something.new' }, 'other'],
  ])('reads %j as %s', (body, kind) => {
    expect(kindOfKeyedPayload(body)).toBe(kind);
  });

  it.each([
    [{ event: 'collection_list_changed', task_id: 't', status: 'completed' }],
    [{ notification_type: 'scheduled', media_buy_deliveries: [] }],
    [{ event: 'unheard_of' }],
    ['text'],
  ])('requires an envelope around %j', (body) => {
    expect(kindOfKeyedPayload(body)).toBeUndefined();
  });
});
