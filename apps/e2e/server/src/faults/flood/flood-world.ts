import { operationStore, openStore } from '@switchyard/store';
import { createConnection, makeOperation } from '@switchyard/testing';
import type { FloodBuy } from './flood-plan.js';

/**
 * Inserts sellers and buys into an instance's database as its owner: each buy waits for its seller's task, and each
 * seller has its two webhook addresses.
 */
export async function makeFloodWorld(
  ownerUrl: string,
  organizationId: string,
  agents: readonly { readonly agentUrl: string; readonly slug: string }[],
  buysWanted: number,
): Promise<readonly FloodBuy[]> {
  const store = openStore(ownerUrl);
  const operations = operationStore(store);
  const scope = { organizationId };
  try {
    const connections = await Promise.all(
      agents.map(({ slug, agentUrl }) =>
        createConnection(store, organizationId, { slug, agentUrl, form: '3.1' }),
      ),
    );
    const buys: FloodBuy[] = [];
    for (let index = 0; index < buysWanted; index += 1) {
      const seller = index % connections.length;
      const connection = connections[seller];
      if (connection === undefined) throw new Error('There is no seller.');
      const made = makeOperation(scope, {
        sellers: [connection.slug],
        connectionIds: { [connection.slug]: connection.id },
        createdAt: Date.now(),
      });
      const sellerTaskId = `their-task-${String(index)}`;
      // The running server would send a leg that is not marked as sent, and its seller does not answer.
      const legs = made.legs.map(
        (leg) => ({ ...leg, status: 'submitted', sellerTaskId, observedBy: 'poll' }) as const,
      );
      await operations.begin(scope, { ...made, legs });
      const addressOf = (kind: 'task' | 'report'): string =>
        made.registrations.find((registration) => registration.kind === kind)?.id ?? '';
      buys.push({
        seller,
        mediaBuyId: made.buy.id,
        sellerMediaBuyId: `their-buy-${String(index)}`,
        sellerTaskId,
        sellerOperationId: made.registrations[0]?.sellerOperationId ?? '',
        packages: made.packages.map((_, at) => `their-package-${String(index)}-${String(at)}`),
        taskAddress: addressOf('task'),
        reportAddress: addressOf('report'),
      });
    }
    return buys;
  } finally {
    await store.close();
  }
}
