/** The public SDK's multi-agent client, as its users run it; `inFlight` limits its concurrent calls. */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

// It is installed only for the interop tests: its dependencies and ours conflict.
const fromInterop = createRequire(new URL('../../../apps/e2e/interop/package.json', import.meta.url));

export async function adcpSdk(sellers, { inFlight = Number.POSITIVE_INFINITY } = {}) {
  const { ADCPMultiAgentClient } = await import(pathToFileURL(fromInterop.resolve('@adcp/sdk')).href);
  const client = new ADCPMultiAgentClient(
    sellers.map(({ slug, token, url }) => ({
      id: slug,
      name: slug,
      agent_uri: url,
      protocol: 'mcp',
      auth_token: token,
    })),
    { debug: false },
  );
  const ask = async (slug, brief) => {
    try {
      const result = await client.agent(slug).getProducts({ brief, buying_mode: 'brief' });
      const name = result.data?.products?.[0]?.name;
      return name === undefined ? { slug, error: result.error ?? result.status } : { slug, name };
    } catch (error) {
      return { slug, error: error instanceof Error ? error.message : 'failed' };
    }
  };
  return {
    ask: async (brief, only = sellers) => {
      const waiting = [...only];
      const answers = [];
      const lanes = Array.from({ length: Math.min(inFlight, waiting.length) }, async () => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
          answers.push(await ask(next.slug, brief));
        }
      });
      await Promise.all(lanes);
      return answers;
    },
    close: () => Promise.resolve(),
  };
}
