import type { FastifyRequest } from 'fastify';
import type { ServerPorts } from '../../main/server.js';
import type { OAuthServer } from '../../people/oauth/oauth-server.js';
import type { Schemes } from './access/schemes.js';
import type { Secret } from '@switchyard/values';

/** Nest's token of the dependencies of every controller. */
export const HTTP_CONTEXT = Symbol('HTTP_CONTEXT');

export interface HttpContext extends ServerPorts {
  readonly publicOrganizationId?: string;
  readonly adminSecret?: Secret;
  /**
   * Certificate names of proxies that may pass their caller's certificate
   * (docs/protocol/accounts.md#credentials-of-callers).
   */
  readonly certificateProxies: readonly string[];
  /** The authorization server of this instance, which verifies its own tokens; absent if there is none. */
  readonly accessTokens?: OAuthServer;
  /** The accepted authentication schemes, for answers that name them. */
  readonly schemes: Schemes;
  /** The address that a request is counted under. */
  readonly addressOf: (request: FastifyRequest) => string;
  /** Whether it was made on this machine, and not by a proxy on it. */
  readonly fromThisMachine: (request: FastifyRequest) => boolean;
  readonly version: string;
  /** The text of an answer over MCP. */
  readonly mcpText: 'summary' | 'json';
  readonly onUnexpected: (error: unknown, where: string) => void;
  /** Public address, without a trailing slash. Known once we listen. */
  url(): string;
}
