import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { err, ok, type Clock, type Result } from '@switchyard/values';
import type { StartFailure } from '../platform/start-failure.js';

interface ManagementOptions {
  readonly host: string;
  readonly port: number;
  readonly clock: Clock;
  readonly metrics: { exposition(): Promise<string>; readonly contentType: string };
  readonly ready: () => { readonly ready: boolean; readonly parts: Readonly<Record<string, string>> };
  /** The logger, whose level can be changed for a while. */
  readonly logger: { level: string };
}

export interface Management {
  readonly port: number;
  close(): Promise<void>;
}

const levels = new Set(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']);
/** For how long a changed level holds, in milliseconds. */
const changedLevelMs = 15 * 60_000;
const bodyBytes = 200;
const closedMs = 1_000;

/**
 * Health, metrics and the level of the log on a port of its own, for the operator's network. It asks no credential and
 * takes no turn, so it answers when the gate is full (docs/runbooks/operate.md#the-management-port).
 */
export async function openManagement(options: ManagementOptions): Promise<Result<Management, StartFailure>> {
  const { host, port, clock, logger } = options;
  const setting = logger.level;
  let cancel = (): void => undefined;
  const change = (level: string): void => {
    cancel();
    logger.level = level;
    cancel = clock.after(changedLevelMs, () => {
      logger.level = setting;
    });
  };
  const server = createServer(
    { requestTimeout: 5_000, headersTimeout: 5_000, maxHeaderSize: 8_192 },
    (request, response) => {
      answer(options, change, request, response).catch(() => {
        if (!response.headersSent) send(response, 500, { error: 'failed' });
      });
    },
  );
  const failure = await new Promise<Error | undefined>((resolve) => {
    server.once('error', resolve);
    server.listen(port, host, () => resolve(undefined));
  });
  if (failure !== undefined)
    return err({
      code: 'management',
      message: `The management port ${host}:${port} cannot be opened: ${failure.message}`,
    });
  const address = server.address();
  return ok({
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: () => {
      cancel();
      return new Promise((resolve) => {
        const impatient = clock.after(closedMs, () => server.closeAllConnections());
        server.close(() => {
          impatient();
          resolve();
        });
        server.closeIdleConnections();
      });
    },
  });
}

async function answer(
  { metrics, ready, logger }: ManagementOptions,
  change: (level: string) => void,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const what = `${request.method ?? ''} ${(request.url ?? '').split('?')[0] ?? ''}`;
  if (what === 'GET /livez') return send(response, 200, { status: 'ok' });
  if (what === 'GET /readyz') {
    const { ready: isReady, parts } = ready();
    return send(response, isReady ? 200 : 503, { status: isReady ? 'ready' : 'not_ready', parts });
  }
  if (what === 'GET /metrics') {
    const page = await metrics.exposition();
    response.writeHead(200, { 'content-type': metrics.contentType }).end(page);
    return;
  }
  if (what === 'GET /log-level') return send(response, 200, { level: logger.level });
  if (what !== 'POST /log-level') return send(response, 404, { error: 'not_found' });
  const level = await levelIn(request);
  if (level === undefined || !levels.has(level))
    return send(response, 400, { error: `Send {"level": one of ${[...levels].join(', ')}}.` });
  change(level);
  return send(response, 200, { level, for_seconds: changedLevelMs / 1_000 });
}

async function levelIn(request: IncomingMessage): Promise<string | undefined> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += String(chunk);
    if (text.length > bodyBytes) return undefined;
  }
  try {
    const read = JSON.parse(text) as { readonly level?: unknown } | null;
    return typeof read?.level === 'string' ? read.level : undefined;
  } catch {
    return undefined;
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`);
}
