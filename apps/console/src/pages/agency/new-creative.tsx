import { FileInput, NativeSelect, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, failureOf, send, type Answer, type JsonObject, type JsonValue } from '../../api/client.js';
import { newId } from '../../api/new-id.js';
import { useMe } from '../../api/session.js';
import { isObject, objectsIn, task, textAt } from '../../api/task.js';
import { ErrorPanel } from '../../parts/error-panel.js';
import { ActForm } from '../../parts/forms/act-form.js';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { clean } from '../../parts/name.js';
import { PageHead } from '../../parts/page-head.js';
import { Panel } from '../../parts/panel.js';
import { useAnswer, useMay } from '../../parts/use-rows.js';
import { Assets } from './creative-assets.js';
import { BrandPicker } from './plan/brand-campaign.js';
import { bindText } from '../../parts/forms/bind-text.js';

type Stored = Answer<'POST /v1/creative-files'>;

const accepted = '.png,.jpg,.jpeg,.gif,.webp,.mp4,.webm,.html,.htm,.xml';

/** Uploads the bytes of a file. Throws `ApiFailure` for a refusal. */
async function upload(file: File): Promise<Stored> {
  const response = await send(
    '/v1/creative-files',
    { accept: 'application/json', 'content-type': 'application/octet-stream' },
    { method: 'POST', body: file },
  );
  const answer = (await response.json().catch(() => undefined)) as JsonValue | undefined;
  if (!response.ok) throw failureOf(response.status, answer);
  return answer as unknown as Stored;
}

interface Measured {
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  readonly seconds?: number | undefined;
}

/** An asset of the protocol for a stored file. */
function assetOf(
  { url, media_type: type }: Stored,
  text: string,
  { width, height, seconds }: Measured,
): JsonObject {
  const size = { ...(width !== undefined && { width }), ...(height !== undefined && { height }) };
  if (type.startsWith('image/')) return { asset_type: 'image', url, ...size };
  if (type.startsWith('video/'))
    return {
      asset_type: 'video',
      url,
      ...size,
      ...(seconds !== undefined && { duration_ms: Math.round(seconds * 1_000) }),
    };
  if (type.startsWith('text/html')) return { asset_type: 'html', content: text };
  return { asset_type: 'vast', delivery_type: 'url', url };
}

/** A person uploads a file, sees it, and puts it into the library as a creative. */
export function NewCreativePage() {
  const me = useMe().data;
  const may = useMay();
  const navigate = useNavigate();
  const client = useQueryClient();
  const [stored, setStored] = useState<Stored>();
  const [text, setText] = useState('');
  const [measured, setMeasured] = useState<Measured>({});
  const [failure, setFailure] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const [name, setName] = useState('');
  const [brand, setBrand] = useState('');
  const [format, setFormat] = useState('');
  const formats = useFormats();
  const chosen = formats.find((one) => formatKey(one) === format);
  const asset = stored && assetOf(stored, text, measured);
  const choose = async (file: File | null): Promise<void> => {
    setStored(undefined);
    setFailure(undefined);
    if (file === null) return;
    setBusy(true);
    try {
      const kept = await upload(file);
      setText(kept.media_type.startsWith('text/html') ? await file.text() : '');
      setMeasured({ width: kept.width, height: kept.height });
      setName((old) => (old === '' ? file.name.replace(/\.\w+$/, '').slice(0, 100) : old));
      setStored(kept);
      await client.invalidateQueries({ queryKey: ['creative-files'] });
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  const save = async (): Promise<void> => {
    if (asset === undefined || chosen === undefined) return;
    const id = `${name
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .slice(0, 40)}-${newId().slice(0, 8)}`;
    const answer = await task('sync_creatives', {
      adcp_version: '3.1',
      idempotency_key: newId(),
      account: { brand: { domain: brand }, operator: me?.organization.domain ?? '' },
      creatives: [
        { creative_id: id, name, format_id: chosen['format_id'], assets: { [slotOf(chosen)]: asset } },
      ],
    });
    const [row] = objectsIn(answer['creatives']);
    const [fault] = objectsIn(row?.['errors']);
    if (textAt(row?.['action']) === 'failed')
      throw new Error(textAt(fault?.['message']) || 'The creative was refused.');
    await navigate({ to: `/creatives/${encodeURIComponent(id)}` });
  };
  return (
    <Stack>
      <PageHead title="New creative">
        A picture, a video, HTML or VAST. What a file is, its bytes say, and not its name.
      </PageHead>
      <div className="columns" style={{ '--right': '356px' } as never}>
        <div className="column">
          <ActForm
            title="The creative"
            label="Put it into the library"
            act={save}
            done="The creative is in the library. Each seller that gets it checks it."
            isReady={asset !== undefined && chosen !== undefined && brand !== '' && name.trim() !== ''}
          >
            <FileInput
              label="File"
              placeholder={isBusy ? 'Uploading' : 'Choose a file'}
              accept={accepted}
              disabled={isBusy}
              onChange={(file) => void choose(file)}
            />
            {failure !== undefined && <ErrorPanel error={failure} />}
            <TextInput label="Name" required maxLength={100} {...bindText(name, setName)} />
            <BrandPicker isRequired value={brand} onChange={setBrand} />
            <NativeSelect
              label="Format"
              required
              description="As the sellers list them"
              {...bindText(format, setFormat)}
              data={[
                { value: '', label: formats.length === 0 ? 'No seller listed a format yet' : 'Choose' },
                ...formats.map((one) => ({ value: formatKey(one), label: labelOf(one) })),
              ]}
            />
            {stored?.media_type.startsWith('video/') === true && (
              <SimpleGrid cols={3}>
                {(['width', 'height', 'seconds'] as const).map((member) => (
                  <TextInput
                    key={member}
                    label={
                      { width: 'Width, pixels', height: 'Height, pixels', seconds: 'Length, seconds' }[member]
                    }
                    inputMode="decimal"
                    value={measured[member] ?? ''}
                    onChange={({ currentTarget: { value } }) =>
                      setMeasured((old) => ({
                        ...old,
                        [member]: /^\d+(\.\d+)?$/.test(value) ? Number(value) : undefined,
                      }))
                    }
                  />
                ))}
              </SimpleGrid>
            )}
          </ActForm>
          {me?.scopes.includes('organization') === true && may('creatives.read') && <Uploaded />}
        </div>
        <div className="column">{asset !== undefined && <Assets of={{ preview: asset }} />}</div>
      </div>
    </Stack>
  );
}

/** The formats of all sellers, each once. */
function useFormats(): readonly JsonObject[] {
  const { data } = useQuery({
    queryKey: ['formats'],
    queryFn: () => task('list_creative_formats', { adcp_version: '3.1' }),
    staleTime: 600_000,
  });
  const all = objectsIn(data?.['formats']);
  return [...new Map(all.map((one) => [formatKey(one), one])).values()].toSorted((a, b) =>
    labelOf(a).localeCompare(labelOf(b)),
  );
}

const idOf = (format: JsonObject): JsonObject => (isObject(format['format_id']) ? format['format_id'] : {});
const formatKey = (format: JsonObject): string =>
  `${textAt(idOf(format)['agent_url'])} ${textAt(idOf(format)['id'])}`;
const labelOf = (format: JsonObject): string =>
  clean(textAt(format['name']) || textAt(idOf(format)['id']), 70);
/** The name of the first asset that the format wants. */
const slotOf = (format: JsonObject): string => textAt(objectsIn(format['assets'])[0]?.['asset_id']) || 'main';

const sizeText = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;

/** What was uploaded, and the way to remove it. */
function Uploaded() {
  const { data } = useAnswer('GET /v1/creative-files', {});
  const client = useQueryClient();
  const mayWrite = useMay()('creatives.write');
  const files = data?.files ?? [];
  if (files.length === 0) return undefined;
  return (
    <Panel title="Uploaded files" about={`${files.length}, newest first`}>
      <ul className="plain-list">
        {files.slice(0, 20).map((file) => (
          <li key={file.name}>
            <code>{file.name}</code>{' '}
            <small className="quiet">
              {file.media_type.split(';')[0]}, {sizeText(file.bytes)}
            </small>{' '}
            {mayWrite && (
              <ConfirmButton
                label="Remove"
                about={file.name}
                size="compact-xs"
                variant="default"
                done="The file is removed."
                act={async () => {
                  await api('DELETE /v1/creative-files/{name}', { params: { name: file.name } });
                  await client.invalidateQueries();
                }}
              >
                A creative that uses it shows nothing from then on, at its sellers too.
              </ConfirmButton>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
