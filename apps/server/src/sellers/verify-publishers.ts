import type { AuthorizedProperty, PublisherAuthorization } from '@switchyard/protocol';
import type { Connection, PublisherStatement, StatementOn } from '@switchyard/sellers';
import type { JsonValue } from '@switchyard/values';
import type { HandlerDeps } from '../platform/tasks/call/handler.js';

/** How long an answer waits for publishers, in milliseconds: most are known from an earlier read. */
const waitsForListsMs = 3_000;
const waitsForCapabilitiesMs = 1_000;
const namedAtMost = 5;

interface VerifiedProperties {
  readonly properties: readonly AuthorizedProperty[];
  /** One finding per seller for what publishers do not let it sell, which is left out. */
  readonly denied: readonly JsonValue[];
}

/**
 * Checks what sellers claim to sell against each publisher's own document (docs/protocol/products.md#publishers). If a
 * publisher lists others and not this seller, the claim is removed; if it cannot be read or says nothing, the claim
 * stays, and the answer says that it is not verified.
 */
export async function verifyPublishers(
  { publishers }: HandlerDeps,
  connections: readonly Connection[],
  claimed: readonly AuthorizedProperty[],
  leftMs: number,
): Promise<VerifiedProperties> {
  if (publishers === undefined) return { properties: claimed, denied: [] };
  const names = claimed.map(({ publisherDomain }) => publisherDomain);
  const statementOn = await publishers.of(names, Math.min(leftMs, waitsForListsMs));
  const denied = new Map<string, string[]>();
  const properties = claimed.flatMap(({ publisherDomain, sellers }) => {
    const statements = sellers.map((seller) => ({
      seller,
      statement: statementFor(statementOn, connections, publisherDomain, seller),
    }));
    const stored = statements.flatMap(({ seller, statement }) => authorizationOf(seller, statement) ?? []);
    for (const { seller, statement } of statements)
      if (statement.state === 'not_authorized')
        denied.set(seller, [...(denied.get(seller) ?? []), publisherDomain]);
    return stored.length === 0
      ? []
      : [{ publisherDomain, sellers: stored.map(({ seller }) => seller), authorization: stored }];
  });
  return { properties, denied: [...denied].map(([seller, domains]) => denialOf(seller, domains)) };
}

/** Publishers that live sellers name and that do not deny it, in order of name. */
export async function publishersBehind(
  { publishers }: HandlerDeps,
  live: readonly Connection[],
): Promise<readonly string[]> {
  const named = live.flatMap(({ agentUrl, capabilities }) =>
    (capabilities?.publisherDomains ?? []).map((publisher) => ({ publisher, agentUrl })),
  );
  const statementOn = await publishers?.of(
    named.map(({ publisher }) => publisher),
    waitsForCapabilitiesMs,
  );
  const stored = named.filter(
    ({ publisher, agentUrl }) => statementOn?.(publisher, agentUrl).state !== 'not_authorized',
  );
  return [...new Set(stored.map(({ publisher }) => publisher))].sort();
}

function statementFor(
  statementOn: StatementOn,
  connections: readonly Connection[],
  publisher: string,
  seller: string,
): PublisherStatement {
  const agentUrl = connections.find(({ slug }) => slug === seller)?.agentUrl;
  return agentUrl === undefined
    ? { state: 'unverified', reason: 'not_in_time' }
    : statementOn(publisher, agentUrl);
}

function authorizationOf(seller: string, statement: PublisherStatement): PublisherAuthorization | undefined {
  if (statement.state === 'not_authorized') return undefined;
  if (statement.state === 'unverified') return { seller, ...statement };
  const { delegation } = statement;
  return {
    seller,
    state: 'authorized',
    ...(delegation === undefined ? {} : { delegationType: delegation }),
  };
}

function denialOf(seller: string, domains: readonly string[]): JsonValue {
  const some = domains.slice(0, namedAtMost).join(', ');
  const more = domains.length > namedAtMost ? ` and ${String(domains.length - namedAtMost)} more` : '';
  const message = `By their own adagents.json these publishers do not let it sell for them: ${some}${more}.`;
  return { seller, code: 'PUBLISHER_NOT_AUTHORIZED', message };
}
