/** How a seller is called: over MCP, over A2A, or by the connector of that name (docs/guides/connectors.md). */
export type SellerProtocol = 'mcp' | 'a2a' | (string & {});

/** What a connector may be called. */
export const protocolPattern = /^[a-z][a-z0-9-]{1,39}$/;

interface ProtocolTraits {
  /** Whether it lists its tools by name. The skills of an A2A agent are no names of tasks. */
  readonly listsTools: boolean;
  /** Whether it has tasks of its own, which are polled, continued and told by push beside those of our messages. */
  readonly hasNativeTasks: boolean;
  /** Its method that carries our tasks, by which a seller may ask for signatures. */
  readonly carrier?: string;
}

const traits = new Map<SellerProtocol, ProtocolTraits>([
  ['mcp', { listsTools: true, hasNativeTasks: false, carrier: 'tools/call' }],
  ['a2a', { listsTools: false, hasNativeTasks: true, carrier: 'message/send' }],
]);
const ofConnectors: ProtocolTraits = { listsTools: true, hasNativeTasks: false };

/** What a protocol brings by itself. Whoever asks for this needs to know no protocol by name. */
export const traitsOf = (protocol: SellerProtocol): ProtocolTraits => traits.get(protocol) ?? ofConnectors;
