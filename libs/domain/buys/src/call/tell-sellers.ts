import { inRelease, lifecycleReleaseOf, releaseNames, type ToldSeller } from '@switchyard/protocol';
import { targetOf, type Connection } from '@switchyard/sellers';
import type { JsonObject } from '@switchyard/values';
import type { Mutation } from '../model/caller.js';
import { deriveKey } from '../model/keys.js';
import type { BuysPorts } from '../model/ports.js';

/** How long a seller may take, in milliseconds. */
const tellMs = 15_000;

/**
 * Tells sellers what changes nothing that we hold: no operation is stored. Each gets a key of its own, which a repetition of
 * the buyer's call repeats. Answers what those said that have the tool, are live and answered without an error, by slug.
 */
export async function tellSellers(
  ports: Pick<BuysPorts, 'transport' | 'lease' | 'signerFor' | 'clock' | 'ids' | 'connections'>,
  by: Pick<Mutation<unknown>, 'scope' | 'principalId'> & { readonly buyerKey: string },
  told: readonly ToldSeller[],
): Promise<ReadonlyMap<string, JsonObject>> {
  const connections = await ports.connections.list(by.scope);
  const able = told.flatMap((one) => {
    const connection = connections.find(({ slug }) => slug === one.slug);
    const isAble = connection?.state === 'live' && Object.hasOwn(connection.tools ?? {}, one.tool);
    return isAble ? [{ ...one, connection }] : [];
  });
  if (able.length === 0) return new Map();
  const use = { operationId: ports.ids.uuid(), purpose: able[0]?.tool ?? '' };
  const secrets = await ports.lease(
    by.scope,
    able.map(({ connection }) => connection),
    use,
  );
  if (!secrets.ok) return new Map();
  const said = await Promise.all(
    able.map(async ({ slug, tool, args, connection }): Promise<readonly [string, JsonObject] | undefined> => {
      const own = secrets.value.get(connection.id);
      if (own?.keySecret === undefined) return undefined;
      if (connection.credentialId !== undefined && own.credential === undefined) return undefined;
      const key = { principalId: by.principalId, task: tool, buyerKey: by.buyerKey, operationId: '' };
      const payload = await tell(ports, connection, own.credential, {
        tool,
        args: { ...args, idempotency_key: deriveKey(own.keySecret, key) },
      });
      return payload === undefined ? undefined : [slug, payload];
    }),
  );
  return new Map(said.filter((one) => one !== undefined));
}

async function tell(
  { transport, clock }: Pick<BuysPorts, 'transport' | 'clock'>,
  connection: Connection,
  credential: Parameters<typeof targetOf>[1],
  { tool, args }: { readonly tool: string; readonly args: JsonObject },
): Promise<JsonObject | undefined> {
  const release = lifecycleReleaseOf(connection.tools) ?? releaseNames[0];
  const stop = new AbortController();
  const cancel = clock.after(tellMs, () => stop.abort());
  const sent = release === undefined ? args : inRelease(args, connection.dialect, release);
  const said = await transport
    .call(targetOf(connection, credential), { tool, args: sent }, stop.signal)
    .finally(cancel);
  return said.ok && !said.value.isError ? said.value.payload : undefined;
}
