/**
 * Judges the connectors of this repository by the kits that every connector is judged by, and prints a report of each. Exit code 1
 * if a rule is broken.
 *
 *   node tools/connectors.mjs [--json]     after `npm run build`
 */
import { Buffer } from 'node:buffer';
import { URLSearchParams } from 'node:url';
import { businessCentral } from '../libs/connectors/business-central/dist/index.js';
import { restAdServer } from '../libs/connectors/rest-ad-server/dist/index.js';
import { webdav } from '../libs/connectors/webdav/dist/index.js';
import { googleChat } from '../libs/connectors/google-chat/dist/index.js';
import { checkNotices } from '../libs/domain/events/dist/index.js';
import { checkLayout, checkPlace } from '../libs/domain/ledger/dist/index.js';
import { checkConnector } from '../libs/domain/sellers/dist/index.js';
import { startRestAdServer } from '../libs/testing/dist/rest-ad-server.js';
import { startWebdavServer } from '../libs/testing/dist/webdav-server.js';

const seller = await startRestAdServer('a token');
const ask = async ({ method, path, query = {}, body }) => {
  const answer = await fetch(`${seller.url}${path}?${new URLSearchParams(query)}`, {
    method,
    headers: { authorization: 'Bearer a token' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: await answer.json() };
};
const folder = await startWebdavServer('Basic YTpi');
const askPlace = async ({ method, path, headers, destination, body }) => {
  const answer = await fetch(`${folder.url}${path}`, {
    method,
    headers: {
      ...headers,
      authorization: 'Basic YTpi',
      ...(destination && { destination: folder.url + destination }),
    },
    ...(body !== undefined && { body }),
  });
  return { status: answer.status, body: Buffer.from(await answer.arrayBuffer()) };
};
const reports = {
  [restAdServer.protocol]: await checkConnector(restAdServer, ask),
  [businessCentral.system]: checkLayout(businessCentral),
  [googleChat.channel]: checkNotices(googleChat),
  [webdav.scheme]: await checkPlace(webdav, askPlace),
};
await seller.close();
await folder.close();
if (process.argv.includes('--json')) console.log(JSON.stringify(reports, null, 2));
else
  for (const [name, findings] of Object.entries(reports)) {
    console.log(`${name}: ${findings.filter(({ passed }) => passed).length} of ${findings.length} rules`);
    for (const { rule, passed, words } of findings)
      console.log(`  ${passed ? 'passed' : 'broken'}  ${rule}${passed ? '' : `: ${words}`}`);
  }
process.exit(
  Object.values(reports)
    .flat()
    .every(({ passed }) => passed)
    ? 0
    : 1,
);
