import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { tasks } from '@switchyard/protocol';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import { callAtEndpoint, coveredEndpoints } from './testkit/task-endpoints.js';
import { requests, versioned } from './testkit/requests.js';
import { openStage, type Stage } from './testkit/stage.js';

/**
 * What a principal that is not marked transitional may change without signing, by the release that it speaks
 * (docs/protocol/signing.md#unsigned-changes).
 */
const changes = tasks.filter(({ kind }) => kind === 'mutation').map(({ name }) => name);
const questions = ['get_products', 'get_media_buys', 'list_creatives', 'get_signals'] as const;

let stage: Stage;
let token: string;

beforeAll(async () => {
  stage = await openStage('mcp');
  const answer = await fetch(`${stage.at.url}/v1/principals`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${stage.at.token}` },
    body: JSON.stringify({ name: 'a buyer that can sign', kind: 'buyer' }),
  });
  ({ token } = (await answer.json()) as { readonly token: string });
});
afterAll(() => stage.close());

const written = (task: string, form: '3.0' | '3.1', dialect: 'ads' | 'adcp' = 'adcp'): JsonObject =>
  versioned(form, dialect, requests[task]?.[form](stage.world) ?? {});
const codesOf = ({ errors }: JsonObject): readonly unknown[] =>
  Array.isArray(errors) ? errors.filter(isJsonObject).map(({ code }) => code) : [];

async function counted(): Promise<unknown> {
  const [row] = await stage.sql(
    'select (select count(*) from operation) as operations, (select count(*) from principal_account) as accounts',
  );
  return row;
}

describe.each(changes)('an unsigned %s', (task) => {
  it('is refused for callers of 3.1, at every endpoint and in both dialects, and leaves nothing behind', async () => {
    stage.received(task);
    const before = await counted();
    const seen: unknown[] = [];
    for (const endpoint of coveredEndpoints)
      for (const dialect of ['ads', 'adcp'] as const) {
        const answer = await callAtEndpoint(
          endpoint,
          { ...stage.at, token },
          task,
          written(task, '3.1', dialect),
        );
        const { error } = answer;
        seen.push([endpoint, dialect, codesOf(answer), isJsonObject(error) ? error['code'] : undefined]);
      }
    const code = 'request_signature_required';
    expect(seen).toEqual(
      coveredEndpoints.flatMap((endpoint) =>
        ['ads', 'adcp'].map((dialect) => [endpoint, dialect, [code], code]),
      ),
    );
    expect(stage.received(task)).toEqual([]);
    expect(await counted()).toEqual(before);
  });

  it('is not refused as unsigned for callers of 3.0, nor for transitional ones', async () => {
    for (const endpoint of coveredEndpoints) {
      const older = await callAtEndpoint(endpoint, { ...stage.at, token }, task, written(task, '3.0'));
      const onItsWay = await callAtEndpoint(endpoint, stage.at, task, written(task, '3.1'));
      for (const answer of [older, onItsWay])
        expect(codesOf(answer)).not.toContain('request_signature_required');
    }
  });
});

describe('an unsigned update', () => {
  it.each([
    ['/mcp', { name: 'create_media_buy' }],
    ['/v1/tasks/create_media_buy', undefined],
  ])('is refused at %s with the status and the challenge of signatures', async (path, tool) => {
    const args = written('create_media_buy', '3.1');
    const params = { ...tool, arguments: args };
    const body = tool === undefined ? args : { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    const answer = await fetch(stage.at.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
      401,
      'Signature error="request_signature_required"',
    ]);
  });

  it.each(questions)('does not include %s, which only reads', async (task) => {
    for (const endpoint of coveredEndpoints) {
      const answer = await callAtEndpoint(endpoint, { ...stage.at, token }, task, written(task, '3.1'));
      expect([endpoint, codesOf(answer).includes('request_signature_required')]).toEqual([endpoint, false]);
    }
  });

  it('is refused for every task of the table that changes something', () => {
    expect(changes.length).toBeGreaterThanOrEqual(8);
    expect(changes.filter((task) => requests[task] === undefined)).toEqual([]);
  });
});
