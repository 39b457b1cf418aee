/** An MCP session without the SDK, for callers that do not use its client. */
import { request } from 'undici';

export const accept = 'application/json, text/event-stream';

/** The headers of a session, if the seller opens one; else none. */
export async function sessionAt(url, dispatcher, headers = {}) {
  const ask = (message, more = {}) =>
    request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept, ...headers, ...more },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      dispatcher,
    });
  const clientInfo = { name: 'bench', version: '1' };
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
  const answer = await ask({ id: 0, method: 'initialize', params });
  await answer.body.dump();
  const id = answer.headers['mcp-session-id'];
  const session = {
    'mcp-protocol-version': '2025-06-18',
    ...(id === undefined ? {} : { 'mcp-session-id': id }),
  };
  await (await ask({ method: 'notifications/initialized' }, session)).body.dump();
  return session;
}
