import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

type Row = Record<string, unknown>;

/**
 * What an authorization server keeps: clients that registered, grants and tokens, in one file of mode 0600. Rows have an
 * end, in seconds since 1970, and are dropped after it.
 */
export class SignInStore {
  readonly #rows: Map<string, Row>;

  constructor(private readonly path: string) {
    const kept = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Record<string, Row>) : {};
    this.#rows = new Map(Object.entries(kept).filter(([, row]) => isAlive(row)));
  }

  /** The storage of one kind of objects, as `oidc-provider` calls it. */
  adapterOf(model: string): {
    upsert(id: string, row: object, lifeSeconds?: number): Promise<undefined>;
    find(id: string): Promise<Row | undefined>;
    findByUid(uid: string): Promise<Row | undefined>;
    findByUserCode(code: string): Promise<Row | undefined>;
    consume(id: string): Promise<undefined>;
    destroy(id: string): Promise<undefined>;
    revokeByGrantId(grantId: string): Promise<undefined>;
  } {
    const nothing = Promise.resolve(undefined);
    const by = (name: string, value: string): Promise<Row | undefined> =>
      Promise.resolve(
        [...this.#rows].find(([key, row]) => key.startsWith(`${model} `) && row[name] === value)?.[1],
      );
    return {
      upsert: (id, row, lifeSeconds) => {
        const ends = lifeSeconds === undefined ? {} : { ends_at: nowSeconds() + lifeSeconds };
        this.#rows.set(`${model} ${id}`, { ...row, ...ends });
        this.#save();
        return nothing;
      },
      find: (id) => {
        const row = this.#rows.get(`${model} ${id}`);
        return Promise.resolve(row !== undefined && isAlive(row) ? row : undefined);
      },
      findByUid: (uid) => by('uid', uid),
      findByUserCode: (code) => by('userCode', code),
      consume: (id) => {
        const row = this.#rows.get(`${model} ${id}`);
        if (row !== undefined) row['consumed'] = nowSeconds();
        this.#save();
        return nothing;
      },
      destroy: (id) => {
        this.#rows.delete(`${model} ${id}`);
        this.#save();
        return nothing;
      },
      revokeByGrantId: (grantId) => {
        for (const [key, row] of this.#rows) if (row['grantId'] === grantId) this.#rows.delete(key);
        this.#save();
        return nothing;
      },
    };
  }

  /** Written to a new file and renamed, so that a kill leaves either the old file or the new one. */
  #save(): void {
    const draft = `${this.path}.new`;
    const living = [...this.#rows].filter(([, row]) => isAlive(row));
    writeFileSync(draft, JSON.stringify(Object.fromEntries(living)), { mode: 0o600 });
    renameSync(draft, this.path);
  }
}

const nowSeconds = (): number => Math.floor(Date.now() / 1000);
const isAlive = ({ ends_at: end }: Row): boolean => typeof end !== 'number' || end > nowSeconds();
