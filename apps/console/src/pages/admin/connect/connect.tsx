import { Button, CopyButton, Group, Text, TextInput } from '@mantine/core';
import { IconSearch, IconWorldSearch } from '@tabler/icons-react';
import { useState, type SubmitEvent } from 'react';
import { api, type Sent } from '../../../api/client.js';
import { ErrorPanel } from '../../../parts/error-panel.js';
import { useFilters } from '../../../parts/filters.js';
import { Go } from '../../../parts/go.js';
import { clean, Name } from '../../../parts/name.js';
import { PageHead } from '../../../parts/page-head.js';
import { FactList, Panel } from '../../../parts/panel.js';
import { Stepper } from '../../../parts/stepper.js';
import { usePages } from '../../../parts/use-pages.js';
import { useMay, useRefresh } from '../../../parts/use-rows.js';
import { ImportSellerFile } from '../import-seller-file.js';
import { ImportSellers } from '../import-sellers.js';
import { Candidates, confirmed, Documents, saysOf, type Found } from './candidates.js';
import './connect.css';
import { DiscardButton, Drafts, DraftState, useDrafts } from './drafts.js';
import { checkOf, GateChecks, progressOf, useGateRun, type Run } from './gate-checks.js';
import { SellerReport } from './seller-report.js';
import { SignInForm } from './sign-in-form.js';
import { bindText } from '../../../parts/forms/bind-text.js';

type Added = NonNullable<Sent<'POST /v1/sellers/add'>['body']>;
const steps = ['Domain', 'Agent', 'Sign in', 'Checks', 'Go live'] as const;
const isSlug = (text: string): boolean => /^[a-z0-9][a-z0-9-]{0,62}$/.test(text);

/** From a publisher's domain to a seller that is live: what is found, how we sign in, its checks, and a second person. */
export function ConnectPage() {
  const [{ draft }, setFilters] = useFilters();
  const [found, setFound] = useState<{ readonly input: string; readonly answer: Found }>();
  const start = (slug: string | undefined): void => {
    if (slug === undefined) setFound(undefined);
    setFilters({ draft: slug });
  };
  return draft === undefined ? (
    <Find found={found} onFound={setFound} onStart={start} />
  ) : (
    <Connecting key={draft} slug={draft} onEnd={() => start(undefined)} />
  );
}

const head = 'Connect a seller';
const about = 'From a domain to live. Nothing is bought. You can leave and come back.';

interface FoundFrom {
  readonly input: string;
  readonly answer: Found;
}

/** The first two steps: what a domain names, and which agent is taken. */
function Find({
  found,
  onFound,
  onStart,
}: {
  readonly found: FoundFrom | undefined;
  readonly onFound: (found: FoundFrom | undefined) => void;
  readonly onStart: (slug: string) => void;
}) {
  const [input, setInput] = useState(found?.input ?? '');
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const find = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      const given = input.trim();
      onFound({ input: given, answer: await api('POST /v1/sellers/find', { body: { input: given } }) });
    } catch (failure) {
      onFound(undefined);
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <PageHead title={head}>{about}</PageHead>
      <Stepper label="Steps" steps={steps} done={found === undefined ? 0 : 1} />
      {found === undefined ? (
        <div className="column">
          <section className="panel" aria-label="Domain">
            <form className="find-seller" aria-label="Find a seller" onSubmit={(event) => void find(event)}>
              <TextInput
                label="Domain of the publisher, or address of its agent"
                description="For example news.example, or https://ads.news.example/mcp. An adagents.json or brand.json works too."
                required
                maxLength={2_048}
                {...bindText(input, setInput)}
              />
              <Button
                type="submit"
                loading={isBusy}
                disabled={input.trim() === ''}
                leftSection={<IconSearch size={15} />}
              >
                Find its agents
              </Button>
            </form>
            {error !== undefined && <ErrorPanel error={error} />}
          </section>
          <Drafts />
          <div id="import" className="column">
            <ImportSellers />
            <ImportSellerFile />
          </div>
        </div>
      ) : (
        <Choose found={found} onChange={() => onFound(undefined)} onStart={onStart} />
      )}
    </>
  );
}

function Choose({
  found: { input, answer },
  onChange,
  onStart,
}: {
  readonly found: FoundFrom;
  readonly onChange: () => void;
  readonly onStart: (slug: string) => void;
}) {
  const [chosen, setChosen] = useState(answer.candidates[0]?.agent_url);
  const [slug, setSlug] = useState(answer.slug);
  const [isStarted, setStarted] = useState(false);
  const [error, setError] = useState<unknown>();
  const sellers = usePages('GET /v1/sellers', 'sellers', {});
  const drafts = useDrafts();
  const run = useGateRun(slug, isStarted).data;
  const candidate = answer.candidates.find(({ agent_url: url }) => url === chosen);
  const isConnected = candidate?.problems.some(({ code }) => code === 'already_in') === true;
  const isTaken = [...sellers.rows, ...drafts.rows].some((known) => known.slug === slug);
  const connect = async (): Promise<void> => {
    if (chosen === undefined) return;
    setStarted(true);
    setError(undefined);
    try {
      const own = slug === answer.slug ? {} : { slug };
      const body = { input, candidate: chosen, ...own, ...(isConnected && { yes: true as const }) };
      onStart((await api('POST /v1/sellers/add', { body })).slug);
    } catch (failure) {
      setError(failure);
      setStarted(false);
    }
  };
  const count = answer.candidates.length;
  return (
    <div className="columns connect">
      <div className="column">
        <section className="panel found" aria-label="What was read">
          <span className="need-icon" data-tone={count > 0 ? 'good' : 'warn'}>
            <IconWorldSearch size={16} stroke={1.7} aria-hidden="true" />
          </span>
          <div>
            <b>
              <Name of={input} most={120} />
            </b>{' '}
            {count === 0
              ? 'names no agent that sells for it'
              : `names ${count} ${count === 1 ? 'agent' : 'agents'}`}
            <Documents of={answer.documents} />
            {answer.advice !== undefined && (
              <p className="panel-small">
                <Name of={answer.advice} most={600} />
              </p>
            )}
          </div>
          <Button size="xs" variant="subtle" onClick={onChange} disabled={isStarted}>
            Change
          </Button>
        </section>
        <Candidates of={answer} chosen={chosen} onChoose={setChosen} />
        {isStarted && <ChecksPanel run={run} isBusy />}
      </div>
      {candidate !== undefined && (
        <div className="column">
          <Panel title="What you get">
            <FactList
              of={{
                Agent: <Name of={candidate.agent_url} most={120} />,
                Sells: clean(candidate.kinds.join(', ')),
                Confirmed: confirmed[candidate.agrees],
                Publisher: saysOf(candidate).join('; '),
              }}
            />
            <TextInput
              mt="md"
              label="Short name"
              description="Stands in front of the ids of its products. It stays."
              value={slug}
              maxLength={63}
              disabled={isStarted}
              error={slugFault(slug, isTaken && !isStarted)}
              onChange={({ currentTarget }) => setSlug(currentTarget.value.trim().toLowerCase())}
            />
          </Panel>
          <Panel title="Next">
            <Text size="sm" mb="sm">
              Its address, its sign-in and its answers are checked. Nothing is bought.
            </Text>
            <Button
              fullWidth
              loading={isStarted}
              disabled={!isSlug(slug) || isTaken}
              onClick={() => void connect()}
            >
              {isConnected ? 'Connect it a second time' : 'Check this agent'}
            </Button>
            {error !== undefined && <ErrorPanel error={error} />}
          </Panel>
        </div>
      )}
    </div>
  );
}

function slugFault(slug: string, isTaken: boolean): string | undefined {
  if (!isSlug(slug)) return 'Use small letters, digits and hyphens alone.';
  return isTaken ? 'Another seller has this short name.' : undefined;
}

function ChecksPanel({
  run,
  isBusy = false,
}: {
  readonly run: Run | null | undefined;
  readonly isBusy?: boolean;
}) {
  return (
    <Panel title="Checks" about={isBusy ? 'running' : progressOf(run)}>
      <div aria-live="polite">
        <GateChecks run={run} />
      </div>
    </Panel>
  );
}

/** The other steps of one draft: sign-in, checks, a second person. */
function Connecting({ slug, onEnd }: { readonly slug: string; readonly onEnd: () => void }) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const query = useGateRun(slug, isBusy);
  const refresh = useRefresh();
  const drafts = useDrafts();
  const draft = drafts.rows.find((known) => known.slug === slug);
  const run = query.data;
  const goOn = async (more: Partial<Added>): Promise<void> => {
    if (draft === undefined) throw new Error('This seller is no draft any more. Read the page again.');
    setBusy(true);
    setError(undefined);
    try {
      const body = { input: draft.input, candidate: draft.agent_url, slug, ...more };
      const { authorize_url: url } = await api('POST /v1/sellers/add', { body });
      if (url !== undefined && more.oauth === true) window.location.assign(url);
    } finally {
      setBusy(false);
      await refresh();
    }
  };
  const again = (): void => void goOn({}).catch(setError);
  const authorise = checkOf(run, 'authorise');
  const asksToSignIn = authorise?.state === 'needs_person' || authorise?.state === 'failed';
  const failed = run?.checks.find(({ state }) => state === 'failed');
  const isLive = run?.state === 'live';
  const hasReport =
    !isBusy && run?.checks.some(({ key, state }) => key === 'metadata' && state !== 'waiting');
  return (
    <>
      <PageHead
        title={head}
        actions={
          draft !== undefined &&
          !isLive && (
            <>
              <Button size="xs" variant="default" loading={isBusy} onClick={again}>
                Check again
              </Button>
              <DiscardButton slug={slug} then={onEnd} />
            </>
          )
        }
      >
        {about}
      </PageHead>
      <Stepper label="Steps" steps={steps} done={doneOf(run)} />
      {query.isError && <ErrorPanel error={query.error} again={() => void query.refetch()} />}
      {error !== undefined && <ErrorPanel error={error} />}
      <div className="columns connect">
        <div className="column">
          {asksToSignIn && !isBusy && draft !== undefined && (
            <SignInForm
              key={`${authorise.code} ${authorise.state}`}
              authorise={authorise}
              metadata={checkOf(run, 'metadata')}
              signIn={goOn}
            />
          )}
          {!isBusy && <Account run={run} goOn={(more) => void goOn(more).catch(setError)} />}
          {failed !== undefined && failed.key !== 'authorise' && !isBusy && (
            <div className="banner" data-tone="bad" role="alert">
              <div>
                <b>It cannot go live yet.</b> <Name of={failed.words} most={400} />
              </div>
            </div>
          )}
          <ChecksPanel run={run} isBusy={isBusy} />
          {hasReport === true && <SellerReport slug={slug} />}
        </div>
        <div className="column">
          <Panel title="What you get">
            <FactList
              of={{
                'Short name': slug,
                Agent: draft !== undefined && <Name of={draft.agent_url} most={120} />,
                State: run !== null && run !== undefined && !isBusy && <DraftState of={run.state} />,
                Offers: wordsOf(run, 'capabilities'),
                Products: wordsOf(run, 'read.mcp') ?? wordsOf(run, 'read.a2a'),
                'Signed in': wordsOf(run, 'authorise'),
              }}
            />
          </Panel>
          <GoLive slug={slug} run={run} />
        </div>
      </div>
    </>
  );
}

/** What a check that passed found. */
function wordsOf(run: Run | null | undefined, key: Parameters<typeof checkOf>[1]): string | undefined {
  const check = checkOf(run, key);
  return check?.state === 'passed' ? clean(check.words, 200) : undefined;
}

function doneOf(run: Run | null | undefined): number {
  const isDone = (key: Parameters<typeof checkOf>[1]): boolean =>
    ['passed', 'skipped'].includes(checkOf(run, key)?.state ?? '');
  if (run?.state === 'live') return 5;
  if (isDone('report')) return 4;
  return isDone('authorise') ? 3 : 2;
}

/** The accounts of which one is chosen, or none where clients may have theirs. */
function Account({
  run,
  goOn,
}: {
  readonly run: Run | null | undefined;
  readonly goOn: (more: Partial<Added>) => void;
}) {
  const check = checkOf(run, 'accounts');
  if (check?.state !== 'needs_person') return undefined;
  return (
    <Panel title="Account" about="who is billed there">
      <Text size="sm" mb="sm">
        <Name of={check.words} most={300} />
      </Text>
      <Group gap="xs">
        {(check.options ?? []).map(({ value, name }) => (
          <Button key={value} variant="default" onClick={() => goOn({ account: value })}>
            {clean(name, 80)}
          </Button>
        ))}
        {check.code === 'choose_account_or_none' && (
          <Button variant="subtle" onClick={() => goOn({ yes: true })}>
            None: each client gets its own
          </Button>
        )}
      </Group>
      {check.options === undefined && <p className="panel-small">Ask the seller for an account.</p>}
    </Panel>
  );
}

/** A seller goes live by a second person. */
function GoLive({ slug, run }: { readonly slug: string; readonly run: Run | null | undefined }) {
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const may = useMay();
  const refresh = useRefresh();
  const approval = checkOf(run, 'approve');
  const approve = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await api('POST /v1/sellers/{slug}/approve', { params: { slug } });
      await refresh();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  const waits = approval?.code === 'waits_for_person' && run?.state === 'waiting';
  if (run?.state === 'live')
    return (
      <Panel title="Go live">
        <Text size="sm" mb="sm">
          {slug} is live. <Name of={approval?.words} most={300} />
        </Text>
        <Go to={`/sellers/${encodeURIComponent(slug)}`}>Open the seller</Go>
      </Panel>
    );
  return (
    <Panel title="Go live">
      <Text size="sm" mb="sm">
        Two people: one connects the seller, another one lets it go live.
      </Text>
      {waits && run.is_own !== true && may('sellers.approve') && (
        <Button fullWidth loading={isBusy} onClick={() => void approve()}>
          Let it go live
        </Button>
      )}
      {waits && run.is_own === true && (
        <>
          <Text size="sm" mb="sm">
            You added it, so another person has to agree. It stands in their inbox; you can also send them the
            address of this page.
          </Text>
          <CopyButton value={window.location.href}>
            {({ copied, copy }) => (
              <Button fullWidth variant="default" onClick={copy}>
                {copied ? 'Copied' : 'Copy the address'}
              </Button>
            )}
          </CopyButton>
        </>
      )}
      {!waits && (
        <Text size="sm" c="dimmed">
          Ready when all checks have passed.
        </Text>
      )}
      {error !== undefined && <ErrorPanel error={error} />}
    </Panel>
  );
}
