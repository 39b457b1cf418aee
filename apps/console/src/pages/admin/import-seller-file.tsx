import { Alert, FileInput, List, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Answer } from '../../api/client.js';
import { ActForm } from '../../parts/forms/act-form.js';
import { clean, Name } from '../../parts/name.js';
import { Quiet } from '../../parts/quiet.js';
import { readFileWords } from '../../parts/read-file-words.js';
import { ScrollTable } from '../../parts/scroll-table.js';

type Preview = Answer<'POST /v1/sellers/import/preview'>;

/** Adds the sellers that a file of another program names: first what would be added, then a job with the result of each. */
export function ImportSellerFile() {
  const [file, setFile] = useState<File | null>(null);
  const [preview, setPreview] = useState<Preview>();
  const [job, setJob] = useState<string>();
  const take = (next: File | null): void => {
    setFile(next);
    setPreview(undefined);
    setJob(undefined);
  };
  const act = async (): Promise<void> => {
    if (file === null) return;
    const body = { file: await readFileWords(file) };
    if (preview === undefined) return setPreview(await api('POST /v1/sellers/import/preview', { body }));
    const started = await api('POST /v1/sellers/import/file', { body });
    take(null);
    setJob(started.job_id);
  };
  const added = preview?.sellers.filter(({ is_known: isKnown }) => !isKnown).length ?? 0;
  return (
    <>
      <ActForm
        title="Import a file of another program"
        label={
          preview === undefined ? 'Show what it names' : `Add ${added} ${added === 1 ? 'seller' : 'sellers'}`
        }
        act={act}
        isReady={file !== null && (preview === undefined || added > 0)}
      >
        <FileInput
          label="File of sellers"
          description="A table (CSV, XLSX), the configuration of an MCP client, adagents.json, sellers.json or ads.txt"
          placeholder="Choose a file"
          accept=".csv,.xlsx,.json,.txt"
          clearable
          clearButtonProps={{ 'aria-label': 'No file of sellers' }}
          value={file}
          onChange={take}
        />
        {preview !== undefined && <Named of={preview} />}
      </ActForm>
      {job !== undefined && <Progress job={job} />}
    </>
  );
}

function Named({ of: { sellers, left_out: leftOut } }: { readonly of: Preview }) {
  return (
    <>
      {sellers.length > 0 && (
        <ScrollTable label="What the file names">
          <Table.Thead>
            <Table.Tr>
              {['Short name', 'Added from', 'Sign-in', 'What happens'].map((title) => (
                <Table.Th key={title}>{title}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {sellers.map(({ at, slug, input, name, has_credential: has, is_known: isKnown, note }) => (
              <Table.Tr key={at}>
                <Table.Th scope="row">
                  <Name of={slug} most={63} />
                  {name !== undefined && name !== slug && (
                    <Quiet>
                      <Name of={name} most={80} />
                    </Quiet>
                  )}
                </Table.Th>
                <Table.Td>
                  <Name of={input} most={120} />
                </Table.Td>
                <Table.Td>{has ? 'in the file' : 'none'}</Table.Td>
                <Table.Td>
                  {isKnown ? 'is here already: left as it is' : 'its checks run'}
                  {note !== undefined && (
                    <Quiet>
                      <Name of={note} most={200} />
                    </Quiet>
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </ScrollTable>
      )}
      {leftOut.length > 0 && (
        <List size="sm" aria-label="Left out">
          {leftOut.map(({ at, why }) => (
            <List.Item key={at}>
              {clean(at, 80)}: {clean(why, 300)}
            </List.Item>
          ))}
        </List>
      )}
    </>
  );
}

/** How often the job is read while it runs, in milliseconds. */
const everyMs = 1_000;
const running: ReadonlySet<string> = new Set(['waiting', 'running']);

function Progress({ job: id }: { readonly job: string }) {
  const { data: job } = useQuery({
    queryKey: ['jobs', 'GET /v1/jobs/{id}', id],
    queryFn: ({ signal }) => api('GET /v1/jobs/{id}', { params: { id }, signal }),
    refetchInterval: ({ state: { data } }) =>
      data === undefined || running.has(data.state) ? everyMs : false,
  });
  const isOver = job !== undefined && !running.has(job.state);
  const { data: open } = useQuery({
    queryKey: ['jobs', 'GET /v1/jobs/{id}/faults', id, isOver],
    queryFn: ({ signal }) =>
      api('GET /v1/jobs/{id}/faults', { params: { id }, query: { limit: '100' }, signal }),
    enabled: isOver,
  });
  if (job === undefined) return undefined;
  const all = job.total ?? job.done;
  const words = isOver
    ? `${job.done - job.faults} of ${all} are live.`
    : `${job.done} of ${all} are checked.`;
  return (
    <Alert color={isOver && job.faults === 0 ? 'good' : 'accent'} variant="light" role="status" title={words}>
      {open !== undefined && open.faults.length > 0 && (
        <>
          <Text size="sm">The others stand among the sellers being connected.</Text>
          <List size="sm">
            {open.faults.map(({ position, item, message }) => (
              <List.Item key={position}>
                <b>{clean(item, 63)}</b>: {clean(message, 400)}
              </List.Item>
            ))}
          </List>
        </>
      )}
    </Alert>
  );
}
