/** The floor: one `undici` agent and a loop. No session, no guard, no breaker, no check beyond the benchmark's own. */
import { Agent, request } from 'undici';

export async function undiciLoop(sellers) {
  const dispatcher = new Agent({ connections: 8, keepAliveTimeout: 60_000 });
  let id = 0;
  const ask = async ({ slug, token, url }, brief) => {
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: (id += 1),
      method: 'tools/call',
      params: { name: 'get_products', arguments: { brief, buying_mode: 'brief' } },
    });
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const answer = await request(url, { method: 'POST', dispatcher, headers, body });
    const { result } = await answer.body.json();
    return { slug, name: result.structuredContent.products[0].name };
  };
  return {
    ask: (brief, only) => Promise.all((only ?? sellers).map((seller) => ask(seller, brief))),
    close: () => dispatcher.close(),
  };
}
