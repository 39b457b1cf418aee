/**
 * Tries, at a running server, what only works if its image has all packages: each format of a statement, reading a
 * workbook, and each way to sign in. docker/check.sh starts the server.
 *
 *   node docker/try-image.mjs URL ADMIN-SECRET OIDC-PORT     the server has SWITCHYARD_OIDC_ISSUER at that port
 *   node docker/try-image.mjs --old-ledger DATABASE-URL      books a report of January 2024 and closes that month
 */
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { URLSearchParams } from 'node:url';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { generate } from 'otplib';
import pg from 'pg';
import { ledgerStore, openStore } from '../libs/adapters/store/dist/index.js';
import { writeTable } from '../libs/adapters/tables/dist/index.js';
import {
  createAuthenticator,
  createBookedBuy,
  createBrowser,
  makePastMonths,
  oauthKit,
} from '../libs/testing/dist/index.js';

const [first = '', ...rest] = process.argv.slice(2);
const password = 'correct horse battery';

function must(isTrue, what, found) {
  if (!isTrue) throw new Error(`${what}: ${JSON.stringify(found)}`);
}

async function oldLedger(databaseUrl) {
  const owner = new pg.Client({ connectionString: databaseUrl });
  await owner.connect();
  const store = openStore(databaseUrl, { connections: 2 });
  try {
    await makePastMonths(owner, ['2024-01', '2024-02']);
    const { rows } = await owner.query('select id from organization_ids()');
    const buy = await createBookedBuy(store, rows[0].id);
    const day = (number) => new Date(Date.UTC(2024, 0, number)).toISOString();
    const row = { packageId: buy.packages[0], spend: '12.5', original: {}, isFinal: false };
    const body = Buffer.from('a report');
    const message = { sha256: createHash('sha256').update(body).digest('hex'), sender: 's', proof: 'signed' };
    await store.inTenant(buy, (client) =>
      client.query(
        `insert into inbox_event (id, organization_id, registration_id, connection_id, sender, kind, headers, body,
           body_hash, verdict, state, received_at)
         values (gen_random_uuid(), $1, 'r', $2, 's', 'report', '[]', $3, $4, '{"steps":[]}', 'applied', $5)`,
        [buy.organizationId, buy.connectionId, body, message.sha256, day(3)],
      ),
    );
    const report = {
      notificationType: 'scheduled',
      sequenceNumber: 1,
      period: { start: day(1), end: day(2) },
      currency: 'EUR',
      partialData: false,
      deliveries: [
        {
          mediaBuyId: buy.sellerMediaBuyId,
          status: 'active',
          isAdjusted: false,
          totals: { spend: '0', original: {} },
          byPackage: [row],
        },
      ],
    };
    const at = Date.parse(day(3));
    const observation = {
      connectionId: buy.connectionId,
      source: 'webhook',
      stream: `address of ${buy.legId}`,
      report,
      reportedAt: at,
      receivedAt: at,
      eventId: randomUUID(),
      message,
      legId: buy.legId,
    };
    const [outcome] = await ledgerStore(store).applyReports(buy, [observation], { now: at });
    must(outcome?.kind === 'applied', 'The old report was not booked', outcome);
    await store.inTenant(buy, (client) =>
      client.query(
        `insert into accounting_period (organization_id, period, state, updated_at) values ($1, '2024-01', 'closed', now())`,
        [buy.organizationId],
      ),
    );
  } finally {
    await store.close();
    await owner.end();
  }
}

/** An OpenID Connect provider that signs in one person at once, without a page. */
async function startProvider(port, email) {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', use: 'sig', alg: 'RS256' };
  const issuer = `http://127.0.0.1:${port}`;
  let asked = new URLSearchParams();
  const answers = {
    '/.well-known/openid-configuration': () => ({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      code_challenge_methods_supported: ['S256'],
    }),
    '/keys': () => ({ keys: [jwk] }),
    '/token': async () => ({
      access_token: 'an access token',
      token_type: 'Bearer',
      expires_in: 60,
      id_token: await new SignJWT({ nonce: asked.get('nonce'), email, email_verified: true })
        .setProtectedHeader({ alg: 'RS256', kid: 'one' })
        .setIssuer(issuer)
        .setAudience(asked.get('client_id') ?? '')
        .setSubject('sub-1')
        .setIssuedAt()
        .setExpirationTime('5m')
        .sign(privateKey),
    }),
  };
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '', issuer);
    request.resume();
    if (url.pathname === '/authorize') {
      asked = url.searchParams;
      const back = new URL(asked.get('redirect_uri'));
      back.search = new URLSearchParams({
        code: 'a-code',
        state: asked.get('state'),
        iss: issuer,
      }).toString();
      response.writeHead(303, { location: back.href }).end();
      return;
    }
    const answer = await answers[url.pathname]?.();
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? {}));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return { close: () => (server.closeAllConnections(), server.close()) };
}

async function tryFormats(admin, seller) {
  const heads = { json: '', csv: '', xlsx: 'PK', pdf: '%PDF-' };
  for (const [format, head] of Object.entries(heads)) {
    const { status, body } = await admin('POST', '/v1/statements', { period: '2026-09', format });
    must(status === 200, `A statement as ${format}`, body);
    if (format === 'json') continue;
    const bytes = Buffer.from(body.file.content, 'base64');
    must(
      bytes.length > 20 && bytes.toString('latin1').startsWith(head),
      `A statement as ${format}`,
      body.file,
    );
  }
  const columns = ['Package', 'Net', 'Invoice', 'Date', 'Currency'];
  const rows = [['p1', '12.5', 'INV-1', '2026-10-02', 'USD']];
  const document = {
    title: 'An invoice',
    madeAt: '2026-10-05T00:00:00.000Z',
    sections: [{ name: 's', columns, rows }],
  };
  const workbook = await writeTable(document, 'xlsx');
  const announced = await admin('POST', '/v1/files', {
    name: 'statement.xlsx',
    bytes: workbook.length,
    sha256: createHash('sha256').update(workbook).digest('hex'),
  });
  must(announced.status === 201, 'A file', announced);
  const sent = await admin('POST', `/v1/files/${announced.body.file_id}/parts/0`, workbook);
  must(sent.status === 200, 'The bytes of a file', sent);
  const read = await admin('POST', '/v1/invoices/preview', { seller, file_id: announced.body.file_id });
  must(read.status === 200 && read.body.recognised.format === 'workbook', 'A workbook that is read', read);
}

async function trySignIn(url, admin, token, oidcPort) {
  const email = 'ada@agency.example';
  const invited = await admin('POST', '/v1/invitations', { email, role: 'trader', scope: 'organization' });
  must(invited.status === 201, 'An invitation', invited);
  const invitation = new URL(invited.body.link).hash.slice('#invitation='.length);
  const browser = createBrowser(url);
  const accepted = await browser.send('POST', '/v1/session', { invitation, password });
  must(accepted.status === 200, 'An invitation that is accepted', accepted);
  const byPassword = await createBrowser(url).send('POST', '/v1/session', { email, password });
  must(byPassword.status === 200, 'A password', byPassword);

  const provider = await startProvider(oidcPort, email);
  const guest = createBrowser(url);
  const begun = await guest.open('/sign-in/oidc?return_to=%2Fconsole%2F');
  must(begun.status === 303, 'The way to the provider', await begun.text());
  const there = await fetch(begun.headers.get('location') ?? '', { redirect: 'manual' });
  const back = await guest.open(there.headers.get('location') ?? '');
  const page = await back.text();
  const field = (name) => new RegExp(`name="${name}" value="([^"]+)"`).exec(page)?.[1] ?? '';
  if (back.status === 200)
    await guest.form('/sign-in/oidc/enter', { question: field('question'), entrance: field('entrance') });
  const session = await guest.send('GET', '/v1/session');
  provider.close();
  must(session.status === 200, 'The provider', page);

  const authenticator = createAuthenticator();
  const origin = url.replace('127.0.0.1', 'localhost');
  const offered = await browser.send('POST', '/v1/me/passkeys/challenge');
  const added = await browser.send('POST', '/v1/me/passkeys', {
    name: 'A key',
    challenge_id: offered.body.challenge_id,
    passkey: authenticator.create(offered.body.options, { origin }),
  });
  must(added.status === 200, 'A passkey that is added', added);
  const owner = createBrowser(url);
  const { body } = await owner.send('POST', '/v1/session/passkey', {});
  const passkey = authenticator.get(body.options, { origin });
  const byPasskey = await owner.send('POST', '/v1/session', { challenge_id: body.challenge_id, passkey });
  must(byPasskey.status === 200, 'A passkey', byPasskey);

  const { secret } = (await browser.send('POST', '/v1/me/totp')).body;
  const epoch = Math.floor(Date.now() / 1000);
  const confirmed = await browser.send('POST', '/v1/me/totp/confirm', {
    code: await generate({ secret, epoch: epoch - 30 }),
  });
  must(confirmed.status === 200, 'Codes of an app', confirmed);
  const again = createBrowser(url);
  const step = await again.send('POST', '/v1/session', { email, password });
  must(step.status === 202, 'A second step', step);
  const code = await generate({ secret, epoch });
  const byCode = await again.send('POST', '/v1/session', { second_step: step.body.second_step, code });
  must(byCode.status === 200, 'A code', byCode);

  const kit = oauthKit({ url, admin: { authorization: `Bearer ${token}` } });
  const { token: ofPerson } = await kit.person();
  const tokens = await kit.tokensOf(await kit.requestCode(ofPerson));
  must(typeof tokens.access_token === 'string', 'OAuth', tokens);
}

async function tryServer(url, adminSecret, oidcPort) {
  const minted = await fetch(`${url}/v1/tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminSecret}`, 'content-type': 'application/json' },
    body: '{}',
  });
  const { token } = await minted.json();
  const admin = async (method, path, body) => {
    const isBytes = Buffer.isBuffer(body);
    const answer = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': isBytes ? 'application/octet-stream' : 'application/json',
      },
      body: isBytes ? body : JSON.stringify(body),
    });
    return { status: answer.status, body: await answer.json() };
  };
  await tryFormats(admin, 'prompt');
  await trySignIn(url, admin, token, oidcPort);
  console.log(
    'Tried: statements as JSON, CSV, XLSX and PDF; a workbook read; sign-in by password, provider, passkey, code and OAuth.',
  );
}

await (first === '--old-ledger' ? oldLedger(rest[0]) : tryServer(first, rest[0], Number(rest[1])));
process.exit(0);
