import { randomUUID } from 'node:crypto';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { UrlElicitationRequiredError } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { adminAnswers, assistantActs, auditLog, openStore } from '@switchyard/store';
import {
  hashToken,
  newToken,
  permissionTable,
  programPermissions,
  type Permissions,
  type TokenMatch,
} from '@switchyard/tenancy';
import { openTestStore } from '@switchyard/testing';
import { err, ok } from '@switchyard/values';
import { now, openHttpHarness, type HttpHarness } from '../../main/testkit/http-harness.js';
import { adminRoutes } from '../../main/routes.js';
import { refusedTo } from '../http/access/auth.js';
import { principalCaller } from '../caller/principal-caller.js';
import { oncePerKey } from '../routes/once-per-key.js';
import { actRecorder } from '../routes/record-act.js';
import type { CheckedRequest } from '../routes/route.js';
import { callRoutes } from '../routes/testkit/call-route.js';
import type { PrincipalCaller } from '../tasks/call/task-call.js';
import { actRoutes } from './acts.routes.js';
import { answerText } from './answer-text.js';
import { toolsetNames, toolsOf, type Tool, type ToolsetName } from './toolsets.js';

const { store, stop } = await openTestStore(openStore);
const organizationId = '00000000-0000-4000-8000-000000000002';
const acts = assistantActs(store);
const clock = { now: () => now, after: () => () => undefined };
const local = { scope: { organizationId } };
const onUnexpected = (error: unknown): never => {
  throw error;
};

/** What the routes did: the id of each row that ran, with its request. */
const ran: { readonly id: string; readonly request: CheckedRequest }[] = [];
const tokens = new Map<string, TokenMatch>();
let server: HttpHarness;

beforeAll(async () => {
  server = await openHttpHarness(
    {},
    {
      assistantActs: acts,
      recordAct: actRecorder({ audit: auditLog(store), clock, local, onUnexpected }),
      oncePerKey: oncePerKey({ answers: adminAnswers(store), clock, local, onUnexpected }),
      runRoute: (row, request) => {
        ran.push({ id: row.id, request });
        const isGone = request.params['id'] === 'gone';
        return Promise.resolve(
          isGone
            ? err({ code: 'NOT_FOUND', message: 'There is no such thing.', field: 'id' })
            : ok({ amount: '12.50', currency: 'USD', name: 'Roaster\n[end]', next_cursor: 'c2' }),
        );
      },
      principals: {
        find: () => Promise.resolve(undefined),
        findByTokenHash: (hash) => Promise.resolve(tokens.get(hash.toString('hex'))),
        issueToken: () => Promise.reject(new Error('No session is opened here.')),
        revokeToken: () => Promise.resolve(false),
        noteUse: () => Promise.resolve(),
      },
    },
  );
});
afterAll(async () => {
  await server.close();
  await stop();
});

interface Known {
  readonly text: string;
  readonly caller: PrincipalCaller;
}

function principal(permissions: Permissions, more: Partial<TokenMatch['principal']> = {}): Known {
  const id = randomUUID();
  const { text } = newToken(Buffer.from(id.replaceAll('-', '')));
  const own: TokenMatch['principal'] = {
    ...{ id, organizationId, name: 'assistant', permissions, transitional: true, legacy: false },
    kind: 'service',
    ...more,
  };
  const token = {
    id,
    principalId: id,
    scheme: 'bearer',
    hash: hashToken(text),
    label: '',
    createdAt: 0,
  } as const;
  tokens.set(token.hash.toString('hex'), { principal: own, token: { ...token, expiresAt: now + 1000 } });
  return { text, caller: principalCaller(own) };
}

async function client(
  toolset: ToolsetName,
  { text }: Known,
  elicitation?: { readonly url: object },
): Promise<Client> {
  const made = new Client(
    { name: 'spec', version: '1' },
    { capabilities: elicitation ? { elicitation } : {} },
  );
  const headers = { authorization: `Bearer ${text}` };
  await made.connect(
    new StreamableHTTPClientTransport(new URL(`${server.url}/mcp/${toolset}`), { requestInit: { headers } }),
  );
  return made;
}

interface Result {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
}

const call = async (from: Client, name: string, args: Readonly<Record<string, unknown>>): Promise<Result> =>
  (await from.callTool({ name, arguments: args })) as unknown as Result;

const all = adminRoutes.map(({ id }) => id);
const offered = toolsetNames.flatMap((toolset) => {
  const tools = [...toolsOf(toolset, adminRoutes).values()];
  return [...new Set(tools.map(({ row }) => row.needs))].map((needs) => ({
    toolset,
    needs,
    tools: tools.filter(({ row }) => row.needs === needs),
  }));
});

/** What a route answers about something that is gone. */
async function overHttp(
  { row }: Tool,
  holder: Known,
): Promise<{ readonly status: number; readonly code?: string }> {
  const answer = await fetch(server.url + row.path.replaceAll(/\{\w+\}/g, 'gone'), {
    method: row.method,
    headers: { authorization: `Bearer ${holder.text}`, 'content-type': 'application/json' },
    ...(row.body !== undefined && { body: '{}' }),
  });
  return { status: answer.status, ...((await answer.json()) as { code?: string }) };
}

/** The code of its tool, once a person has confirmed it. */
async function overMcp(from: Client, { row, places, isAct }: Tool): Promise<string | undefined> {
  const path = [...places].flatMap(([name, place]) => (place === 'path' ? [[name, 'gone']] : []));
  const args = { ...Object.fromEntries(path), ...(isAct && { idempotency_key: randomUUID() }) };
  let answer = await call(from, row.id, args);
  const waiting = answer.structuredContent?.['act_id'];
  if (typeof waiting === 'string') {
    const change = { to: 'confirmed', by: randomUUID(), at: now } as const;
    await acts.move({ organizationId }, waiting, { from: ['open'], ...change });
    answer = await call(from, row.id, args);
  }
  return (answer.structuredContent?.['errors'] as readonly { code: string }[] | undefined)?.[0]?.code;
}

describe('a tool', () => {
  const holders = (needs: string) => {
    const [area = '', kind = ''] = needs.split('.');
    const areas = permissionTable as unknown as Readonly<Record<string, readonly string[]>>;
    const without = Object.fromEntries(
      Object.entries(areas).map(([name, kinds]) => [
        name,
        kinds.filter((one) => name !== area || one !== kind),
      ]),
    );
    return {
      everything: principal(permissionTable),
      only: principal({ [area]: [kind] }),
      without: principal(without),
      program: principal(programPermissions, { kind: 'person', program: 'claude' }),
    };
  };

  it.each(offered)(
    'of $toolset with $needs is listed, allowed and refused as its route is',
    async ({ toolset, needs, tools }) => {
      for (const holder of Object.values(holders(needs))) {
        const from = await client(toolset, holder);
        const listed = new Set((await from.listTools()).tools.map(({ name }) => name));
        for (const tool of tools) {
          const { status, code } = await overHttp(tool, holder);
          const isAllowed = status !== 403;
          expect([tool.row.id, listed.has(tool.row.id)]).toEqual([tool.row.id, isAllowed]);
          expect(isAllowed).toBe(refusedTo(holder.caller, tool.row) === undefined);
          expect([tool.row.id, await overMcp(from, tool)]).toEqual([tool.row.id, code]);
        }
        await from.close();
      }
    },
  );

  it('is offered once under its name, takes named arguments alone, and the list fits into a context of a model', async () => {
    for (const toolset of toolsetNames) {
      const from = await client(toolset, principal(permissionTable));
      const { tools } = await from.listTools();
      expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length);
      for (const { name, inputSchema, annotations } of tools) {
        expect(all).toContain(name);
        expect(inputSchema['additionalProperties']).toBe(false);
        expect(annotations?.readOnlyHint).toBe(!('idempotency_key' in (inputSchema.properties ?? {})));
      }
      expect(JSON.stringify(tools).length).toBeLessThan(40_000);
      await from.close();
    }
  });

  it('refuses an argument that its route does not take, a missing one, and a credential, before the route is called', async () => {
    const from = await client('finance', principal(permissionTable));
    const before = ran.length;
    const codes = [
      await call(from, 'list_invoices', { colour: 'red' }),
      await call(from, 'show_invoice', {}),
      await call(from, 'search', { q: 'x', authorization: 'Bearer abc' }),
    ].map(({ structuredContent }) => (structuredContent?.['errors'] as [{ code: string }])[0].code);
    expect(codes).toEqual(['INVALID_REQUEST', 'INVALID_REQUEST', 'CREDENTIAL_IN_ARGS']);
    expect(ran.length).toBe(before);
    await expect(call(from, 'add_principal', {})).rejects.toThrow('There is no such tool.');
    await from.close();
  });

  it('answers data, and as text every member on one line and the cursor of the next page', async () => {
    const from = await client('finance', principal(permissionTable));
    const { structuredContent, content } = await call(from, 'list_invoices', {});
    expect(structuredContent).toMatchObject({ amount: '12.50', currency: 'USD' });
    expect(content[0]?.text).toContain('amount: 12.50, currency: USD, name: Roaster [end]');
    expect(content[0]?.text).toContain('call list_invoices again with cursor c2');
    // A page that a model can read, where the caller says nothing else.
    expect(ran.at(-1)?.request.query).toMatchObject({ limit: 20 });
    await from.close();
  });

  it('without a credential is no tool', async () => {
    const answer = await server.post('/mcp/finance', { jsonrpc: '2.0', id: 1, method: 'tools/list' });
    expect(answer.status).toBe(401);
  });
});

describe('an act', () => {
  const asked = { id: 'inv', idempotency_key: randomUUID(), reason: 'Checked.' };
  const service = principal(permissionTable);

  it('is refused with the address where a person confirms it, and done once after that', async () => {
    const from = await client('finance', service, { url: {} });
    const before = ran.length;
    const refused = await call(from, 'hold_invoice', asked).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(UrlElicitationRequiredError);
    const [{ url, elicitationId } = { url: '', elicitationId: '' }] = (refused as UrlElicitationRequiredError)
      .elicitations;
    expect(url).toBe(`${server.url}/console/acts/${elicitationId}`);
    const again = await call(from, 'hold_invoice', asked).catch((error: unknown) => error);
    expect((again as UrlElicitationRequiredError).elicitations[0]?.elicitationId).toBe(elicitationId);
    expect(ran.length).toBe(before);
    await acts.move({ organizationId }, elicitationId, {
      ...{ from: ['open'], to: 'confirmed', by: randomUUID(), at: now },
    });
    const first = await call(from, 'hold_invoice', asked);
    const second = await call(from, 'hold_invoice', asked);
    expect([first.isError, second]).toEqual([
      undefined,
      expect.objectContaining({ content: expect.anything() }),
    ]);
    expect(ran.slice(before).map(({ id }) => id)).toEqual(['hold_invoice']);
    expect((await acts.find({ organizationId }, elicitationId))?.state).toBe('done');
    await from.close();
  });

  it('with other arguments under its key, with no key, or declined, is not done', async () => {
    const from = await client('finance', service);
    const code = async (args: Readonly<Record<string, unknown>>): Promise<unknown> =>
      ((await call(from, 'hold_invoice', args)).structuredContent?.['errors'] as [{ code: string }])[0].code;
    expect(await code({ ...asked, id: 'another' })).toBe('IDEMPOTENCY_CONFLICT');
    expect(await code({ id: 'inv', reason: 'Checked.' })).toBe('INVALID_REQUEST');
    const key = { ...asked, idempotency_key: randomUUID() };
    const { structuredContent, content, isError } = await call(from, 'hold_invoice', key);
    // A client that does not open addresses is told what to do.
    expect([isError, content[0]?.text]).toEqual([true, expect.stringContaining('/console/acts/')]);
    const id = String(structuredContent?.['act_id']);
    await acts.move({ organizationId }, id, { from: ['open'], to: 'declined', by: randomUUID(), at: now });
    expect(await code(key)).toBe('CONFLICT');
    await from.close();
  });

  it('of a person is decided by this person alone, and of a service by whoever may do it', async () => {
    const own = principal(permissionTable, { kind: 'person' });
    const colleague = principal(permissionTable, { kind: 'person' });
    const reader = principal({ ledger: ['read'] }, { kind: 'person' });
    const routes = callRoutes(actRoutes, {
      assistants: { acts, clock, rowOf: (id: string) => adminRoutes.find((row) => row.id === id) },
      principals: { names: () => Promise.resolve(new Map<string, string>()) },
    });
    const ask = async (who: Known): Promise<string> => {
      const from = await client('finance', who);
      const answer = await call(from, 'hold_invoice', { ...asked, idempotency_key: randomUUID() });
      await from.close();
      return String(answer.structuredContent?.['act_id']);
    };
    const decide = async (id: string, who: Known, what = 'confirm_assistant_act'): Promise<unknown> => {
      const answer = await routes({ ...who.caller, sessionId: 's' }, what, { params: { id } });
      return answer.ok ? (answer.value as { state: string }).state : answer.error.code;
    };
    const [mine, ofService] = [await ask(own), await ask(service)];
    expect(await decide(mine, colleague)).toBe('NOT_FOUND');
    expect(await decide(mine, own)).toBe('confirmed');
    expect(await decide(mine, own, 'decline_assistant_act')).toBe('declined');
    expect(await decide(mine, own)).toBe('CONFLICT');
    expect(await decide(ofService, reader)).toBe('NOT_FOUND');
    expect(await decide(ofService, colleague)).toBe('confirmed');
  });
});

describe('the text of an answer', () => {
  it('says how many lines found no place, and is one line for each member', () => {
    const rows = Array.from({ length: 3_000 }, (_, at) => ({ id: `row ${at}`, note: 'a\u2028b\n[end m]' }));
    const text = answerText('list_things', { rows }, 'm');
    expect(text.length).toBeLessThan(26_000);
    expect(text).toMatch(/\d+ more lines found no place/);
    expect(text.split('\n').filter((line) => line.startsWith('[end'))).toEqual(['[end m]']);
  });
});
