import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, freePort } from '@switchyard/testing';
import { must } from '@switchyard/values';
import { openQuietly } from './open-quietly.js';
import { recordingSellers, type RecordingSellers, type Wire } from './recording-sellers.js';

/** The whole product with its endpoints open on loopback, and a buyer's token. */
interface OpenedEndpoints {
  /** The URL of the endpoints, and the buyer's token. */
  readonly at: { readonly url: string; readonly token: string };
  /** The URL of the database as its owner. */
  readonly ownerUrl: string;
  readonly close: () => Promise<void>;
}

/**
 * Opens the whole product on a real database, with one recording seller per form, all of them live. As the role `http`
 * alone it sends no requests of its own to sellers.
 */
export async function openEndpoints(
  sellers: RecordingSellers,
  wire: Wire,
  env: Readonly<Record<string, string>> = {},
  role?: 'http',
): Promise<OpenedEndpoints> {
  const database = await createTestDatabase();
  const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-passages-'));
  const port = await freePort();
  const switchyard = await openQuietly(database, dataDir, {
    env: {
      SWITCHYARD_RATE_WRITES: '1000/10000',
      ...(role === undefined ? {} : { SWITCHYARD_PUBLIC_URL: `http://127.0.0.1:${String(port)}` }),
      ...env,
    },
    ...(role === undefined ? {} : { role, port }),
  });
  const imported = must(
    await switchyard.admin.importSellers(
      switchyard.operator,
      recordingSellers.map(({ slug, form, dialect }) => ({
        slug,
        form,
        dialect,
        protocol: wire,
        agentUrl: sellers.urlOf(slug),
      })),
    ),
  );
  const failed = imported.filter(({ state }) => state !== 'live');
  if (failed.length > 0) throw new Error(JSON.stringify(failed));
  return {
    at: { url: switchyard.url, token: await switchyard.issueToken() },
    ownerUrl: database.ownerUrl,
    close: async () => {
      await switchyard.close();
      await sellers.close();
      await database.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
