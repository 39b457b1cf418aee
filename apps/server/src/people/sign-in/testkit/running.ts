import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '@switchyard/testing';
import { must, Secret } from '@switchyard/values';
import { openSwitchyard, type Switchyard } from '../../../main/open-switchyard.js';

/** An installation on its own database. */
export interface Running {
  readonly server: Switchyard;
  readonly database: TestDatabase;
  /** The operator's token. */
  readonly token: string;
  readonly admin: { readonly authorization: string };
  /** For the owner of the data folder. */
  readonly local: { readonly authorization: string };
  /** Another process of the same installation: one database, one keyring and one public address. */
  startBeside(): Promise<Switchyard>;
  stop(): Promise<void>;
}

const adminSecret = 'the-admin-secret-of-the-suites-of-sign-in';

export async function startRunning(env: Readonly<Record<string, string>> = {}): Promise<Running> {
  const database = await createTestDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-sign-in-'));
  const open = async (dataDir: string, more: Readonly<Record<string, string>>): Promise<Switchyard> =>
    must(
      await openSwitchyard({
        dataDir,
        env: {
          DATABASE_URL: database.appUrl,
          DATABASE_OWNER_URL: database.ownerUrl,
          SWITCHYARD_KEYRING_FILE: join(folder, 'keyring.json'),
          SWITCHYARD_LOG_LEVEL: 'silent',
          ...env,
          ...more,
        },
        port: 0,
        version: '0.0.0',
        adminSecret: new Secret(Buffer.from(adminSecret)),
      }),
    );
  const server = await open(folder, {});
  const beside: Switchyard[] = [];
  const token = await server.issueToken();
  return {
    server,
    database,
    token,
    admin: { authorization: `Bearer ${token}` },
    local: { authorization: `Bearer ${adminSecret}` },
    startBeside: async () => {
      const other = await open(join(folder, `beside-${beside.length}`), {
        SWITCHYARD_PUBLIC_URL: server.url,
      });
      beside.push(other);
      return other;
    },
    stop: async () => {
      for (const other of beside) await other.close();
      await server.close();
      await database.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
