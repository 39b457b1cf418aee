import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { must, type JsonObject } from '@switchyard/values';
import { Ajv } from 'ajv';
import addFormatsModule from 'ajv-formats';
import { taskError } from '../errors/task-error.js';
import type { Form, WireProfile } from '../versions/wire-profile.js';
import { cancelTask } from './cancel-task.js';
import { getTask } from './get-task.js';
import { listAccounts } from './list-accounts.js';
import { listAuthorizedProperties } from './list-authorized-properties.js';
import { listTasks } from './list-tasks.js';
import { providePerformanceFeedback } from './provide-performance-feedback.js';
import { reportUsage } from './report-usage.js';
import { syncAccounts } from './sync-accounts.js';

const addFormats = addFormatsModule as unknown as (ajv: Ajv) => void;
const root = join(process.env['SWITCHYARD_PUBLISHED_FOLDER'] ?? '-', 'schemas');
const releases: Readonly<Record<string, string>> = { '2.5': '2.5.3', '3.0': '3.0.26', '3.1': '3.1.19' };
const none = new Map<string, string>();
const profile = (form: Form): WireProfile => ({ dialect: 'adcp', form });
let skipped = 0;
afterAll(() => {
  if (skipped > 0) console.warn(`no schemas beside this checkout: ${skipped} messages were not checked`);
});

const shelves = new Map<string, Ajv>();
function shelf(release: string): Ajv {
  const known = shelves.get(release);
  if (known !== undefined) return known;
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats(ajv);
  for (const path of readdirSync(join(root, release), { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.json')) continue;
    const schema = JSON.parse(readFileSync(join(root, release, path), 'utf8')) as JsonObject;
    if (!JSON.stringify(schema['$schema'] ?? '').includes('draft-07')) continue;
    Reflect.deleteProperty(schema, '$id');
    ajv.addSchema(schema, `/schemas/${release}/${path}`);
  }
  shelves.set(release, ajv);
  return ajv;
}

function conforms(form: Form, path: string, message: JsonObject): void {
  const release = releases[form] ?? '';
  if (!existsSync(join(root, release))) {
    skipped += 1;
    return;
  }
  const validate = shelf(release).getSchema(`/schemas/${release}/${path}`);
  if (validate === undefined) throw new Error(`no schema ${release}/${path}`);
  // The envelope of an answer adds the task's status.
  const whole = form === '3.1' ? { status: 'completed', adcp_version: '3.1', ...message } : message;
  void validate(JSON.parse(JSON.stringify(whole)));
  expect([form, path, validate.errors ?? []]).toEqual([form, path, []]);
}

const key = 'a1b2c3d4-0000-4000-8000-000000000001';
const day = { start: '2027-01-01T00:00:00Z', end: '2027-01-02T00:00:00Z' };
const task = {
  taskId: 'task_1',
  taskType: 'create_media_buy',
  protocol: 'media-buy',
  status: 'submitted' as const,
  createdAt: day.start,
  updatedAt: day.end,
  hasWebhook: true,
};
const account = {
  accountId: 'a1',
  brandDomain: 'brand.example',
  brandId: '',
  operator: 'agency.example',
  status: 'active' as const,
  billing: 'operator' as const,
  isSandbox: false,
};

describe('the answers and requests of these tasks', () => {
  it.each(['2.5', '3.0', '3.1'] as const)('list tasks in the format of %s', (form) => {
    const page = { total: 9, byProtocol: { 'media-buy': 9 }, byStatus: { submitted: 9 } };
    const sort = { field: 'created_at' as const, direction: 'desc' as const };
    const more = { limit: 1, offset: 0, hasMore: true, cursor: 'next' };
    conforms(
      form,
      'core/tasks-list-response.json',
      listTasks.projectAnswer({ tasks: [task], ...page, sort, ...more }, profile(form)),
    );
    const requested = { filters: { statuses: ['submitted'] }, sort, maxResults: 5, includeHistory: true };
    conforms(form, 'core/tasks-list-request.json', listTasks.projectRequest(requested, profile(form)).args);
  });

  it.each(['2.5', '3.0', '3.1'] as const)(
    'show the progress and the errors of a task in the format of %s',
    (form) => {
      const progress = {
        percentage: 50,
        currentStep: '1 of 2 sellers are done',
        totalSteps: 2,
        stepNumber: 2,
      };
      const working = getTask.projectAnswer({ ...task, status: 'working', progress }, profile(form));
      conforms(form, 'core/tasks-get-response.json', { ...working, status: 'working' });
      expect(working).toMatchObject({
        has_webhook: true,
        progress: { percentage: 50, current_step: '1 of 2 sellers are done', total_steps: 2, step_number: 2 },
      });
      const error = taskError('BUDGET_TOO_LOW', 'no', { details: { seller: 'acme' } });
      const failed = getTask.projectAnswer({ ...task, status: 'failed', error }, profile(form));
      conforms(form, 'core/tasks-get-response.json', { ...failed, status: 'failed' });
      expect(failed['error']).toEqual({
        code: 'BUDGET_TOO_LOW',
        message: 'no',
        details: {
          [form === '2.5' ? 'domain' : 'protocol']: 'media-buy',
          operation: 'create_media_buy',
          specific_context: { seller: 'acme' },
        },
      });
    },
  );

  it('read the progress of a task, and nothing out of its range', () => {
    const reported = { task_id: 't', status: 'working', task_type: 'create_media_buy' };
    const read = (progress: JsonObject) => {
      const reading = getTask.readAnswer({ ...reported, progress }, profile('3.1'));
      return reading.ok ? reading.value.answer.progress : reading.error;
    };
    expect(read({ percentage: 40, current_step: 'review', total_steps: 5, step_number: 2 })).toEqual({
      percentage: 40,
      currentStep: 'review',
      totalSteps: 5,
      stepNumber: 2,
    });
    expect(read({ percentage: 140, current_step: '', total_steps: 0, step_number: -1 })).toEqual({});
  });

  it.each(['2.5', '3.0', '3.1'] as const)(
    'have feedback in the format of %s, without an account beside it',
    (form) => {
      const args = { media_buy_id: 'm', measurement_period: day, performance_index: 1.25 };
      const read = must(
        providePerformanceFeedback.readRequest(
          form === '2.5' ? args : { ...args, idempotency_key: key },
          profile(form),
          none,
        ),
      );
      const sent = { ...read, idempotencyKey: key, account: { accountId: 'x' } };
      const { args: out, findings } = providePerformanceFeedback.projectRequest(sent, profile(form));
      conforms(form, 'media-buy/provide-performance-feedback-request.json', out);
      expect(out['performance_index']).toBe(1.25);
      expect(findings.map(({ code }) => code)).toEqual(['ACCOUNT_LEFT_OUT']);
      conforms(form, 'media-buy/provide-performance-feedback-response.json', { success: true });
    },
  );

  it.each(['3.0', '3.1'] as const)('have accounts in the format of %s', (form) => {
    const listed = listAccounts.projectAnswer({ accounts: [account], total: 2, cursor: 'c' }, profile(form));
    conforms(form, 'account/list-accounts-response.json', listed);
    const errors = [taskError('BILLING_NOT_SUPPORTED', 'no', { field: 'accounts[0].billing' })];
    const row = { ...account, action: 'failed' as const, errors, warnings: ['one'] };
    conforms(
      form,
      'account/sync-accounts-response.json',
      syncAccounts.projectAnswer({ accounts: [row], dryRun: true }, profile(form)),
    );
  });

  it.each(['3.0', '3.1'] as const)(
    'have usage in the format of %s, and report what that cannot express',
    (form) => {
      const usage = [
        { account: { account_id: 'a' }, vendor_cost: 1.5, currency: 'USD', final: true, impressions: 7 },
      ];
      const args = { idempotency_key: key, reporting_period: day, usage };
      const read = must(reportUsage.readRequest(args, profile('3.1'), none));
      const { args: out, findings } = reportUsage.projectRequest(read, profile(form));
      conforms(form, 'account/report-usage-request.json', out);
      expect(findings.map(({ field }) => field)).toEqual(form === '3.1' ? [] : ['usage[0].final']);
      conforms(
        form,
        'account/report-usage-response.json',
        reportUsage.projectAnswer({ accepted: 1, errors: [] }, profile(form)),
      );
    },
  );

  it('name every publisher with its sellers, and the channels that 2.5 has no value for', () => {
    const properties = [{ publisherDomain: 'news.example', sellers: ['a', 'b'] }];
    const answer = { properties, channels: ['ctv', 'olv'], countries: ['US'], portfolios: [] };
    const received = listAuthorizedProperties.projectAnswer(answer, profile('2.5'));
    conforms('2.5', 'media-buy/list-authorized-properties-response.json', received);
    expect(received).toMatchObject({
      primary_channels: ['ctv'],
      ext: { switchyard: { other_channels: ['olv'], properties: [{ sellers: ['a', 'b'] }] } },
    });
  });

  it('refuse subscriptions of an account to events of a buy, and two with one id, each at its place', () => {
    const notification_configs = [
      { subscriber_id: 's', url: 'https://a.example', event_types: ['creative.purged', 'impairment'] },
      { subscriber_id: 's', url: 'https://a.example', event_types: ['capabilities.changed'] },
    ];
    const pair = { brand: { domain: 'b.example' }, operator: 'o.example', billing: 'operator' };
    const read = syncAccounts.readRequest(
      { idempotency_key: key, accounts: [{ ...pair, notification_configs }] },
      profile('3.1'),
      none,
    );
    expect(read.ok ? [] : read.error.map(({ code, field }) => [code, field])).toEqual([
      ['INVALID_REQUEST', 'accounts[0].notification_configs[0].event_types[1]'],
      ['INVALID_REQUEST', 'accounts[0].notification_configs[1].subscriber_id'],
      ['INVALID_REQUEST', 'accounts[0].notification_configs[1].event_types[0]'],
    ]);
  });

  it('refuse two names of one account, an invalid row, and usage without a key', () => {
    const read = (accounts: JsonObject[]) =>
      syncAccounts.readRequest({ idempotency_key: key, accounts }, profile('3.1'), none);
    const pair = { brand: { domain: 'b.example' }, operator: 'o.example', billing: 'operator' };
    expect(read([{ account: { account_id: 'a' }, operator: 'o.example' }]).ok).toBe(false);
    expect(read([pair, { ...pair, operator: 'O.example' }]).ok).toBe(false);
    expect(read([{ brand: {}, operator: 'o.example', billing: 'operator' }]).ok).toBe(false);
    expect(read([pair]).ok).toBe(true);
    const usage = [{ account: { account_id: 'a' }, vendor_cost: 1, currency: 'USD' }];
    const report = reportUsage.readRequest({ reporting_period: day, usage }, profile('service'), none);
    expect(report).toMatchObject({ ok: false, error: [{ field: 'idempotency_key' }] });
    const huge = [...usage, { ...usage[0], vendor_cost: 1e300 }, { ...usage[0], media_spend: 1e19 }];
    expect(
      reportUsage.readRequest(
        { idempotency_key: key, reporting_period: day, usage: huge },
        profile('3.1'),
        none,
      ),
    ).toMatchObject({
      ok: false,
      error: [{ field: 'usage[1].vendor_cost' }, { field: 'usage[2].media_spend' }],
    });
  });

  it('name the seller that refused to cancel a task, and the buy that remains', () => {
    const refusals = [{ seller: 'acme', code: 'NOT_CANCELLABLE', message: 'no', mediaBuyId: 'mb_1' }];
    const refused = [{ seller: 'acme', code: 'NOT_CANCELLABLE', message: 'no', media_buy_id: 'mb_1' }];
    expect(cancelTask.projectAnswer({ task, refusals }, profile('service'))).toMatchObject({ refused });
    expect(cancelTask.projectAnswer({ task, refusals }, profile('3.1'))).toMatchObject({
      ext: { switchyard: { refused } },
    });
  });
});
