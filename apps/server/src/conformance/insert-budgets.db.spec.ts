import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import { callAtEndpoint, coveredEndpoints, type CoveredEndpoint } from './testkit/task-endpoints.js';
import { requests, versioned } from './testkit/requests.js';
import { openStage, type Stage } from './testkit/stage.js';

/**
 * How many changes one account of one principal may have taken in (docs/protocol/idempotency.md#limits-of-changes):
 * here six in a minute.
 */
const most = 6;
let stage: Stage;

beforeAll(async () => {
  stage = await openStage('mcp', { SWITCHYARD_RATE_INSERTS: '0.1/1' });
});
afterAll(() => stage.close());

const accountOf = (domain: string): JsonObject => ({ brand: { domain }, operator: 'agency.example' });

function change(domain: string, dialect: 'ads' | 'adcp' = 'adcp', key: string = randomUUID()): JsonObject {
  const args = requests['sync_creatives']?.['3.1'](stage.world) ?? {};
  const { assignments: _others, ...creatives } = args;
  return { ...versioned('3.1', dialect, creatives), account: accountOf(domain), idempotency_key: key };
}

const send = (task: string, args: JsonObject, token = stage.at.token, endpoint: CoveredEndpoint = 'mcp') =>
  callAtEndpoint(endpoint, { ...stage.at, token }, task, args);
const errorsOf = (answer: JsonObject): readonly JsonObject[] =>
  Array.isArray(answer['errors']) ? answer['errors'].filter(isJsonObject) : [];

/** Uses up what an account may send in a minute; the requests, as they were sent. */
async function useUp(domain: string): Promise<readonly JsonObject[]> {
  const sent = Array.from({ length: most }, () => change(domain));
  for (const row of sent) expect(errorsOf(await send('sync_creatives', row))).toEqual([]);
  return sent;
}

describe('an account at its limit of changes', () => {
  it('gets a time to wait, at every endpoint and in both dialects, and no seller is called', async () => {
    await useUp('busy.example');
    stage.received('sync_creatives');
    for (const endpoint of coveredEndpoints)
      for (const dialect of ['ads', 'adcp'] as const) {
        const answer = await send(
          'sync_creatives',
          change('busy.example', dialect),
          stage.at.token,
          endpoint,
        );
        const [error, more] = errorsOf(answer);
        expect(more).toBeUndefined();
        expect(error).toMatchObject({
          code: 'RATE_LIMITED',
          recovery: 'transient',
          details: { limit: most, remaining: 0, window_seconds: 60, scope: 'account' },
        });
        const wait = Number(error?.['retry_after']);
        expect(wait >= 1 && wait <= 60).toBe(true);
        expect(isJsonObject(answer['adcp_error'])).toBe(dialect === 'adcp');
      }
    expect(stage.received('sync_creatives')).toEqual([]);
  });

  it('gets it over REST with the HTTP status and header as well', async () => {
    await useUp('header.example');
    const answer = await fetch(`${stage.at.url}/v1/tasks/sync_creatives`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${stage.at.token}` },
      body: JSON.stringify(change('header.example')),
    });
    expect(answer.status).toBe(429);
    const [error] = errorsOf((await answer.json()) as JsonObject);
    expect(answer.headers.get('retry-after')).toBe(String(Number(error?.['retry_after'])));
  });

  it('gets the same in the form of the service description, which names no account', async () => {
    const manifest = { url: 'https://form.example', name: 'Form' };
    const buy = (): JsonObject => ({
      ...(requests['create_media_buy']?.service(stage.world) ?? {}),
      brand_manifest: manifest,
    });
    for (let turn = 0; turn < most; turn += 1)
      expect(errorsOf(await send('create_media_buy', buy()))).toEqual([]);
    expect(errorsOf(await send('create_media_buy', buy()))).toMatchObject([{ code: 'RATE_LIMITED' }]);
  });

  it('can still read, repeats get their answer, and conflicts are reported', async () => {
    const [first] = await useUp('reading.example');
    const listed = await send('list_creatives', {
      adcp_version: '3.1',
      account: accountOf('reading.example'),
    });
    expect(errorsOf(listed)).toEqual([]);
    for (const endpoint of coveredEndpoints)
      expect(await send('sync_creatives', first ?? {}, stage.at.token, endpoint)).toMatchObject({
        replayed: true,
      });
    const other = await send('sync_creatives', { ...first, ext: { changed: true } });
    expect(errorsOf(other)).toMatchObject([{ code: 'IDEMPOTENCY_CONFLICT' }]);
    const dry = await send('sync_creatives', { ...change('reading.example'), dry_run: true });
    expect(errorsOf(dry)).toEqual([]);
  });

  it('reduces the limit neither of another account of its principal, nor of another principal of the same account', async () => {
    await useUp('crowd.example');
    expect(errorsOf(await send('sync_creatives', change('quiet.example')))).toEqual([]);
    const answer = await fetch(`${stage.at.url}/v1/principals`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${stage.at.token}` },
      body: JSON.stringify({
        name: 'another buyer',
        kind: 'buyer',
        transitional: true,
        // It brings creatives that somebody else has brought.
        grants: [{ role: 'trader', scope: 'organization' }],
      }),
    });
    const { token } = (await answer.json()) as { readonly token: string };
    expect(errorsOf(await send('sync_creatives', change('crowd.example'), token))).toEqual([]);
    expect(errorsOf(await send('sync_creatives', change('crowd.example')))).toMatchObject([
      { code: 'RATE_LIMITED' },
    ]);
  });

  it('may continue once its minute is over, under the refused key', async () => {
    await useUp('later.example');
    const key = randomUUID();
    const refused = await send('sync_creatives', change('later.example', 'adcp', key));
    expect(errorsOf(refused)).toMatchObject([{ code: 'RATE_LIMITED' }]);
    await stage.sql(`update operation set created_at = created_at - interval '61 seconds'`);
    const answer = await send('sync_creatives', change('later.example', 'adcp', key));
    expect([errorsOf(answer), answer['replayed'] ?? false]).toEqual([[], false]);
  });

  it('has a separate limit for requests about no account, such as declaring one', async () => {
    const declare = () =>
      send('sync_accounts', versioned('3.1', 'adcp', requests['sync_accounts']?.['3.1'](stage.world) ?? {}));
    for (let turn = 0; turn < most; turn += 1) expect(errorsOf(await declare())).toEqual([]);
    expect(errorsOf(await declare())).toMatchObject([{ code: 'RATE_LIMITED' }]);
  });
});
