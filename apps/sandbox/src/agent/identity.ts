import { createPrivateKey, createPublicKey, randomBytes, type KeyObject } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateSigningKey } from '@switchyard/signing';

/** The data that keeps an agent the same after a restart. */
export interface Identity {
  readonly token: string;
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** The port of the last start, if there was one: platforms store agent URLs. */
  readonly port?: number;
}

interface Stored {
  token: string;
  kid: string;
  privateKeyPem: string;
  port?: number;
}

/** Stores identities in one file of mode 0600. Tokens and keys are random per data folder, not derived from the seed. */
export class Identities {
  readonly #path: string;
  readonly #kept: Record<string, Stored>;

  constructor(dataDir: string) {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    this.#path = join(dataDir, 'identities.json');
    this.#kept = existsSync(this.#path)
      ? (JSON.parse(readFileSync(this.#path, 'utf8')) as Record<string, Stored>)
      : {};
  }

  of(slug: string): Identity {
    const stored = (this.#kept[slug] ??= newIdentity(slug));
    const privateKey = createPrivateKey(stored.privateKeyPem);
    const port = stored.port === undefined ? {} : { port: stored.port };
    return {
      token: stored.token,
      kid: stored.kid,
      privateKey,
      publicKey: createPublicKey(privateKey),
      ...port,
    };
  }

  rememberPort(slug: string, port: number): void {
    const stored = this.#kept[slug];
    if (stored) stored.port = port;
  }

  /** Written to a new file and renamed, so that a kill leaves either the old file or the new one. */
  save(): void {
    const draft = `${this.#path}.new`;
    writeFileSync(draft, JSON.stringify(this.#kept, null, 2), { mode: 0o600 });
    renameSync(draft, this.#path);
  }
}

function newIdentity(slug: string): Stored {
  const { kid, privateKey } = generateSigningKey(`${slug}-${randomBytes(4).toString('hex')}`);
  return {
    token: randomBytes(32).toString('base64url'),
    kid,
    privateKeyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
