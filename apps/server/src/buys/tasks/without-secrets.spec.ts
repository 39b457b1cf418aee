import { describe, expect, it } from '@jest/globals';
import { withoutSecrets } from './task-history.js';

describe('a stored request in its history', () => {
  it('contains everything except the secrets that its task may carry', () => {
    const list = { list_id: 'l', auth_token: 'secret' };
    const callback = {
      url: 'https://a.example',
      token: 'secret',
      authentication: { schemes: [], credentials: 'secret' },
    };
    const request = {
      packages: [{ budget: 1, targeting_overlay: { property_list: list } }, { budget: 2 }],
      push_notification_config: callback,
      reporting_webhook: callback,
      brand: { domain: 'roaster.example' },
    };
    const shown = withoutSecrets('create_media_buy', request);
    expect(JSON.stringify(shown)).not.toContain('secret');
    expect(shown).toMatchObject({
      packages: [{ budget: 1, targeting_overlay: { property_list: { list_id: 'l' } } }, { budget: 2 }],
      push_notification_config: { url: 'https://a.example' },
      brand: { domain: 'roaster.example' },
    });
    expect(request.packages[0]?.targeting_overlay?.property_list.auth_token).toBe('secret');
  });
});
