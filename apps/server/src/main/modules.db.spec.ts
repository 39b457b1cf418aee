import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { controlRequests, listReader, setUpLists } from '@switchyard/store';
import { allPermissions } from '@switchyard/tenancy';
import { createOrganization, createPrincipal } from '@switchyard/testing';
import { CLOCK, STORE } from '../platform/capability-tokens.js';
import { makeNotices, notices, NoticesModule } from '../notices/notices.module.js';
import { makePeople, people, PeopleModule } from '../people/people.module.js';
import { specKernel } from '../platform/testkit/kernel.js';
import { startModule } from '../platform/routes/testkit/start-module.js';
import { given } from '../platform/token.js';
import { finance, FinanceModule } from '../finance/finance.module.js';
import { ORGANIZATION_NAME } from '../finance/documents/verified-documents.controller.js';
import { openFinanceRoutes } from '../finance/testkit/finance.js';

const { store, clock, deps } = await openFinanceRoutes(Date.UTC(2026, 9, 11));
const organization = await createOrganization(store);
const principal = { ...(await createPrincipal(store, organization.id)), permissions: allPermissions };
const providers = [
  given(STORE, store),
  given(CLOCK, clock),
  finance.on(deps),
  given(ORGANIZATION_NAME, deps),
];
const module = await startModule(FinanceModule, providers, { principal, clock });
afterAll(() => module.close());

const tolerance = { absolute: '0.5', percent: '1.25' };

describe('the module of finance, without the rest of the process', () => {
  it('serves its rows on the database and records the acts among them', async () => {
    const made = await module.request('POST', '/v1/tolerances', tolerance);
    expect([made.status, made.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const listed = await module.request('GET', '/v1/tolerances');
    expect(await listed.json()).toMatchObject({ tolerances: [tolerance] });
    expect(module.acts).toEqual(['set_tolerance']);
  });

  it.each([
    ['without a valid credential', 'GET', '/v1/tolerances', undefined, 401],
    ['with a member that no schema has', 'POST', '/v1/tolerances', { ...tolerance, color: 'red' }, 422],
    ['with a filter that the list does not have', 'GET', '/v1/tolerances?color=red', undefined, 422],
    ['for a row of another module', 'GET', '/v1/clients', undefined, 404],
  ])('refuses a request %s, as problem details', async (_what, method, path, body, status) => {
    const token = status === 401 ? 'sy_nobody' : undefined;
    const answer = await module.request(method, path, body, token);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      status,
      'application/problem+json; charset=utf-8',
    ]);
  });
});

describe('a module on what its own capability makes', () => {
  const kernel = specKernel(store, clock);
  const parts = makePeople(kernel, {}, false);
  const lists = listReader(store, clock);

  it('serves the teams and grants of people', async () => {
    const local = { scope: { organizationId: organization.id }, principalName: principal.name };
    const alone = await startModule(
      PeopleModule,
      [
        people.on(
          people.deps(kernel, parts, {
            ...{ lists, local, controls: controlRequests(store), setUp: setUpLists(store), randomBytes },
            ...{ hasMail: false, trustsTestKeys: false, issuedTokens: undefined },
            sellersReady: () => Promise.resolve(),
          }),
        ),
      ],
      { principal, clock },
    );
    const made = await alone.request('POST', '/v1/teams', { name: 'Buyers' });
    const listed = await alone.request('GET', '/v1/teams');
    expect([made.status, await listed.json()]).toMatchObject([201, { teams: [{ name: 'Buyers' }] }]);
    expect(alone.acts).toEqual(['add_team']);
    await alone.close();
  });

  it('serves the settings of notices', async () => {
    const mailOfSignIn = parts.mailOfSignIn;
    const telling = makeNotices(kernel, { mail: undefined, noticeConnectors: [], mailOfSignIn });
    const deps = notices.deps(kernel, telling, { lists, hasMail: false });
    const alone = await startModule(NoticesModule, [notices.on(deps)], { principal, clock });
    expect(await (await alone.request('GET', '/v1/endpoints')).json()).toMatchObject({ endpoints: [] });
    await alone.close();
  });
});
