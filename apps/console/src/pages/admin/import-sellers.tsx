import { Alert, Table, Text } from '@mantine/core';
import { useState } from 'react';
import { api, type Answer, type Sent } from '../../api/client.js';
import { ActForm } from '../../parts/forms/act-form.js';
import { FileOrText, readJson } from '../../parts/forms/file-or-text.js';
import { Go } from '../../parts/go.js';
import { clean, Name } from '../../parts/name.js';
import { ScrollTable } from '../../parts/scroll-table.js';

type Draft = NonNullable<Sent<'POST /v1/sellers/import'>['body']>[number];
type Seller = Answer<'GET /v1/sellers'>['sellers'][number];
type Imported = Answer<'POST /v1/sellers/import'>['sellers'][number];

interface Row {
  readonly slug: string;
  readonly address: string;
  /** What the import would change. */
  readonly change: string;
}

/** Onboards many sellers from a file: first what each row changes, then the result of each row. */
export function ImportSellers() {
  const [text, setText] = useState('');
  const [preview, setPreview] = useState<readonly Row[]>();
  const [imported, setImported] = useState<readonly Imported[]>();
  const take = (next: string): void => {
    setText(next);
    setPreview(undefined);
    setImported(undefined);
  };
  const act = async (): Promise<void> => {
    const drafts = draftsIn(text);
    if (preview === undefined) {
      const known = await allSellers();
      setPreview(drafts.map((draft) => rowOf(draft, known)));
      return;
    }
    const { sellers } = await api('POST /v1/sellers/import', { body: drafts });
    // The text may hold tokens.
    take('');
    setImported(sellers);
  };
  return (
    <>
      <ActForm
        title="Import sellers"
        label={preview === undefined ? 'Preview' : `Import ${countText(preview.length)}`}
        act={act}
        isReady={text.trim() !== ''}
      >
        <Text size="sm">
          A list of sellers, each with slug, agent_url, protocol and dialect, and as wanted form, token,
          token_scheme, account, jwks_uri, brand_json_url, legacy_webhooks and relay_signature. A seller that
          is known by its slug is changed and tested again. A file with tokens in it is a secret.
        </Text>
        <FileOrText
          label="File"
          description="JSON, an array of sellers"
          placeholder='[{"slug": "acme", "agent_url": "https://acme.example/mcp", "protocol": "mcp", "dialect": "adcp"}]'
          value={text}
          onChange={take}
        />
        {preview !== undefined && (
          <ScrollTable label="What the import changes">
            <Table.Thead>
              <Table.Tr>
                {['Seller', 'Address', 'What changes'].map((title) => (
                  <Table.Th key={title}>{title}</Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {preview.map(({ slug, address, change }, at) => (
                <Table.Tr key={`${at} ${slug}`}>
                  <Table.Th scope="row">{clean(slug, 63)}</Table.Th>
                  <Table.Td>
                    <Name of={address} most={120} />
                  </Table.Td>
                  <Table.Td>{change}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </ScrollTable>
        )}
      </ActForm>
      {imported !== undefined && <Results of={imported} />}
    </>
  );
}

/** The result of each row, those that are not live first. */
function Results({ of: rows }: { readonly of: readonly Imported[] }) {
  const live = rows.filter(({ state }) => state === 'live').length;
  return (
    <Alert
      color={live === rows.length ? 'good' : 'warn'}
      variant="outline"
      role="status"
      title={`${live} of ${countText(rows.length)} ${rows.length === 1 ? 'is' : 'are'} live.`}
    >
      <Table aria-label="Result of each seller">
        <Table.Tbody>
          {rows
            .toSorted((a, b) => Number(a.state === 'live') - Number(b.state === 'live'))
            .map(({ slug, state, reason, code }) => (
              <Table.Tr key={slug}>
                <Table.Th scope="row">
                  {code === undefined ? <Go to={`/sellers/${slug}`}>{slug}</Go> : slug}
                </Table.Th>
                <Table.Td>{state}</Table.Td>
                <Table.Td>{reason !== undefined && <Name of={reason} most={600} />}</Table.Td>
              </Table.Tr>
            ))}
        </Table.Tbody>
      </Table>
    </Alert>
  );
}

const countText = (count: number): string => `${count} ${count === 1 ? 'seller' : 'sellers'}`;

async function allSellers(): Promise<readonly Seller[]> {
  const found: Seller[] = [];
  let cursor: string | undefined;
  do {
    const page = await api('GET /v1/sellers', { query: { limit: '500', cursor } });
    found.push(...page.sellers);
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  return found;
}

function draftsIn(text: string): Draft[] {
  const rows = readJson(text);
  if (!Array.isArray(rows)) throw new Error('The text holds no JSON array of sellers.');
  const wrong = rows.findIndex((row: Partial<Draft> | null) => !isText(row?.slug) || !isText(row?.agent_url));
  if (wrong >= 0) throw new Error(`Seller ${wrong + 1} of the list has no slug or no agent_url.`);
  // The server checks the other members.
  return rows as Draft[];
}

const isText = (value: unknown): boolean => typeof value === 'string';

function rowOf(draft: Draft, known: readonly Seller[]): Row {
  const { slug, agent_url: address, form = 'auto', protocol, dialect, token } = draft;
  const seller = known.find((candidate) => candidate.slug === slug);
  if (seller === undefined)
    return { slug, address, change: token === undefined ? 'new, without a token' : 'new' };
  const changes = [
    ...(seller.agent_url === address ? [] : [`address, before ${clean(seller.agent_url, 120)}`]),
    ...(seller.protocol === protocol ? [] : [`protocol, before ${seller.protocol}`]),
    ...(seller.dialect === dialect ? [] : [`names of its tasks, before ${seller.dialect}`]),
    ...(form === 'auto' || seller.form === form ? [] : [`form, before ${clean(seller.form, 20)}`]),
    ...(seller.legacy_webhooks === draft.legacy_webhooks ? [] : ['how its webhooks are proved']),
    ...(token === undefined ? [] : ['another token']),
  ];
  const change = changes.length === 0 ? 'only tested again' : changes.join('; ');
  return { slug, address, change };
}
