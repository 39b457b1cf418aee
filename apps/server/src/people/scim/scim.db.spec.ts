import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import pg from 'pg';
import { createBrowser, type SpecBrowser } from '@switchyard/testing';
import { startRunning, type Running } from '../sign-in/testkit/running.js';

let running: Running;
let token: string;
const password = 'correct horse battery';

beforeAll(async () => {
  running = await startRunning();
});
afterAll(() => running.stop());

const newBrowser = (): SpecBrowser => createBrowser(running.server.url);
const admin = (method: string, path: string, body?: object) =>
  newBrowser().send(method, path, body, running.admin);

interface ScimAnswer {
  readonly status: number;
  readonly type: string | null;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

/** As a provisioning system sends it. */
async function scim(
  method: string,
  path: string,
  body?: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<ScimAnswer> {
  const answer = await fetch(`${running.server.url}/scim/v2${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body && { 'content-type': 'application/scim+json' }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return {
    status: answer.status,
    type: answer.headers.get('content-type'),
    headers: answer.headers,
    body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
  };
}

const patchOp = (...operations: object[]) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations: operations,
});

/** The body that Okta sends for a new person. */
const ofOkta = (userName: string) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
  userName,
  name: { givenName: 'Test', familyName: 'User' },
  emails: [{ primary: true, value: userName, type: 'work' }],
  displayName: 'Test User',
  locale: 'en-US',
  externalId: `00u-${userName}`,
  groups: [],
  password: '1mz050nq',
  active: true,
});

/** The body that Microsoft Entra sends. */
const ofEntra = (userName: string) => ({
  schemas: [
    'urn:ietf:params:scim:schemas:core:2.0:User',
    'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User',
  ],
  externalId: `entra-${userName}`,
  userName,
  active: true,
  displayName: 'lennay',
  emails: [{ type: 'work', value: userName, primary: true }],
  meta: { resourceType: 'User' },
  name: { formatted: 'Adrienne McKay', familyName: 'McKay', givenName: 'Adrienne' },
  roles: [],
});

/** Everything that is stored of the organization, without secrets. */
async function storedTexts(): Promise<string> {
  const answer = await fetch(`${running.server.url}/v1/organization-export`, { headers: running.admin });
  const text = await answer.text();
  expect(text.trimEnd().split('\n').at(-1)).toContain('"manifest"');
  return text;
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await pause(50);
}

async function asOwner(text: string): Promise<void> {
  const owner = new pg.Client({ connectionString: running.database.ownerUrl });
  await owner.connect();
  try {
    await owner.query(text);
  } finally {
    await owner.end();
  }
}

const made = async (userName: string, form: (name: string) => object = ofOkta): Promise<string> => {
  const { status, body } = await scim('POST', '/Users', form(userName));
  expect(status).toBe(201);
  return body['id'] as string;
};

describe('provisioning', () => {
  it('is opened by a token of its own, which opens nothing else, and by no other token', async () => {
    expect((await admin('POST', '/v1/scim/tokens', {})).status).toBe(409);
    expect((await admin('POST', '/v1/scim')).status).toBe(200);
    expect((await admin('POST', '/v1/scim')).status).toBe(409);
    const issued = await admin('POST', '/v1/scim/tokens', {});
    expect(issued.status).toBe(201);
    token = issued.body['token'] as string;
    expect((await scim('GET', '/Users')).status).toBe(200);
    const elsewhere = await newBrowser().send('GET', '/v1/principals', undefined, {
      authorization: `Bearer ${token}`,
    });
    expect(elsewhere.status).toBe(401);
    const other = await scim('GET', '/Users', undefined, running.admin);
    expect([other.status, other.type, other.body['schemas']]).toEqual([
      401,
      'application/scim+json; charset=utf-8',
      ['urn:ietf:params:scim:api:messages:2.0:Error'],
    ]);
  });

  it('says what it understands', async () => {
    const { body, type } = await scim('GET', '/ServiceProviderConfig');
    expect([body['patch'], type]).toEqual([{ supported: true }, 'application/scim+json; charset=utf-8']);
    for (const path of ['/ResourceTypes', '/Schemas']) {
      const { totalResults: total, Resources: all } = (await scim('GET', path)).body;
      expect(total).toBe(2);
      for (const one of all as { id: string; meta: { location: string } }[]) {
        expect(one.meta.location.endsWith(`${path}/${one.id}`)).toBe(true);
        expect((await scim('GET', `${path}/${one.id}`)).body).toEqual(one);
      }
      expect((await scim('GET', `${path}/none`)).status).toBe(404);
    }
  });

  it('answers the test of a connection, a user that nobody has, with an empty list', async () => {
    const { status, body } = await scim('GET', '/Users?filter=userName%20eq%20%22nobody%22');
    expect([status, body['totalResults'], body['Resources']]).toEqual([200, 0, []]);
  });

  it.each([
    ['Okta', ofOkta, 'okta@agency.example'],
    ['Entra', ofEntra, 'entra@agency.example'],
  ])(
    'makes a person from the body of %s, and finds it by its user name in any case',
    async (_who, form, name) => {
      const created = await scim('POST', '/Users', form(name));
      expect([created.status, created.body['userName'], created.body['active']]).toEqual([201, name, true]);
      expect(JSON.stringify(created.body)).not.toContain('password');
      const found = await scim(
        'GET',
        `/Users?filter=${encodeURIComponent(`userName eq "${name.toUpperCase()}"`)}`,
      );
      expect(found.body['Resources']).toMatchObject([
        { id: created.body['id'], name: { givenName: expect.any(String) } },
      ]);
      const again = await scim('POST', '/Users', form(name));
      expect([again.status, again.body['scimType']]).toEqual([409, 'uniqueness']);
      const { body } = await admin('GET', `/v1/principals?principal=${encodeURIComponent(name)}`);
      expect(body['principals']).toMatchObject([
        { principal_id: created.body['id'], kind: 'person', permissions: {} },
      ]);
    },
  );

  it.each([
    ['Okta', { op: 'replace', value: { active: false } }],
    ['Entra', { op: 'Replace', path: 'active', value: 'False' }],
  ])('switches a person off as %s asks: sessions and tokens end at once and stay ended', async (who, off) => {
    const email = `off-${who.toLowerCase()}@agency.example`;
    const body = { email, role: 'viewer', scope: 'organization' };
    const invited = await admin('POST', '/v1/invitations', body);
    const invitation = new URL(invited.body['link'] as string).hash.slice('#invitation='.length);
    const browser = newBrowser();
    await browser.send('POST', '/v1/session', { invitation, password });
    const key = await admin('POST', `/v1/principals/${email}/tokens`, {});
    const bearer = { authorization: `Bearer ${key.body['token'] as string}` };
    const reads = async () => [
      (await browser.send('GET', '/v1/session')).body['principal'],
      (await newBrowser().send('GET', '/v1/buys', undefined, bearer)).status,
    ];
    // The person with this proved address is taken over, and not made again.
    const id = await made(email, ofEntra);
    expect(await reads()).toEqual([email, 200]);
    expect((await scim('PATCH', `/Users/${id}`, patchOp(off))).body['active']).toBe(false);
    expect(await reads()).toEqual([undefined, 401]);
    const on = await scim('PATCH', `/Users/${id}`, patchOp({ op: 'replace', path: 'active', value: true }));
    expect(on.body['active']).toBe(true);
    expect(await reads()).toEqual([undefined, 401]);
    expect((await browser.send('POST', '/v1/session', { email, password })).status).toBe(200);
  });

  it('leaves off whom an admin has switched off, although a system sends the state with every change', async () => {
    const email = 'off-by-admin@agency.example';
    const id = await made(email, ofOkta);
    expect((await admin('DELETE', `/v1/principals/${email}`)).status).toBe(200);
    const sent = await scim('PUT', `/Users/${id}`, ofOkta(email));
    expect([sent.status, sent.body['active']]).toEqual([200, false]);
  });

  it('leaves off whom the directory had switched off itself before an admin did', async () => {
    const email = 'off-by-both@agency.example';
    const id = await made(email, ofOkta);
    const off = { op: 'replace', path: 'active', value: false };
    expect((await scim('PATCH', `/Users/${id}`, patchOp(off))).body['active']).toBe(false);
    expect((await admin('DELETE', `/v1/principals/${email}`)).status).toBe(200);
    expect((await scim('PUT', `/Users/${id}`, ofOkta(email))).body['active']).toBe(false);
  });

  it('changes what Entra sends with paths, and keeps the rest', async () => {
    const id = await made('paths@agency.example', ofEntra);
    const changed = await scim(
      'PATCH',
      `/Users/${id}`,
      patchOp(
        { op: 'Replace', path: 'name.familyName', value: 'Lee' },
        { op: 'Add', path: 'emails[type eq "work"].value', value: 'New@Agency.example' },
        {
          op: 'Add',
          path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department',
          value: 'Desk',
        },
      ),
    );
    expect(changed.body).toMatchObject({
      name: { familyName: 'Lee', givenName: 'Adrienne' },
      emails: [{ value: 'new@agency.example' }],
      displayName: 'lennay',
    });
  });

  it('refuses a change to an older version than the one that is there', async () => {
    const id = await made('version@agency.example');
    const patch = patchOp({ op: 'replace', path: 'displayName', value: 'A' });
    const wrong = await scim('PATCH', `/Users/${id}`, patch, { 'if-match': 'W/"1"' });
    expect(wrong.status).toBe(412);
    const version = (await scim('GET', `/Users/${id}`)).headers.get('etag') ?? '';
    expect((await scim('PATCH', `/Users/${id}`, patch, { 'if-match': version })).status).toBe(200);
  });

  it('makes one of several changes to one version that come at the same moment, and refuses the others', async () => {
    const group = { schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'], displayName: 'At once' };
    const paths = [
      `/Users/${await made('once@agency.example')}`,
      `/Groups/${String((await scim('POST', '/Groups', group)).body['id'])}`,
    ];
    const patch = patchOp({ op: 'replace', path: 'externalId', value: 'x-1' });
    for (const path of paths) {
      const version = (await scim('GET', path)).headers.get('etag') ?? '';
      const changes = [1, 2, 3, 4].map(() => scim('PATCH', path, patch, { 'if-match': version }));
      const statuses = (await Promise.all(changes)).map(({ status }) => status);
      expect(statuses.toSorted()).toEqual([200, 412, 412, 412]);
      expect((await scim('DELETE', path, undefined, { 'if-match': version })).status).toBe(412);
      expect((await scim('DELETE', path)).status).toBe(204);
    }
  });

  it('puts people into teams, whose roles people give, and takes them out again', async () => {
    const [ann, bob] = [await made('ann@agency.example'), await made('bob@agency.example')];
    const group = await scim('POST', '/Groups', {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
      displayName: 'Switchyard Readers',
      externalId: 'g-1',
      members: [{ value: ann, display: 'ann' }],
    });
    expect([group.status, group.body['members']]).toMatchObject([201, [{ value: ann }]]);
    const id = group.body['id'] as string;
    const rolesOf = async (who: string) => {
      const { body } = await admin('GET', `/v1/principals?principal=${who}`);
      return (
        (body['principals'] as { grants?: { role: string }[] }[])[0]?.grants?.map(({ role }) => role) ?? []
      );
    };
    const grant = { team: 'Switchyard Readers', role: 'viewer', scope: 'organization' };
    expect((await admin('POST', '/v1/grants', grant)).status).toBe(201);
    expect(await rolesOf(ann)).toContain('viewer');
    await scim(
      'PATCH',
      `/Groups/${id}`,
      patchOp({ op: 'Add', path: 'members', value: [{ $ref: null, value: bob }] }),
    );
    await scim('PATCH', `/Groups/${id}`, patchOp({ op: 'remove', path: `members[value eq "${ann}"]` }));
    expect([await rolesOf(ann), await rolesOf(bob)]).toEqual([[], expect.arrayContaining(['viewer'])]);
    const short = await scim('GET', `/Groups/${id}?excludedAttributes=members`);
    expect(short.body['members']).toBeUndefined();
    const named = await scim(
      'GET',
      `/Groups?filter=${encodeURIComponent('displayName eq "Switchyard Readers"')}`,
    );
    expect(named.body['totalResults']).toBe(1);
    const nobody = patchOp({
      op: 'add',
      path: 'members',
      value: [{ value: '00000000-0000-4000-8000-000000000000' }],
    });
    expect((await scim('PATCH', `/Groups/${id}`, nobody)).body['scimType']).toBe('invalidValue');
    expect((await scim('DELETE', `/Groups/${id}`)).status).toBe(204);
    expect(await rolesOf(bob)).toEqual([]);
  });

  it('takes over no team that people made', async () => {
    await admin('POST', '/v1/teams', { name: 'Board' });
    const { status, body } = await scim('POST', '/Groups', { displayName: 'Board' });
    expect([status, body['scimType']]).toEqual([409, 'uniqueness']);
  });

  it('removes a person, who stays in the audit and is found no more', async () => {
    const id = await made('gone@agency.example');
    expect((await scim('DELETE', `/Users/${id}`)).status).toBe(204);
    expect((await scim('GET', `/Users/${id}`)).status).toBe(404);
    const { body } = await admin('GET', `/v1/audit?action=scim_remove_user`);
    expect(body['events']).toContainEqual(expect.objectContaining({ object_id: id, outcome: 'ok' }));
  });

  it.each([
    [
      'a filter that is not understood',
      'GET',
      '/Users?filter=userName%20sw%20%22a%22',
      undefined,
      400,
      'invalidFilter',
    ],
    ['a user without a name', 'POST', '/Users', { active: true }, 400, 'invalidValue'],
    ['an unknown operation', 'PATCH', '/Users/x', { Operations: [{ op: 'move' }] }, 400, 'invalidSyntax'],
    ['an id of nobody', 'GET', '/Users/00000000-0000-4000-8000-000000000000', undefined, 404, undefined],
  ] as const)('refuses %s in the form of SCIM', async (_name, method, path, body, status, scimType) => {
    const answer = await scim(method, path, body);
    expect([answer.status, answer.body['scimType'], answer.body['status']]).toEqual([
      status,
      scimType,
      String(status),
    ]);
  });

  it('erases a person everywhere a week after it was asked for, and the audit still says what the id did', async () => {
    const email = 'erase.me@agency.example';
    const invited = await admin('POST', '/v1/invitations', { email, role: 'viewer', scope: 'organization' });
    const invitation = new URL(invited.body['link'] as string).hash.slice('#invitation='.length);
    await newBrowser().send('POST', '/v1/session', { invitation, password });
    const id = await made(email, ofEntra);
    const neighbour = await made(`not.${email}`, ofEntra);
    const ask = () => admin('POST', `/v1/principals/${id}/erasure`);
    expect((await ask()).body['detail']).toContain('Switch the person off first');
    await admin('DELETE', `/v1/principals/${email}`);
    const first = `/v1/jobs/${(await ask()).body['job_id'] as string}`;
    expect((await admin('POST', `${first}/cancel`)).body['state']).toBe('canceled');
    // Repeated it would erase at once, and nobody would have approved that.
    expect((await admin('POST', `${first}/retry`)).status).toBe(409);
    const asked = await ask();
    expect([asked.status, asked.body['alone']]).toEqual([200, true]);
    const job = asked.body['job_id'] as string;
    const stateOf = async () => (await admin('GET', `/v1/jobs/${job}`)).body['state'];
    expect(await stateOf()).toBe('waiting');
    const restored = await admin('POST', `/v1/principals/${email}/restore`);
    expect([restored.status, restored.body['detail']]).toEqual([409, expect.stringContaining(job)]);
    expect((await scim('PUT', `/Users/${id}`, ofEntra(email))).body['active']).toBe(false);
    expect(await storedTexts()).toContain(`"${email}"`);
    await asOwner(`update job set due_at = now() where id = '${job}'`);
    await until(async () => (await stateOf()) === 'succeeded');
    const texts = await storedTexts();
    expect(texts).not.toMatch(/(?<![\w.])erase\.me@agency\.example/i);
    expect(texts).toContain(`not.${email}`);
    expect((await scim('GET', `/Users/${neighbour}`)).status).toBe(200);
    const { body } = await admin('GET', `/v1/audit?object=${id}`);
    expect(body['events']).toEqual(
      expect.arrayContaining([expect.objectContaining({ action: 'scim_add_user', object_id: id })]),
    );
    expect(JSON.stringify(body)).toContain(`erased-${id}`);
  });

  it('ends at once with every token, and the people stay', async () => {
    expect((await admin('DELETE', '/v1/scim')).status).toBe(200);
    expect((await scim('GET', '/Users')).status).toBe(401);
    expect(
      (await admin('GET', '/v1/principals?principal=okta@agency.example')).body['principals'],
    ).toHaveLength(1);
  });
});
