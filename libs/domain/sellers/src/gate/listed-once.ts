import type { SellerTarget, SellerTransport } from '../transport.js';

/**
 * The same transport, which asks for the tools of an agent once for each protocol and version of a credential: several
 * checks of one run need them, and making the list is most of the work of many agents. A refusal is asked again.
 */
export function listedOnce(inner: SellerTransport): SellerTransport {
  const listed = new Map<string, Awaited<ReturnType<SellerTransport['listTools']>>>();
  return {
    call: (target, call, signal) => inner.call(target, call, signal),
    forget: (connectionId) => inner.forget(connectionId),
    close: () => inner.close(),
    listTools: async (target, signal) => {
      const key = keyOf(target);
      const known = listed.get(key);
      if (known !== undefined) return known;
      const tools = await inner.listTools(target, signal);
      if (tools.ok) listed.set(key, tools);
      return tools;
    },
  };
}

const keyOf = ({ protocol, agentUrl, credential, sessionOf }: SellerTarget): string =>
  JSON.stringify([protocol, agentUrl, credential?.id, credential?.version, sessionOf]);
