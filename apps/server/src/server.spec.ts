import { createServer as createHttpServer, type Server } from 'node:http';
import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { freePort } from '@switchyard/testing';
import { specDoors, taskReply, type SpecDoors } from './http/testkit/doors.js';

describe('where the doors open', () => {
  it('takes the next port when the preferred one is taken', async () => {
    const [blocker, port] = await takePort();
    const doors = await specDoors({ port });
    expect(Number(new URL(doors.url).port)).toBeGreaterThan(port);
    expect((await fetch(`${doors.url}/healthz`)).status).toBe(200);
    await doors.close();
    blocker.close();
  });

  it('says that the port is taken when that very port was asked for', async () => {
    const [blocker, port] = await takePort();
    await expect(specDoors({ port, portIsExplicit: true })).rejects.toThrow(`Port ${port}`);
    blocker.close();
  });

  it.each(['0.0.0.0', '::', '192.0.2.1'])(
    'refuses to bind to %s in plain text and says how it can',
    async (host) => {
      await expect(specDoors({ host })).rejects.toThrow(/certificate.*trusted proxy.*127\.0\.0\.1/);
    },
  );

  it('binds beyond loopback behind a trusted proxy', async () => {
    const doors = await specDoors({
      host: '0.0.0.0',
      trustedProxies: ['10.0.0.0/8'],
      publicUrl: 'https://ads.example',
    });
    expect(doors.url).toBe('https://ads.example');
    await doors.close();
  });

  it.each([
    ['https://ads.example', 'max-age=31536000'],
    ['http://127.0.0.1', null],
  ])('at %s tells browsers that it is never in plain text: %s', async (publicUrl, expected) => {
    const port = await freePort();
    const doors = await specDoors({ port, portIsExplicit: true, publicUrl });
    for (const path of ['/healthz', '/mcp', '/nowhere']) {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`);
      expect(answer.headers.get('strict-transport-security')).toBe(expected);
    }
    await doors.close();
  });

  it('does not wait for a connection that was opened and never used: it ends before what is under way', async () => {
    const doors = await specDoors();
    const socket = connect(Number(new URL(doors.url).port), '127.0.0.1');
    await once(socket, 'connect');
    const { asked, release } = await underWay(doors);
    const ended = once(socket, 'close');
    const closed = doors.close();
    await ended;
    release();
    expect(await (await asked).json()).toEqual({ done: true });
    await closed;
  });

  it('lets what is under way finish before it is closed', async () => {
    const doors = await specDoors();
    const { asked, release } = await underWay(doors);
    const closed = doors.close();
    release();
    expect(await (await asked).json()).toEqual({ done: true });
    await closed;
    await expect(fetch(`${doors.url}/healthz`)).rejects.toThrow();
  });
});

/** A request that the doors have taken, and that is answered when the test says so. */
async function underWay(doors: SpecDoors): Promise<{ asked: Promise<Response>; release: () => void }> {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  doors.answerWith(async () => {
    await held;
    return taskReply({ done: true });
  });
  const asked = doors.post('/v1/tasks/get_products', {});
  while (doors.calls.length === 0) await new Promise((resolve) => setImmediate(resolve));
  return { asked, release };
}

async function takePort(): Promise<[Server, number]> {
  const server = createHttpServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return [server, (server.address() as AddressInfo).port];
}
