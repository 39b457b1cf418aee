import { Anchor, Box, Checkbox, Group, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api, type Answer } from '../../api/client.js';
import { ActForm } from '../../parts/forms/act-form.js';
import { bindText } from '../../parts/forms/bind-text.js';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { DataTable, type Column } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { Explained } from '../../parts/explained.js';
import { useFilters, worded } from '../../parts/filters.js';
import { Name } from '../../parts/name.js';
import { PageHead } from '../../parts/page-head.js';
import { Time } from '../../parts/time.js';
import { usePages } from '../../parts/use-pages.js';
import { useMay } from '../../parts/use-rows.js';

type Job = Answer<'GET /v1/jobs'>['jobs'][number];

const columns: readonly Column<Job>[] = [
  { title: 'What', cell: ({ title }) => title },
  { title: 'State', cell: (job) => <JobState job={job} /> },
  { title: 'Done', isNumber: true, cell: doneOf },
  { title: 'Failed', isNumber: true, cell: ({ faults }) => faults },
  { title: 'By', cell: ({ started_by: by }) => <Name of={by} most={40} /> },
  { title: 'Started', cell: ({ created_at: at }) => <Time at={at} /> },
  { title: 'Ended', cell: ({ ended_at: at }) => <Time at={at} /> },
  { title: 'Act', cell: (job) => <Acts job={job} /> },
];

function doneOf({ state, done, total, phase }: Job): string {
  const amount = total === undefined ? done.toLocaleString('en') : `${done} of ${total}`;
  const isOpen = state === 'running' || state === 'waiting';
  return phase === undefined || !isOpen ? amount : `${amount} (${phase})`;
}

/** Long work: how far it is, what came of it, stop and go on. */
export function JobsPage() {
  const may = useMay();
  const [{ state = '' }, set] = useFilters();
  const jobs = usePages('GET /v1/jobs', 'jobs', state === '' ? {} : { state: worded(state) });
  return (
    <>
      <PageHead title="Jobs">
        What takes longer than a request: imports, exports, statements, reconciliation, archives, files of
        reports.
      </PageHead>
      <Group mb="md">
        <NativeSelect
          label="State"
          data={[{ value: '', label: 'All' }, 'waiting', 'running', 'succeeded', 'failed', 'canceled']}
          value={state}
          onChange={({ currentTarget }) => set({ state: currentTarget.value })}
        />
      </Group>
      <DataTable
        label="Jobs"
        pages={jobs}
        columns={columns}
        empty={
          <EmptyState title="No jobs">
            An export, an import or a statement may be done as a job, for example with{' '}
            <code>npx switchyard ledger export --job</code>.
          </EmptyState>
        }
      />
      {may('ledger.write') && (
        <Box mt="md">
          <ReportFiles />
        </Box>
      )}
    </>
  );
}

/** Starts the files of a day, or of each day. */
function ReportFiles() {
  const [day, setDay] = useState('');
  const [format, setFormat] = useState<'csv' | 'parquet'>('parquet');
  const [isDaily, setDaily] = useState(false);
  return (
    <ActForm
      title="Files of reports of a day, at the place that the operator has named"
      label="Write the files"
      done="A job writes them."
      act={async () => {
        const body = { format, daily: isDaily, ...(day !== '' && { day }) };
        await api('POST /v1/report-files', { body });
      }}
    >
      <Group align="flex-end">
        <TextInput
          type="date"
          label="Day (UTC)"
          description="Yesterday unless set"
          {...bindText(day, setDay)}
        />
        <NativeSelect
          label="Format"
          data={['parquet', 'csv']}
          value={format}
          onChange={({ currentTarget }) => setFormat(currentTarget.value === 'csv' ? 'csv' : 'parquet')}
        />
        <Checkbox
          label="and each day after it"
          checked={isDaily}
          onChange={({ currentTarget }) => setDaily(currentTarget.checked)}
        />
      </Group>
    </ActForm>
  );
}

function JobState({ job }: { readonly job: Job }) {
  const isStopping = job.state === 'running' && job.cancel_requested_at !== undefined;
  return (
    <Explained
      kind="job"
      of={isStopping ? 'stopping' : job.state}
      since={job.ended_at ?? job.started_at ?? job.created_at}
      evidence={<Name of={job.error?.message ?? job.phase} most={600} />}
      cli={`npx switchyard jobs show ${job.job_id}`}
    />
  );
}

/** The server says who may: a person sees what the own roles show, and is refused the rest with a sentence. */
function Acts({ job }: { readonly job: Job }) {
  const send = (act: 'cancel' | 'retry') => () =>
    api(`POST /v1/jobs/{id}/${act}`, { params: { id: job.job_id } });
  const about = `${job.title} ${job.job_id}`;
  const isOpen = job.state === 'waiting' || job.state === 'running';
  const mayRepeat = job.state === 'failed' || job.state === 'canceled' || (!isOpen && job.faults > 0);
  return (
    <Group gap="xs" wrap="nowrap">
      {isOpen && job.cancel_requested_at === undefined && (
        <ConfirmButton
          label="Cancel"
          about={about}
          size="xs"
          variant="default"
          done="It stops."
          act={send('cancel')}
        >
          It stops after what it is doing at the moment. What is done stays done, and it can be repeated.
        </ConfirmButton>
      )}
      {mayRepeat && (
        <ConfirmButton
          label="Repeat"
          about={about}
          size="xs"
          variant="default"
          done="It goes on."
          act={send('retry')}
        >
          It goes on where it stood, and what failed is tried again. A file is written anew.
        </ConfirmButton>
      )}
      {job.file !== undefined && (
        <Anchor
          size="sm"
          href={`/v1/jobs/${encodeURIComponent(job.job_id)}/file`}
          download={`${job.kind}-${job.job_id}.json`}
          aria-label={`File of ${about}`}
        >
          File
        </Anchor>
      )}
    </Group>
  );
}
