import { describe, expect, it } from '@jest/globals';
import { createEventLog, type EventFields } from './event-log.js';
import { createLogger } from './create-logger.js';

const canary = 'sy_canary0123456789abcdefghijklmnopqrstuvwxyz0';

/** One full line of each event. Where a text could come from outside, it is a credential. */
const events: { readonly [Name in keyof EventFields]: EventFields[Name] } = {
  request: {
    request_id: canary,
    method: 'POST',
    endpoint: 'mcp',
    route: '/mcp',
    status: 200,
    duration_ms: 12,
    bytes_in: 310,
    bytes_out: 5_120,
    caller: 'organization principal',
  },
  leg: { organization: 'o', task: 'get_products', seller: canary, status: 'slow', duration_ms: 4_000 },
  webhook_in: { outcome: 'accepted', registration: canary, duration_ms: 3 },
  webhook_out: {
    organization: 'o',
    webhook: 'e',
    kind: 'task',
    attempt: 2,
    outcome: 'delivered',
    duration_ms: 5,
  },
  relay: {
    record: 'r',
    organization: 'o',
    principal: 'p',
    seller: canary,
    outcome: 'refused',
    code: 'RELAY_SUSPENDED',
    duration_ms: 7,
  },
  job: {
    organization: 'o',
    job: 'j',
    duration_ms: 5,
    kind: 'import_sellers',
    outcome: 'failed',
    code: 'GAVE_UP',
  },
  sign_in: { outcome: 'refused', way: 'password', request_id: canary, organization: 'o', principal: 'p' },
  act: {
    organization: 'o',
    route: 'add_client',
    outcome: 'refused',
    code: 'CONFLICT',
    object: canary,
    principal: 'p',
    request_id: 'r',
    duration_ms: 9,
  },
};

function written(level: string) {
  const lines: string[] = [];
  const logger = createLogger({ level, destination: { write: (line) => void lines.push(line) } });
  return { lines, logger, log: createEventLog(logger) };
}

describe('an event line', () => {
  it.each(Object.keys(events) as (keyof EventFields)[])(
    '%s has its name and fields, and no credential',
    (name) => {
      const { lines, log } = written('info');
      log(name, events[name] as never);
      expect(lines).toHaveLength(1);
      expect(lines.join('')).not.toContain('canary');
      const { time, ...line } = JSON.parse(lines.join('')) as Record<string, unknown>;
      expect(time).toMatch(/Z$/);
      expect(line).toMatchObject({ level: 'info', event: name });
      expect(Object.keys(line)).toEqual(expect.arrayContaining(Object.keys(events[name])));
    },
  );

  it('is written from the moment at which the level of the logger admits it', () => {
    const { lines, logger, log } = written('warn');
    log('job', events.job);
    expect(lines).toEqual([]);
    logger.level = 'info';
    log('job', events.job);
    expect(lines).toHaveLength(1);
    logger.level = 'warn';
    log('job', events.job);
    expect(lines).toHaveLength(1);
  });
});
