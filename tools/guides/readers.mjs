/**
 * What a reader of each page does between its lines: brings files, looks up ids that the page does not show, signs in as somebody
 * else. Each entry is for the next command that begins with its words. A text is the reason why it is not run.
 */
import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { startWebdavServer } from '../../libs/testing/dist/webdav-server.js';

/** A principal of kind person with roles, and its token: `NAME`, then `ROLE SCOPE` of each role. */
async function person(guide, name, ...roles) {
  const words = roles
    .flatMap((role) => role.split(' '))
    .map((word, at) => (at % 2 ? `--scope ${word}` : `--role ${word}`));
  const { token } = await guide.ask(`principals add ${name} --kind person ${words.join(' ')}`);
  return { token };
}

const openBreaks = (guide) => guide.rows('breaks list --period 2026-10 --state open');
const breakOf = async (guide, wanted) =>
  (await openBreaks(guide)).find(({ kind }) => kind === wanted).break_id;
const invoiceOf = async (guide, seller) =>
  (await guide.rows(`invoices list --seller ${seller} --period 2026-10`)).find(({ paid }) => paid === '0')
    .invoice_id;
const quarantined = async (guide, period) =>
  (await guide.rows(`events list --state quarantined --period ${period}`))[0].event_id;
const clientOf = async (guide, client) =>
  (await guide.rows('clients list')).find(({ name }) => name === client).client_id;
const german = (rows) => Buffer.from(rows.join('\r\n'), 'latin1');
const looksUp = 'an id of the list before it: run where the page goes on';

const finance = [
  ['custody list --principal', 'needs a brand that signs: the guide of the brand'],
  ['custody show', 'needs a brand that signs: the guide of the brand'],
  ['buys show', async (guide) => guide.set('MEDIA_BUY', (await guide.rows('buys'))[0].media_buy_id)],
  ['ledger verify --from-start', undefined],
  [
    'ledger verify --from-start',
    'needs an owner of the database who changes an amount; the faults suite does that',
  ],
  ['events show ID', async (guide) => guide.set('ID', await quarantined(guide, '2026-11'))],
  ['events admit ID', looksUp],
  ['events dismiss ID', looksUp],
  [
    'limits set --for client',
    async (guide) => {
      guide.known.delete('ID');
      guide.set('e18889e0-0592-49f5-a497-44f683d880df', await clientOf(guide, 'Nova Foods'));
      await guide.ask(
        'limits set --for client:e18889e0-0592-49f5-a497-44f683d880df --amount 30000 --currency USD',
      );
      await person(guide, 'fay', 'finance organization');
      return person(guide, 'fred', 'finance organization');
    },
  ],
  [
    'events admit 0a4c',
    async (guide) => guide.set('0a4c9dd8-0473-4289-9565-2ca77e904107', await quarantined(guide, '2026-11')),
  ],
  [
    'invoices import prompt.csv',
    (guide) => {
      guide.file('prompt.csv', 'Buy,Net\nof-nobody,11193.99\n');
      guide.file('prompt.json', '{"media_buy_id": "Buy", "amount": "Net"}');
    },
  ],
  [
    'breaks show',
    async (guide) => guide.set('655d3197-3c06-4301-982a-58b99611dddf', await breakOf(guide, 'third_party')),
  ],
  [
    'breaks show',
    async (guide) =>
      guide.set('d3853f65-4d6d-4d21-a3ae-cba63f2074f6', await breakOf(guide, 'duplicate_invoice')),
  ],
  ['periods close', undefined],
  [
    'billing run',
    async (guide) => {
      guide.set('520f16f5-b9ba-4d6c-939b-0355de40546c', await clientOf(guide, 'Nova Foods'));
      guide.set('TOKEN_OF_MIRA', (await guide.ask('principals token mira')).token);
      for (const { break_id } of await openBreaks(guide))
        await guide.ask(`breaks resolve ${break_id} --as accept --reason agreed`);
    },
  ],
  [
    'invoices approve',
    async (guide) => guide.set('97ac9724-5f2b-4ec6-9201-275918272a8b', await invoiceOf(guide, 'prompt')),
  ],
  [
    'invoices pay 2fc7',
    async (guide) => {
      await guide.ask('organizations set --reporting-currency USD');
      await guide.ask('rates set EUR USD 1.1612 --date 2026-08-01 --source ECB');
      guide.set('2fc7227c-c3e3-4054-8912-783adab75144', await invoiceOf(guide, 'slow'));
      await guide.ask('invoices approve 2fc7227c-c3e3-4054-8912-783adab75144 --token TOKEN_OF_MIRA');
    },
  ],
  [
    'invoices preview rechnung.csv',
    (guide) =>
      guide.file(
        'rechnung.csv',
        'Rechnungsnummer;Rechnungsdatum;Leistung;Netto;Waehrung\nRE-77;20.11.2026;Display;1.234,50;EUR\n',
      ),
  ],
  [
    'invoices preview rechnung.csv',
    (guide) =>
      guide.file(
        'rechnung.csv',
        german([
          'Rechnung Nr. RE-2026-118',
          'Rechnungsdatum: 31.10.2026',
          '',
          'Bezeichnung;Gesamtpreis (€)'.replace('€', 'EUR'),
          'Flächen in Köln;2.750',
          'Gebühr;1.250',
          '',
        ]),
      ),
  ],
  [
    'invoices preview invoice.csv',
    (guide) =>
      guide.file(
        'invoice.csv',
        'Invoice No:,HM-8\nInvoice Date:,10/31/2026\nBilling period:,10/01/2026 - 10/31/2026\n\nDescription,Amount\nDisplay,"$1,200.00"\nAd serving fee,$96.00\nAgency commission,($180.00)\nTotal,"$1,116.00"\n',
      ),
  ],
  [
    'invoices import i.csv',
    (guide) => {
      guide.file(
        'i.csv',
        'Campaign,Net cost,Remark\nof-nobody,120.50,September\nof-nobody,80,"=HYPERLINK(""http://x"")"\n',
      );
      guide.file('m.json', '{"media_buy_id": "Campaign", "amount": "Net cost", "description": "Remark"}');
    },
  ],
  [
    'invoices attach',
    async (guide) => {
      await guide.ask(
        'invoices import i.csv --seller prompt --mapping m.json --number INV-9 --issued 2026-11-20 --currency USD',
      );
      const brought = (await guide.rows('invoices list --seller prompt')).find(
        ({ number }) => number === 'INV-9',
      );
      guide.set('d30eb232-7067-4a09-b64e-a8591de48cff', brought.invoice_id);
      guide.file(
        'ok.pdf',
        '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n',
      );
    },
  ],
  [
    'figures import',
    async (guide) => {
      // A buy with delivery in the open month: that of the first campaign begins today, which may be a month later.
      const { buy } = (await guide.rows('reconcile --period 2026-11 --seller prompt')).find(
        ({ kind }) => kind === 'missing_package',
      );
      guide.file(
        'adserver.csv',
        `Buy,Day,Cost,Views\n${buy},2026-11-01,1000,50000\n${buy},2026-11-02,900,45000\n`,
      );
      guide.file('fm.json', '{"media_buy_id": "Buy", "day": "Day", "spend": "Cost", "impressions": "Views"}');
    },
  ],
  ['figures pull', 'no seller of the sandbox says what it has on an account'],
  [
    'verify s.pdf',
    async (guide) =>
      guide.file('s.pdf', Buffer.concat([guide.read('ok.pdf'), Buffer.from(' ')])) ??
      guide.file('s.pdf.jws', guide.read('ok.pdf.jws')),
  ],
];

const buyOf = (key, domain, seller, budget) => ({
  adcp_version: '3.1',
  idempotency_key: key,
  account: { brand: { domain }, operator: 'agency.example' },
  brand: { domain },
  start_time: 'asap',
  end_time: new Date(Date.now() + 5 * 86_400_000).toISOString(),
  packages: [{ product_id: `${seller}:display_travel`, pricing_option_id: 'fixed_usd', budget }],
});
const asked = async (guide, key, seller) => {
  guide.file('large.json', JSON.stringify(buyOf(key, 'bikes.example', seller, 600_000)));
  await guide.ask('buy large.json');
  const found = await guide.until(async () =>
    (await guide.rows('approvals list')).find(
      ({ kind, state }) => !['internal', 'control'].includes(kind) && state === 'open',
    ),
  );
  guide.set('ID', found.approval_id);
};

const agency = [
  [
    'buys show',
    (guide) =>
      guide.until(async () => {
        const shown = JSON.stringify(await guide.ask('buys show mb_GMhHG34oBGZT85WP5HYnoUD0'));
        return /"spend"/.test(shown) && !/"working"/.test(shown) ? null : undefined;
      }),
  ],
  ['approvals answer', (guide) => asked(guide, 'guide-large-buy-0001', 'prompt')],
  ['approvals dismiss', 'needs a seller whose question cannot be answered from here'],
  [
    'buy buy.json',
    async (guide) => {
      const client = await clientOf(guide, 'Roaster Group');
      await guide.ask(`limits set --for client:${client} --amount 30000 --currency USD`);
      guide.set('TOKEN_OF_TINA', (await person(guide, 'tina', `trader client:${client}`)).token);
      guide.set('TOKEN_OF_FRED', (await person(guide, 'frederic', 'reviewer organization')).token);
      guide.file('buy.json', JSON.stringify(buyOf('guide-tina-buy-0001', 'roaster.example', 'prompt', 5000)));
    },
  ],
];

/** Sends something that no relay takes, so that there is a record. */
const refusedByRelay = async (guide, token) => {
  const { relay_mcp_url: address } = await guide.ask('relay address prompt --principal ID');
  const sent = {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  };
  await fetch(address, {
    ...sent,
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: {} }),
  });
  guide.set('RECORD', (await guide.rows('custody list'))[0].record_id);
};

const brand = [
  [
    'delegations grant',
    async (guide) =>
      guide.set(
        'ID',
        (await guide.rows('principals list')).find(({ name }) => name === 'bikes').principal_id,
      ),
  ],
  ['custody list', async (guide) => refusedByRelay(guide, (await guide.ask('principals token bikes')).token)],
  ['custody export', async (guide) => ({ token: (await guide.ask('principals token bikes')).token })],
  ['verify chain.json', { exit: 3 }],
  ['verify chain.json --fetch', 'needs a domain of the agency'],
];

const asOlga = async (guide) => ({ token: guide.real('TOKEN_OF_OLGA') });
const approveNewest = async (guide) => {
  const open = (await guide.rows('approvals list')).filter(
    ({ kind, state }) => kind === 'control' && state === 'open',
  );
  const newest = open.toSorted((a, b) => (a.since < b.since ? 1 : -1))[0];
  await guide.ask(`approvals approve ${newest.approval_id} --token TOKEN_OF_OTTO`);
};
/** The provider of the page: a provider is stored only if one answers at its issuer. */
async function withProvider(guide) {
  const server = createServer((_request, answer) => {
    const issuer = `http://127.0.0.1:${server.address().port}`;
    const [authorization_endpoint, token_endpoint] = [`${issuer}/authorize`, `${issuer}/token`];
    answer.setHeader('content-type', 'application/json');
    answer.end(
      JSON.stringify({ issuer, authorization_endpoint, token_endpoint, jwks_uri: `${issuer}/keys` }),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  server.unref();
  const own = `http://127.0.0.1:${server.address().port}`;
  guide.file('provider.json', guide.read('provider.json').toString().replace('https://agency.okta.com', own));
  return asOlga(guide);
}
const unreachable = (slug, port) => ({
  slug,
  agent_url: `http://127.0.0.1:${port}/mcp`,
  protocol: 'mcp',
  dialect: 'adcp',
});
const internet = 'needs an address on the internet';
const closes = 'closes the organization; organization deletion has its own tests';
const admin = [
  ['sellers find', internet],
  ['sellers add news.com', internet],
  [
    'sellers import sellers.json',
    (guide) => guide.file('sellers.json', JSON.stringify([unreachable('north', 2), unreachable('south', 3)])),
  ],
  [
    'sellers import clients.json',
    (guide) =>
      guide.file(
        'clients.json',
        JSON.stringify({
          mcpServers: {
            harbor: { url: 'https://sales.harbor.example/mcp', headers: { Authorization: 'Bearer a-token' } },
            files: { command: 'npx', args: ['files'] },
          },
        }),
      ),
  ],
  ['credentials rotate', 'needs a new token from the seller'],
  ['principals add ann', async (guide) => guide.set('ID', await clientOf(guide, 'Nova Foods'))],
  [
    'grants remove',
    async (guide) => guide.set('ID', (await guide.rows('grants list --principal ann'))[0].grant_id),
  ],
  ['grants add --team', async (guide) => guide.set('ID', await clientOf(guide, 'Nova Foods'))],
  ['principals identity add', 'needs an issuer that the settings name'],
  ['principals identity remove', 'needs an issuer that the settings name'],
  [
    'principals withdraw',
    async (guide) => guide.set('ID', (await guide.rows('principals invitations'))[0].invitation_id),
  ],
  [
    'organizations quotas',
    async (guide) => guide.set('ORGANIZATION', (await guide.rows('organizations list'))[0].organization_id),
  ],
  ['principals policy', (guide) => guide.ask('principals policy --second-factor approvers')],
  [
    'principals revoke ann@',
    async (guide) => {
      await person(guide, 'ann@agency.example', 'trader organization');
      for (const name of ['olga', 'otto'])
        guide.set(`TOKEN_OF_${name.toUpperCase()}`, (await person(guide, name, 'admin organization')).token);
    },
  ],
  ['principals erase', asOlga],
  [
    'jobs cancel JOB',
    async (guide) => {
      await approveNewest(guide);
      guide.set('JOB', (await guide.rows('jobs list --kind erase_person'))[0].job_id);
    },
  ],
  ['organizations export', (guide) => guide.set('/srv/agency-export', guide.path('agency-export'))],
  ['organizations delete', closes],
  ['organizations deletion', closes],
  ['principals provider set', withProvider],
  ['scim allow', asOlga],
  ['scim token', approveNewest],
  ['audit list --action accept_invitation', 'needs a person who opens the invitation in a browser'],
  ['principals add bikes', 'done by the guide of the brand'],
  [
    'delegations grant',
    async (guide) =>
      guide.set(
        'ID',
        (await guide.rows('principals list')).find(({ name }) => name === 'bikes').principal_id,
      ),
  ],
  [
    'delegations revoke',
    async (guide) => guide.set('ID', (await guide.rows('delegations list'))[0].delegation_id),
  ],
  ['keys rotate --principal', (guide) => guide.set('NAME', 'operator')],
  ['signers remove', async (guide) => guide.set('ID', (await guide.rows('signers list'))[0].signer_id)],
  ['alarms acknowledge', 'needs a seller whose keys moved'],
];

/** A server of WebDAV with an invoice, and the settings that lead there. */
async function webdavPlace(guide) {
  const authorization = 'Basic Z3VpZGU6eA==';
  const server = await startWebdavServer(authorization);
  guide.set('https://files.agency.example', server.url);
  const place = {
    SWITCHYARD_CONNECTORS: guide.packageAt('webdav'),
    SWITCHYARD_PLACE_AUTHORIZATION: authorization,
  };
  const invoice =
    'invoice_number,issued_on,period,currency,media_buy_id,amount\nGUIDE-1,2026-11-20,2026-11,USD,of-nobody,10\n';
  const headers = { authorization };
  for (const folder of ['finance', 'figures', 'invoices'])
    await fetch(`${server.url}/${folder}`, { method: 'MKCOL', headers });
  await fetch(`${server.url}/invoices/prompt.csv`, { method: 'PUT', headers, body: guide.real(invoice) });
  return { env: place };
}

let place;
const atPlace = async (guide) => (place ??= await webdavPlace(guide));
const connectors = [
  ['sellers add', 'needs a seller of that connector: connectors.spec.ts of the end-to-end tests adds one'],
  ['files send', atPlace],
  ['reports export', atPlace],
  ['files fetch', atPlace],
];

export const readers = {
  README: [],
  finance,
  agency,
  brand,
  assistants: [],
  reports: [
    ['reports export', (guide) => guide.set('/srv/reports', guide.path('reports'))],
    ['reports export --to s3', 'needs a bucket'],
  ],
  connectors,
  console: [],
  admin,
};
