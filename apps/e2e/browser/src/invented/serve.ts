import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { campaignAnswers } from './campaigns.js';
import { financeAnswers } from './finance.js';
import { needAnswers } from './needs.js';
import { people, type PersonName } from './people.js';
import { sellerAnswers } from './sellers.js';
import { adminAnswers } from './admin.js';
import { tradeAnswers } from './trade.js';
import type { Answers, Asked } from './answers.js';

const built = fileURLToPath(new URL('../../../../console/dist/', import.meta.url));
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

const answersFor = (who: PersonName, decided: Set<string>): Answers => ({
  'GET /v1/me': () => people[who],
  ...sellerAnswers,
  ...campaignAnswers,
  ...financeAnswers(decided),
  ...adminAnswers,
  ...tradeAnswers,
  ...needAnswers(who),
});

type Any = (asked: Asked) => unknown;

/** The answer to a request, by the pattern of its route; undefined where nothing is invented for it. */
function answerTo(answers: Answers, method: string, url: URL, body: string): unknown {
  const all = Object.entries(answers) as readonly (readonly [string, Any])[];
  // A fixed path goes before one with a member.
  for (const [route, give] of all.toSorted(([a], [b]) => Number(a.includes('{')) - Number(b.includes('{')))) {
    const [verb = '', pattern = ''] = route.split(' ');
    const found = new RegExp(`^${pattern.replaceAll(/\{\w+\}/g, '([^/]+)')}$`).exec(url.pathname);
    if (verb === method && found !== null)
      return give({ of: decodeURIComponent(found[1] ?? ''), query: url.searchParams, body });
  }
  return undefined;
}

/** The console as it is built, before a server that answers with the invented data of the pictures. */
export interface InventedServer {
  readonly url: string;
  /** Requests for which nothing is invented. */
  readonly missing: ReadonlySet<string>;
  stop(): Promise<void>;
}

/** Starts it on a free port. Who looks at it stands in the cookie `who`. */
export async function serveInvented(): Promise<InventedServer> {
  const missing = new Set<string>();
  const decided = new Set<string>();
  const streams = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    if (url.pathname.startsWith('/creative-files/')) return sendPicture(url.pathname, response);
    if (url.pathname.startsWith('/console')) return sendFile(url.pathname, response);
    const who = (/\bwho=(\w+)/.exec(request.headers.cookie ?? '')?.[1] ?? 'tina') as PersonName;
    if (url.pathname === '/v1/changes') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(':\n\n');
      return void streams.add(response);
    }
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      const answer = answerTo(answersFor(who, decided), request.method ?? 'GET', url, body);
      if (answer === undefined) missing.add(`${request.method} ${url.pathname}${url.search}`);
      const isStream = typeof answer === 'string';
      // A stream without its result is one that goes on.
      if (isStream && !answer.includes('event: result')) streams.add(response);
      response.writeHead(answer === undefined ? 404 : 200, {
        'content-type': isStream ? 'text/event-stream' : 'application/json',
      });
      if (streams.has(response)) return void response.write(answer);
      response.end(
        isStream
          ? answer
          : JSON.stringify(answer ?? { code: 'NOT_FOUND', detail: 'Nothing is invented here.' }).replaceAll(
              '{origin}',
              `http://${request.headers.host}`,
            ),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    missing,
    stop: async () => {
      for (const stream of streams) stream.end();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Colours of invented creatives, from one corner to the other. */
const colours = [
  ['#115e67', '#2a9d94'],
  ['#232f6e', '#5b67ec'],
  ['#6e2f1d', '#d97b34'],
] as const;

function sendPicture(path: string, response: ServerResponse): void {
  const [from, to] = colours[(Number(/\d+/.exec(path)?.[0] ?? 1) - 1) % colours.length]!;
  const picture = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 100"><linearGradient id="g" x2="1" y2="1"><stop stop-color="${from}"/><stop offset="1" stop-color="${to}"/></linearGradient><path fill="url(#g)" d="M0 0h200v100H0z"/><path fill="#fff" d="M93 40v20l16-10z"/></svg>`;
  response.writeHead(200, { 'content-type': 'image/svg+xml' }).end(picture);
}

function sendFile(path: string, response: ServerResponse): void {
  const name = path.replace(/^\/console\/?/, '');
  const file = join(built, name);
  if (name === '' || !/^[\w./-]+\.\w+$/.test(name) || name.includes('..') || !existsSync(file)) {
    const page = readFileSync(join(built, 'index.html'), 'utf8').replace('__STYLE_NONCE__', '');
    return void response.writeHead(200, { 'content-type': types['.html'] }).end(page);
  }
  response.writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream' });
  createReadStream(file).pipe(response);
}
