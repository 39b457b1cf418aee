import type { FastifyRequest } from 'fastify';
import type { ServerPorts } from '../server.js';
import type { OAuthServer } from '../sign-in/oauth/oauth-server.js';
import type { Schemes } from './access/schemes.js';
import type { Secret } from '@switchyard/values';

/** Nest's token for what every door is given. */
export const DOORS = Symbol('what stands behind the doors');

export interface HttpContext extends ServerPorts {
  readonly publicOrganizationId?: string;
  readonly adminSecret?: Secret;
  /**
   * Names of the certificates of proxies that may hand over their caller's certificate
   * (docs/protocol/accounts.md#credentials-of-callers).
   */
  readonly certificateProxies: readonly string[];
  /** The authorization server of these doors, which verifies the tokens that it has given; absent where there is none. */
  readonly accessTokens?: OAuthServer;
  /** How callers may show who they are, for telling them. */
  readonly schemes: Schemes;
  /** Where a request comes from, for counting. */
  readonly addressOf: (request: FastifyRequest) => string;
  /** Whether it was made on this machine, and not by a proxy that stands on it. */
  readonly fromThisMachine: (request: FastifyRequest) => boolean;
  readonly version: string;
  /** What stands in the text of an answer over MCP. */
  readonly mcpText: 'summary' | 'json';
  readonly onUnexpected: (error: unknown, where: string) => void;
  /** Base address that callers know us by, without a trailing slash. Known once we listen. */
  url(): string;
}
