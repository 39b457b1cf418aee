import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { openStore } from '@switchyard/store';
import { parquetRows } from '@switchyard/tables';
import { createConnection, createOrganization, openTestStore } from '@switchyard/testing';
import { must } from '@switchyard/values';
import { startBucket } from '../testkit/bucket.js';
import { addReader, exportReports, listReaders, removeReader } from './reports.js';

const { store, database, stop } = await openTestStore(openStore);
const folder = mkdtempSync(join(tmpdir(), 'switchyard-reports-'));
afterAll(stop);
afterAll(() => rmSync(folder, { recursive: true }));

const at = {
  env: { DATABASE_URL: database.appUrl, DATABASE_OWNER_URL: database.ownerUrl },
  dataDir: folder,
};

interface Manifest {
  readonly day: string;
  readonly files: readonly {
    readonly view: string;
    readonly path: string;
    readonly rows: number;
    readonly sha256: string;
  }[];
}

describe('an export of reports', () => {
  it('sends the files of each organization to a bucket, each signed, the manifest after all that it names', async () => {
    const organization = await createOrganization(store);
    const bucket = await startBucket('AKIDSPEC');
    const env = {
      ...at.env,
      SWITCHYARD_BUCKET_ENDPOINT: bucket.url,
      SWITCHYARD_BUCKET_KEY_ID: 'AKIDSPEC',
      SWITCHYARD_BUCKET_SECRET: 'hunter2',
    };
    const to = { ...at, env, to: 's3://figures/agency', format: 'csv', day: '2026-10-02' } as const;
    must(await exportReports(to));
    const own = bucket.objects.filter(({ path }) => path.includes(`/${organization.slug}/`));
    expect(own).toHaveLength(9);
    const last = own.at(-1);
    expect(last?.path).toBe(`/figures/agency/${organization.slug}/manifest/date%3D2026-10-02.json`);
    const manifest = JSON.parse(String(last?.body)) as Manifest;
    for (const { path, sha256 } of manifest.files) {
      const sent = own.find((each) => each.path === `/figures/agency/${path.replaceAll('=', '%3D')}`);
      expect(
        createHash('sha256')
          .update(sent?.body ?? '')
          .digest('hex'),
      ).toBe(sha256);
    }
    const wrong = await exportReports({ ...to, env: { ...env, SWITCHYARD_BUCKET_KEY_ID: 'ANOTHER' } });
    expect(JSON.stringify(wrong)).toContain('403, SignatureDoesNotMatch');
    expect(JSON.stringify(wrong)).not.toContain('hunter2');
    expect(await exportReports({ ...to, env: at.env })).toMatchObject({ ok: false });
    expect(await exportReports({ ...to, to: 's3://No_Bucket' })).toMatchObject({ ok: false });
    await bucket.close();
  });

  it('reads from the database of SWITCHYARD_READ_URL, and from no other one where that is away', async () => {
    const organization = await createOrganization(store);
    const read = (url: string) =>
      exportReports({
        ...at,
        env: { ...at.env, SWITCHYARD_READ_URL: url },
        to: join(folder, 'replica'),
        format: 'csv',
        day: '2026-10-02',
      });
    expect(must(await read(database.appUrl)).map(({ organization: slug }) => slug)).toContain(
      organization.slug,
    );
    expect(await read('postgresql://nobody:hunter2@127.0.0.1:1/none')).toMatchObject({ ok: false });
  });

  it.each(['csv', 'parquet'] as const)(
    'writes the rows of each organization as %s into its own folder, and a manifest that names every file',
    async (format) => {
      const organization = await createOrganization(store);
      const other = await createOrganization(store);
      await createConnection(store, organization.id, { slug: 'ours', name: 'a "quoted", name' });
      await createConnection(store, other.id, { slug: 'theirs' });
      const to = join(folder, format);
      const day = '2026-10-02';
      const exported = must(await exportReports({ ...at, to, format, day }));
      const own = exported.find((each) => each.organization === organization.slug);
      const manifest = JSON.parse(readFileSync(join(to, own?.manifest ?? ''), 'utf8')) as Manifest;
      expect([manifest.day, manifest.files.length]).toEqual([day, 8]);
      for (const { path, sha256 } of manifest.files) {
        const bytes = readFileSync(join(to, path));
        expect([path, createHash('sha256').update(bytes).digest('hex')]).toEqual([path, sha256]);
        expect(bytes.includes('theirs')).toBe(false);
      }
      const sellers = manifest.files.find(({ view }) => view === 'sellers');
      expect(sellers).toMatchObject({
        rows: 1,
        path: `${organization.slug}/sellers/date=${day}/part.${format}`,
      });
      const path = join(to, sellers?.path ?? '');
      if (format === 'csv') {
        const [head, row] = readFileSync(path, 'utf8').split('\r\n');
        expect(head).toMatch(/^seller,name,/);
        expect(row).toMatch(/^ours,"a ""quoted"", name",/);
      } else {
        const rows: unknown[] = [];
        for await (const part of parquetRows(path, { seller: 'text', name: 'text', is_sandbox: 'boolean' }))
          rows.push(...part);
        expect(rows).toMatchObject([{ seller: 'ours', name: 'a "quoted", name' }]);
      }
      // Again: the same names, and nothing half written is left.
      must(await exportReports({ ...at, to, format, day }));
      expect(readdirSync(join(path, '..'))).toEqual([`part.${format}`]);
    },
  );
});

describe('readers of reports', () => {
  it('are made for an organization that exists, listed, and removed', async () => {
    const { slug } = await createOrganization(store);
    expect(await addReader(at, { organization: 'nobody' })).toMatchObject({ ok: false });
    expect(await addReader(at, { organization: slug, role: 'A b' })).toMatchObject({ ok: false });
    const { role, password } = must(await addReader(at, { organization: slug }));
    expect(role).toMatch(/^bi_[a-z0-9_]+$/);
    expect(password.length).toBeGreaterThan(20);
    expect(must(await listReaders(at))).toMatchObject([{ role, organization: slug }]);
    must(await removeReader(at, role));
    expect(await removeReader(at, role)).toMatchObject({ ok: false });
    expect(must(await listReaders(at))).toEqual([]);
  });
});
