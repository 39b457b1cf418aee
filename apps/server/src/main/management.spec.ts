import { afterEach, expect, it } from '@jest/globals';
import { freePort, startServer, testClock } from '@switchyard/testing';
import { must } from '@switchyard/values';
import { openManagement, type Management } from './management.js';

let open: Management | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});

async function started() {
  const clock = testClock();
  const logger = { level: 'warn' };
  const state = { ready: true };
  open = must(
    await openManagement({
      host: '127.0.0.1',
      port: await freePort(),
      clock,
      logger,
      metrics: { contentType: 'text/plain', exposition: () => Promise.resolve('switchyard_ready 1\n') },
      ready: () => ({ ready: state.ready, parts: { database: state.ready ? 'ok' : 'unreachable' } }),
    }),
  );
  const url = `http://127.0.0.1:${open.port}`;
  const call = async (method: string, path: string, body?: string) => {
    const answer = await fetch(url + path, { method, ...(body !== undefined && { body }) });
    return { status: answer.status, text: await answer.text() };
  };
  return { clock, logger, state, call };
}

it('answers health, readiness and metrics without a credential', async () => {
  const { state, call } = await started();
  expect(await call('GET', '/livez')).toMatchObject({ status: 200 });
  expect(await call('GET', '/metrics')).toEqual({ status: 200, text: 'switchyard_ready 1\n' });
  expect(await call('GET', '/readyz')).toMatchObject({ status: 200 });
  state.ready = false;
  const red = await call('GET', '/readyz');
  expect(red.status).toBe(503);
  expect(red.text).toContain('unreachable');
  expect(await call('GET', '/v1/audit')).toMatchObject({ status: 404 });
});

it('changes the level of the log for 15 minutes, and refuses what is no level', async () => {
  const { clock, logger, call } = await started();
  expect(await call('POST', '/log-level', '{"level":"debug"}')).toMatchObject({ status: 200 });
  expect(logger.level).toBe('debug');
  clock.advance(15 * 60_000 - 1);
  expect(logger.level).toBe('debug');
  clock.advance(1);
  expect(logger.level).toBe('warn');
  for (const body of ['{"level":"loud"}', 'debug', '{}', 'x'.repeat(10_000)])
    expect(await call('POST', '/log-level', body)).toMatchObject({ status: 400 });
  expect(logger.level).toBe('warn');
});

it('is a failure of the start if its port is taken', async () => {
  const other = await startServer((_request, response) => void response.end());
  const { clock, logger } = { clock: testClock(), logger: { level: 'warn' } };
  const metrics = { contentType: 'text/plain', exposition: () => Promise.resolve('') };
  const ready = () => ({ ready: true, parts: {} });
  const refused = await openManagement({
    host: '127.0.0.1',
    port: other.port,
    clock,
    logger,
    metrics,
    ready,
  });
  expect(refused).toMatchObject({ ok: false, error: { code: 'management' } });
  await other.close();
});
