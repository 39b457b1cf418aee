import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { run } from '../../testkit/run-command.js';
import { reply, specInstance, type SpecInstance } from '../../testkit/instance.js';

let instance: SpecInstance;
const at = (...args: string[]): string[] => [...args, '--data', instance.dataFolder];

beforeAll(async () => {
  instance = await specInstance();
});
beforeEach(() => {
  instance.calls.length = 0;
});
afterAll(() => instance.close());

describe('tasks list', () => {
  it('requests the given page and filters, and prints the tasks with the next page', async () => {
    const body = {
      tasks: [
        { task_id: 'task_1', task_type: 'create_media_buy', status: 'working', created_at: '2026-01-01' },
      ],
      pagination: { has_more: true, cursor: 'next' },
    };
    instance.answerWith(() => reply(body));
    const received = await run(at('tasks', 'list', '--status', 'working', '--cursor', 'this'));
    expect(received.stdout).toMatch(/task_1 +create_media_buy +working[\s\S]+--cursor next/);
    expect(instance.calls).toMatchObject([
      { task: 'list_tasks', args: { filters: { statuses: ['working'] }, pagination: { cursor: 'this' } } },
    ]);
    expect(JSON.parse((await run(at('tasks', 'list', '--json'))).stdout)).toEqual(body);
  });
});

describe('tasks cancel', () => {
  it('cancels the task and prints which sellers refused', async () => {
    const sellers = [{ seller: 'acme', status: 'refused', reason: 'It is a media buy already.' }];
    instance.answerWith(() => reply({ task_id: 'task_1', status: 'completed', sellers }));
    const received = await run(at('tasks', 'cancel', 'task_1', '--reason', 'the client left'));
    expect(received.stdout).toMatch(/Task task_1: completed[\s\S]+acme +refused +It is a media buy/);
    expect(instance.calls).toMatchObject([
      { task: 'cancel_task', args: { task_id: 'task_1', reason: 'the client left' } },
    ]);
  });
});

describe('accounts list', () => {
  it('requests the accounts with the given status, and prints each with its pair', async () => {
    const body = {
      accounts: [
        {
          account_id: 'a1',
          brand: { domain: 'brand.example' },
          operator: 'agency.example',
          status: 'closed',
        },
      ],
      pagination: { has_more: false },
    };
    instance.answerWith(() => reply(body));
    const received = await run(at('accounts', 'list', '--status', 'closed'));
    expect(received.stdout).toMatch(/a1 +brand\.example +\S* *agency\.example +closed/);
    expect(instance.calls).toMatchObject([{ task: 'list_accounts', args: { status: 'closed' } }]);
    expect(JSON.parse((await run(at('accounts', 'list', '--json'))).stdout)).toEqual(body);
  });
});

describe('accounts all and accounts set', () => {
  it('show the accounts of all principals, and suspend one with a reason', async () => {
    const held = await run(at('accounts', 'set', 'acc1', '--status', 'suspended', '--reason', 'a dispute'));
    expect([held.code, held.stdout]).toEqual([0, expect.stringContaining('Account acc1 is suspended.')]);
    const received = await run(at('accounts', 'all'));
    expect(received.stdout).toMatch(/acc1 +agency +brand\.example +agency\.example +suspended +a dispute/);
    expect((await run(at('accounts', 'set', 'acc1', '--status', 'suspended'))).code).toBe(2);
    expect((await run(at('accounts', 'set', 'acc1', '--status', 'closed', '--reason', 'x'))).code).toBe(2);
    expect((await run(at('accounts', 'set', 'acc9', '--status', 'active', '--reason', 'x'))).code).toBe(1);
  });
});
