import { Buffer } from 'node:buffer';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connectionDirectory } from '@switchyard/store';
import { must, Secret } from '@switchyard/values';
import { destinationOf } from '@switchyard/vault';
import { applyInbox } from './apply-inbox.js';
import { specInbox, taskUpdate, type SpecInbox, type SpecSeller } from '../testkit/inbox.js';

/** Webhooks of a seller that writes our own credential into them. */
const token = 'tok_of_ours_0123456789';

let inbox: SpecInbox;
let seller: SpecSeller;

beforeAll(async () => {
  inbox = await specInbox();
  seller = await inbox.seller();
  const { id: connectionId, slug, agentUrl } = seller.connection;
  const secret = new Secret(Buffer.from(token));
  const { credentialId } = must(
    await inbox.vault.put(inbox.scope, {
      kind: 'bearer',
      secret,
      connectionId,
      seller: slug,
      destination: destinationOf(agentUrl),
    }),
  );
  await connectionDirectory(inbox.store).update(
    inbox.scope,
    connectionId,
    { credentialId },
    inbox.clock.now(),
  );
});
afterAll(() => inbox.close());

describe('a webhook that contains our credential', () => {
  it('is stored without it, and applied like any other', async () => {
    const update = {
      ...taskUpdate(seller, 'failed', {}),
      message: `Bearer ${token} has no budget left.`,
    };
    const answer = await inbox.post(seller, update, { address: seller.taskAddress });
    expect(answer.status).toBe(200);
    await applyInbox(inbox.deps, inbox.scope);

    const [event] = await inbox.admin.list(inbox.caller, { seller: seller.connection.slug });
    expect(event).toMatchObject({ state: 'applied', kind: 'task_status' });
    const rows = await inbox.store.inTenant(inbox.scope, (client) =>
      client.query<{ body: string }>("select convert_from(body, 'UTF8') as body from inbox_event"),
    );
    expect(rows.rows.map(({ body }) => body).join()).toContain('Bearer [secret] has no budget left.');
    const leg = await inbox.deps.ports.store.leg(inbox.scope, seller.legId);
    expect(leg?.status).toBe('failed');
    expect(JSON.stringify([leg, rows.rows, event])).not.toContain(token);
  });

  it('raises an alarm, and one with another secret does not', async () => {
    const update = taskUpdate(seller, 'working');
    const authentication = { schemes: ['Bearer'], credentials: 'somebody-elses-secret-0123456789' };
    const posting = { address: seller.taskAddress };
    const before = inbox.echoes.length;
    expect((await inbox.post(seller, { ...update, authentication }, posting)).status).toBe(200);
    expect(inbox.echoes).toHaveLength(before);
    const again = { ...taskUpdate(seller, 'working'), message: `You are Bearer ${token}.` };
    expect((await inbox.post(seller, again, posting)).status).toBe(200);
    expect(inbox.echoes.slice(before)).toEqual([seller.connection.id]);
  });

  it('queries the vault once a minute, and uses the known credentials while the vault is unavailable', async () => {
    const uses = async (): Promise<number> => {
      const { rows } = await inbox.store.inTenant(inbox.scope, (client) =>
        client.query<{ count: number }>(
          "select count(*)::int as count from credential_use where purpose = 'webhook_in'",
        ),
      );
      return rows[0]?.count ?? 0;
    };
    const before = await uses();
    for (let round = 0; round < 3; round += 1)
      await inbox.post(
        seller,
        { ...taskUpdate(seller, 'completed'), message: token },
        { address: seller.taskAddress },
      );
    expect(await uses()).toBe(before);
    await inbox.vault.revoke(
      inbox.scope,
      (await connectionDirectory(inbox.store).byId(inbox.scope, seller.connection.id))?.credentialId ?? '',
    );
    // The last webhook is recent, and the credential opened for the first one is more than a minute old.
    inbox.clock.advance(59_000);
    await inbox.post(
      seller,
      { ...taskUpdate(seller, 'completed'), message: token },
      { address: seller.taskAddress },
    );
    inbox.clock.advance(59_000);
    await inbox.post(
      seller,
      { ...taskUpdate(seller, 'completed'), message: token },
      { address: seller.taskAddress },
    );
    const { rows } = await inbox.store.inTenant(inbox.scope, (client) =>
      client.query<{ count: number }>(
        "select count(*)::int as count from inbox_event where position(convert_to($1, 'UTF8') in body) > 0",
        [token],
      ),
    );
    expect(rows[0]?.count).toBe(0);
  });
});
