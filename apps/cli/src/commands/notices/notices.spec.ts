import { describe, expect, it } from '@jest/globals';
import { usingInstance } from '../../testkit/instance.js';
import { run } from '../../testkit/run-command.js';

const instance = await usingInstance();
const noticeId = '3c1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d11';

async function said(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run([...args, '--data', instance.dataFolder]);
  expect([args, code, stderr]).toEqual([args, 0, '']);
  return stdout;
}

describe('notices', () => {
  it('are listed with what they say and whether they are read, and marked, these or all', async () => {
    expect(await said('notices', 'list', '--wide')).toMatch(
      /waits for your approval\s+Above the limit.*unread/s,
    );
    expect(await said('notices', 'read', noticeId)).toContain('Marked as read: 1.');
    expect(await said('notices', 'read')).toContain('Marked as read: 7.');
    expect(await said('notices', 'unread', noticeId)).toContain('Marked as unread: 1.');
    expect(instance.requested).toEqual(expect.arrayContaining([{ notice_ids: [noticeId] }, {}]));
  });

  it('have settings: each option is sent as the route takes it, and the answer says what holds', async () => {
    expect(await said('notices', 'settings')).toMatch(
      /Mail goes to who@agency.example\. .*8:00.*approval.requested/s,
    );
    const set = [
      '--mail',
      'approval.requested=daily',
      '--quiet',
      '22:00-07:00',
      '--time-zone',
      'organization',
    ];
    expect(await said('notices', 'settings', ...set)).toContain('No mail from 22:00 to 07:00.');
    expect(instance.requested.at(-1)).toEqual({
      mail: { 'approval.requested': 'daily' },
      quiet: { from: '22:00', to: '07:00' },
      time_zone: null,
    });
    await said('notices', 'settings', '--quiet', 'none');
    expect(instance.requested.at(-1)).toEqual({ quiet: null });
  });
});

describe('endpoints', () => {
  it('are listed, added with a key that is shown once, and rotated', async () => {
    expect(await said('endpoints', 'list', '--wide')).toMatch(/warehouse\s+webhook\s+active/);
    const added = await said(
      ...[
        'endpoints',
        'add',
        'warehouse',
        '--channel',
        'webhook',
        '--at',
        'https://hooks.agency.example/secret',
      ],
      ...['--kind', 'approval.requested'],
    );
    expect(added).toContain('Its signing key, shown this once: whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
    expect(added).not.toContain('/secret');
    expect(instance.requested.at(-1)).toEqual({
      ...{ name: 'warehouse', channel: 'webhook', kinds: ['approval.requested'] },
    });
    expect(await said('endpoints', 'rotate', 'warehouse')).toMatch(/whsec_new\n.*valid until 2026-11-22/);
  });

  it('are tried, paused, resumed and removed, and say what came of it without control characters of others', async () => {
    const tried = await said('endpoints', 'test', 'warehouse');
    expect(tried).toContain('The test notice was not taken');
    expect(tried).not.toContain('\u001b');
    expect(await said('endpoints', 'pause', 'warehouse')).toContain('The endpoint warehouse is paused.');
    expect(await said('endpoints', 'resume', 'warehouse')).toContain('The endpoint warehouse is active.');
    expect(await said('endpoints', 'remove', 'warehouse')).toContain('Removed the endpoint warehouse.');
  });

  it('show what they were sent, and send it again; an unknown delivery is refused', async () => {
    expect(await said('endpoints', 'deliveries', 'warehouse', '--wide')).toMatch(/failed\s+9\s+status 500/);
    expect(await said('endpoints', 'resend', 'warehouse', noticeId)).toContain('will be sent again');
    const unknown = await run(['endpoints', 'resend', 'warehouse', 'x', '--data', instance.dataFolder]);
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('There is no delivery')]);
  });
});
