import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { authorizeInstancePage } from '../platform/http/access/auth.js';
import { sendAnswer } from '../platform/http/http-answer.js';
import { HTTP_CONTEXT, type HttpContext } from '../platform/http/http-context.js';
import { consoleFolder, sendFile, type CachedFile } from '../platform/http/serve-console.js';
import { openApiInParts, type OpenApi, type Operation } from './openapi.js';

const style = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}main{max-width:56rem;margin:2rem auto;padding:0 1rem}
details{border-top:1px solid #8886;padding:.4rem 0}summary{cursor:pointer}summary b{display:inline-block;min-width:3.2rem}
pre{overflow:auto;padding:.6rem;border:1px solid #8886;border-radius:4px;font-size:.85rem}code{font-size:.95em}h2{margin-top:2rem;text-transform:capitalize}`;

/** The description of `/v1`, for machines and for people. */
@Controller()
export class DocsController {
  private readonly files = new Map<string, CachedFile>();

  constructor(@Inject(HTTP_CONTEXT) private readonly http: HttpContext) {}

  @Get('openapi.json')
  description(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return toAllowed(request, reply, this.http, async () => {
      sendAnswer(reply, { status: 200, body: await openApiInParts(this.http.url(), this.http.version) });
    });
  }

  /** The same with a search, examples in many languages, and a form that sends requests. */
  @Get('reference')
  reference(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return toAllowed(request, reply, this.http, () => {
      void reply.header('content-security-policy', referencePolicy);
      sendHtml(reply, referencePage);
    });
  }

  @Get('reference/start.js')
  start(@Res() reply: FastifyReply): void {
    void reply.headers({ ...guards, 'content-type': 'text/javascript; charset=utf-8' }).send(startScript);
  }

  @Get('reference/reference.js')
  script(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    void reply.headers(guards);
    return sendFile(request, reply, {
      folder: consoleFolder() ?? '',
      name: 'reference.js',
      cache: this.files,
    });
  }

  @Get('docs')
  page(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return toAllowed(request, reply, this.http, async () => {
      sendPage(reply, docsPage(await openApiInParts(this.http.url(), this.http.version)));
    });
  }
}

/** The description as one page that loads nothing: no script, no font, no other origin. */
function docsPage(api: OpenApi): string {
  const rows = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const tags = [...new Set(rows.flatMap(({ operation }) => operation.tags))];
  const sections = tags.map((tag) => {
    const own = rows.filter(({ operation }) => operation.tags.includes(tag));
    return `<h2>${escaped(tag)}</h2>${own.map((row) => entry(row.method, row.path, row.operation)).join('')}`;
  });
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escaped(api.info.title)}</title>
<meta name="viewport" content="width=device-width"><style>${style}</style></head><body><main>
<h1>${escaped(api.info.title)} <small>${escaped(api.info.version)}</small></h1>
<p>${escaped(api.info.description)}</p>
<p>Base address <code>${escaped(api.servers[0]?.url ?? '')}</code>, machine-readable at <a href="/openapi.json">/openapi.json</a>, with a search at <a href="/reference">/reference</a>.</p>
${sections.join('')}</main></body></html>`;
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

function entry(method: string, path: string, operation: Operation): string {
  const open = operation.security.some((way) => Object.keys(way).length === 0);
  const body = operation.requestBody
    ? `<p>Request:</p><pre>${escaped(JSON.stringify(operation.requestBody['content'], null, 2))}</pre>`
    : '';
  const summary = `<b>${method.toUpperCase()}</b> <code>${escaped(path)}</code> ${escaped(operation.summary)}`;
  const description = operation.description ? `<p>${escaped(operation.description)}</p>` : '';
  const access = `<p>${open ? 'Open to callers without credentials.' : 'Needs Authorization: Bearer.'}</p>`;
  return `<details id="${escaped(operation.operationId)}"><summary>${summary}</summary>${description}${access}${body}</details>`;
}

async function toAllowed(
  request: FastifyRequest,
  reply: FastifyReply,
  http: HttpContext,
  send: () => void | Promise<void>,
): Promise<void> {
  const refused = await authorizeInstancePage(request, http);
  if (refused === undefined) await send();
  else sendAnswer(reply, refused);
}

const guards = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' } as const;

function sendPage(reply: FastifyReply, html: string): void {
  void reply.header(
    'content-security-policy',
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  );
  sendHtml(reply, html);
}

function sendHtml(reply: FastifyReply, html: string): void {
  void reply.headers({ ...guards, 'content-type': 'text/html; charset=utf-8' }).send(html);
}

/** Scalar, whose script is a file of this server, writes styles into the page and loads nothing from elsewhere. */
const referencePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self' data:",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const referencePage = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Switchyard: API reference</title>
<meta name="viewport" content="width=device-width"></head><body><div id="reference"></div>
<noscript>This page needs scripts. The same without them is at <a href="/docs">/docs</a>.</noscript>
<script src="/reference/reference.js"></script><script src="/reference/start.js"></script></body></html>`;

/** Without these settings Scalar asks addresses of its maker. */
const startScript = `Scalar.createApiReference('#reference', {
  url: '/openapi.json',
  agent: { disabled: true },
  telemetry: false,
  withDefaultFonts: false,
  showDeveloperTools: 'never',
});
`;
