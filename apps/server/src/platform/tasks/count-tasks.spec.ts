import { describe, expect, it } from '@jest/globals';
import { createTelemetry } from '@switchyard/telemetry';
import { countTasks } from './count-tasks.js';
import type { SellerRow, TaskCall, TaskReply } from './call/task-call.js';

const call: TaskCall = {
  endpoint: 'mcp',
  task: 'get_products',
  args: {},
  exact: new Map(),
  caller: { kind: 'public', organizationId: 'o' },
  signal: new AbortController().signal,
};
const reply: TaskReply = {
  profile: { dialect: 'ads', form: 'service' },
  status: 'completed',
  body: {},
  isError: false,
  errors: [],
  httpStatus: 200,
};
const row = (status: SellerRow['status']): SellerRow => ({
  seller: 'acme',
  status,
  reason: 'x',
  elapsed_ms: 250,
  items: 1,
});

describe('the task counter', () => {
  it('counts answers and sellers, and still notifies the caller of each seller', async () => {
    const { metrics } = createTelemetry({ level: 'silent', processFigures: false });
    const service = countTasks(
      {
        call: ({ onSeller }) => {
          onSeller?.(row('answered'), 1, 2);
          onSeller?.(row('skipped'), 2, 2);
          return Promise.resolve(reply);
        },
      },
      metrics,
    );
    const received: string[] = [];
    await service.call({ ...call, onSeller: ({ status }) => received.push(status) });
    await service.call({ ...call, task: 'whatever the caller likes' });
    expect(received).toEqual(['answered', 'skipped']);
    const page = await metrics.exposition();
    expect(page).toContain('switchyard_operations_total{task="get_products",status="completed"} 1');
    expect(page).toContain('switchyard_operations_total{task="unknown",status="completed"} 1');
    expect(page).toContain('switchyard_fanout_legs_total{task="get_products",status="answered"} 1');
    expect(page).not.toContain('whatever');
  });

  it('counts a thrown error, and throws it again', async () => {
    const { metrics } = createTelemetry({ level: 'silent', processFigures: false });
    const service = countTasks({ call: () => Promise.reject(new Error('It broke.')) }, metrics);
    await expect(service.call(call)).rejects.toThrow('It broke.');
    expect(await metrics.exposition()).toContain('status="thrown"} 1');
  });
});
