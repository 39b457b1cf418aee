import {
  questionOf,
  readThingPage,
  thingOf,
  type Connection,
  type ConnectionDirectory,
  type OwnedThing,
  type ThingRead,
} from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import { err, ok, type Instant, type Result } from '@switchyard/values';
import { sellerTarget, type InspectDeps } from '../onboarding/inspect-seller.js';

/** How long all pages together may take, in milliseconds. */
const readsMs = 60_000;
/** Bytes of one page. */
const mostBytes = 2_000_000;
const mostPages = 100;
const mostEntries = 50_000;

/** The live agent of governance at this address: nobody else is asked about what it owns, or believed. */
export async function ownerAt(
  connections: Pick<ConnectionDirectory, 'list'>,
  scope: TenantScope,
  agentUrl: string,
): Promise<Connection | undefined> {
  const all = await connections.list(scope);
  return all.find(
    (one) => one.agentUrl === agentUrl && one.kinds.includes('governance') && one.state === 'live',
  );
}

/**
 * Reads a list or content standards from the agent that owns it, with our credential there, page by page. The error says
 * why in words that follow "It could not be read again:".
 */
export async function readFromOwner(
  deps: InspectDeps,
  scope: TenantScope,
  owner: Connection,
  thing: OwnedThing,
): Promise<Result<ThingRead, string>> {
  const target = await sellerTarget(deps, scope, owner);
  if (target === undefined) return err('our credential for its agent cannot be used now');
  const stop = new AbortController();
  const cancel = deps.clock.after(readsMs, () => stop.abort());
  const entries: string[] = [];
  const cursors = new Set<string | undefined>();
  let cursor: string | undefined;
  let validUntil: Instant | undefined;
  try {
    for (let page = 0; page < mostPages; page += 1) {
      cursors.add(cursor);
      const asked = { ...questionOf(thing, cursor), maxAnswerBytes: mostBytes };
      const answered = await deps.transport.call(target, asked, stop.signal);
      if (!answered.ok) return err(answered.error.message.slice(0, 300));
      if (answered.value.isError) return err('its agent refused to show it');
      const read = readThingPage(thing, answered.value.payload);
      if (!read.ok) return read;
      entries.push(...read.value.entries);
      validUntil = read.value.validUntil ?? validUntil;
      cursor = read.value.next;
      if (entries.length > mostEntries) return err(`it has more than ${String(mostEntries)} entries`);
      if (cursor === undefined) return ok(thingOf(entries, validUntil));
      if (cursors.has(cursor)) return err('its agent gives the same page again');
    }
    return err(`it has more than ${String(mostPages)} pages`);
  } finally {
    cancel();
  }
}
