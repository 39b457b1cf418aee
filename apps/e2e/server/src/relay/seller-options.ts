export interface SellerOptions {
  readonly protocol: 'mcp' | 'a2a';
  /** Over MCP: refuses requests without a session, and identifies callers only by their session. */
  readonly wantsSessions?: boolean;
  /** Answers tasks as an event stream with progress events; over A2A only if requested. */
  readonly streams?: boolean;
  /** True if its capabilities declare signed webhooks; otherwise they declare nothing. */
  readonly signsWebhooks?: boolean;
}
