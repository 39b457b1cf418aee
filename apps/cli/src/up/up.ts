import { resolve } from 'node:path';
import { openSwitchyard, readConfiguration, type Configuration, type Switchyard } from '@switchyard/server';
import { lockInstance, type InstanceLock } from '@switchyard/store';
import { ok, type Result } from '@switchyard/values';
import type { CliDeps } from '../deps.js';
import { InstanceClient } from '../instance-client.js';
import { defaultDataFolder, ensureAdminSecret } from '../instance-files.js';
import type { CliFailure } from '../outcome.js';
import { plain } from '../plain.js';
import { CampaignFailure } from './campaign-failure.js';
import { domainStep } from './domain-step.js';
import { lastPort, rememberPort } from './last-port.js';
import { oldNode } from './old-node.js';
import { onboardMarket } from './onboard-market.js';
import { playCampaign } from './play-campaign.js';
import { practiceClockOf } from './practice-clock.js';
import { startSandboxProcess, type RunningSandbox } from './sandbox-process.js';
import { stopSignal } from './stop-signal.js';
import { storyWriter, type Story } from './story.js';
import { verifyOnly } from './verify-only.js';
import { version } from '../version.js';

const campaignNote = 'campaign';

/** Starts everything, prints progress, and runs until it is stopped. Answers the exit code. */
export async function up(given: CliDeps, options: UpOptions): Promise<0 | 1 | 2> {
  const deps = { ...given, env: { ...given.env, ...organizationIn(options) } };
  const configuration = readConfiguration(deps.env);
  if (!configuration.ok) {
    complain(deps, configuration.error);
    return 2;
  }
  const dataFolder = resolve(deps.cwd, options.data ?? defaultDataFolder);
  const story = storyWriter(deps.stdout, deps.color);
  const lock = lockInstance(dataFolder);
  if (!lock.ok) {
    complain(deps, { message: lock.error.message });
    return lock.error.code === 'not_writable' ? 2 : 1;
  }
  const stopping = stopSignal(configuration.value.load.stopWithinMs, () => {
    deps.stderr.write('Not everything could be closed in time. The next start finishes it.\n');
    // Processes that we started end with us: the sandbox market, and PostgreSQL by its watchdog.
    process.exit(1);
  });
  const started = await start(deps, options, { ...configuration.value, dataFolder, lock: lock.value, story });
  if (!started.ok) {
    lock.value.release();
    stopping.forget();
    return complain(deps, started.error);
  }
  try {
    if (stopping.hasReceived()) return 0;
    const playing = playStory(deps, options, started.value, story).catch((error: unknown) => {
      if (!(error instanceof CampaignFailure)) throw error;
      // What our own stop cut off did not fail.
      if (!stopping.hasReceived()) deps.stderr.write(`\nThis step failed: ${plain(error.message)}\n`);
      return 1 as const;
    });
    const received = await Promise.race([playing, stopping.received.then(() => 0 as const)]);
    if (options.once === true || received === 1 || stopping.hasReceived()) return received;
    await stopping.received;
    return 0;
  } finally {
    if (options.once !== true) deps.stderr.write('Stopping.\n');
    await started.value.stop();
    lock.value.release();
    stopping.forget();
  }
}

/** The organization of the options, as settings. */
function organizationIn(options: UpOptions): Readonly<Record<string, string>> {
  const named = {
    SWITCHYARD_ORGANIZATION_NAME: options.organization,
    SWITCHYARD_ORGANIZATION_DOMAIN: options.domain,
    SWITCHYARD_ORGANIZATION_TIME_ZONE: options.timeZone,
    SWITCHYARD_ORGANIZATION_CURRENCY: options.currency,
    SWITCHYARD_ORGANIZATION_REPORTING_CURRENCY: options.reportingCurrency,
  };
  return Object.fromEntries(
    Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** The options of a start do not change an existing organization. */
function organizationLine({ organization }: Switchyard, settings: Configuration['settings']): string {
  const { name, domain } = organization;
  const wanted = settings.SWITCHYARD_ORGANIZATION_DOMAIN;
  const isOther =
    wanted !== undefined && (wanted !== domain || settings.SWITCHYARD_ORGANIZATION_NAME !== name);
  const known = `Organization ${plain(name)}, ${plain(domain)}`;
  return isOther ? `${known}: it already exists. Change it with: npx switchyard organizations set` : known;
}

interface Starting extends Configuration {
  readonly dataFolder: string;
  readonly lock: InstanceLock;
  readonly story: Story;
}

interface Started {
  readonly switchyard: Switchyard;
  readonly sandbox?: RunningSandbox;
  stop(): Promise<void>;
}

async function start(
  deps: CliDeps,
  options: UpOptions,
  { http, settings, dataFolder, lock, story }: Starting,
): Promise<Result<Started, CliFailure>> {
  story.step('Switchyard starts');
  const isLocal = http.profile === 'local';
  const adminSecret = ensureAdminSecret(dataFolder);
  const ready = waiter();
  const sandboxUrls = new Set<string>();
  const { role } = options;
  // The sandbox market belongs to the process that does everything.
  const withMarket = options.sandbox && role === undefined;
  const sandbox =
    withMarket && isLocal
      ? startSandboxProcess(dataFolder, {
          agents: options.market,
          onProblem: (problem) => deps.stderr.write(`The sandbox market: ${plain(problem)}\n`),
        })
      : undefined;
  const opened = await openSwitchyard({
    dataDir: dataFolder,
    env: deps.env,
    version,
    adminSecret,
    ...(role === undefined ? {} : { role }),
    sellersReady: () => ready.done,
    isSandboxUrl: (url) => sandboxUrls.has(url),
    practiceClock: practiceClockOf(async () => {
      const running = await sandbox;
      return running?.ok === true ? running.value : undefined;
    }),
    ...preferredPort(options, dataFolder),
  });
  const market = await sandbox;
  if (!opened.ok) {
    if (market?.ok === true) await market.value.stop();
    return opened;
  }
  if (market?.ok === false) {
    await opened.value.close();
    return market;
  }
  const switchyard = opened.value;
  // One of several processes has its own admin secret: commands on its data folder call it directly, not the balancer.
  const isOneOfSeveral = role !== undefined && switchyard.listensAt.startsWith('http:');
  lock.update({ url: isOneOfSeveral ? switchyard.listensAt : switchyard.url });
  rememberPort(dataFolder, switchyard.port);
  story.line(`${switchyard.about.database}, ${switchyard.about.queue}, ${switchyard.about.keys}`);
  story.line(
    role === 'workers' ? `Workers; health at ${switchyard.listensAt}` : `Server at ${switchyard.url}`,
  );
  story.line(organizationLine(switchyard, settings));
  const isPaused = ((await switchyard.notes.get('restored')) ?? null) !== null;
  if (isPaused)
    story.line('Restored from a backup: nothing is sent to sellers and buyers until: npx switchyard resume');
  if (isLocal) story.line('Profile local: for trying things out on this machine only (SWITCHYARD_PROFILE)');
  else {
    if (withMarket) story.line('Profile production: without the sandbox market');
    const old = oldNode(process.versions.node);
    if (old !== undefined) deps.stderr.write(`${old}\n`);
  }
  if (market !== undefined) {
    const { agents, publisher } = market.value;
    for (const { agentUrl } of [...agents, ...(publisher === undefined ? [] : [publisher])])
      sandboxUrls.add(agentUrl);
    // A paused instance calls nobody: the checks of the market would fail, and take its sellers from the one that is resumed.
    const imported = isPaused ? [] : await onboardMarket(switchyard, market.value.agents);
    const failed = imported.filter((row) => row.state === 'failed');
    story.line(
      `A sandbox market of ${market.value.agents.length} agents, ${isPaused ? 'connected by the first start after the resume' : 'each with its own credential in the vault'}`,
    );
    for (const row of failed)
      story.line(`${row.slug} is not live: ${plain(row.reason ?? 'no reason given')}`);
  }
  ready.resolve();
  const stop = async (): Promise<void> => {
    await switchyard.close();
    if (market !== undefined) await market.value.stop();
  };
  return ok({ switchyard, stop, ...(market === undefined ? {} : { sandbox: market.value }) });
}

function preferredPort(
  options: UpOptions,
  dataFolder: string,
): { readonly port?: number; readonly portIsExplicit?: boolean } {
  if (options.port !== undefined) return { port: options.port, portIsExplicit: true };
  const port = lastPort(dataFolder);
  return port === undefined ? {} : { port };
}

/** The first campaign on new data, later a check of the ledger; then the addresses. */
async function playStory(deps: CliDeps, options: UpOptions, started: Started, story: Story): Promise<0> {
  const { switchyard, sandbox } = started;
  // Valid for 24 hours with all permissions: made only if it is used or shown.
  const client = async (): Promise<InstanceClient> =>
    new InstanceClient(switchyard.url, await switchyard.issueToken());
  const played = (await switchyard.notes.get(campaignNote)) !== undefined;
  if (sandbox !== undefined && options.campaign && !played) {
    const campaign = { client: await client(), story, deps, agents: sandbox.agents };
    await playCampaign(campaign);
    if (sandbox.publisher !== undefined) await domainStep(campaign, sandbox.publisher);
    await switchyard.notes.set(campaignNote, { played_at: new Date().toISOString() }, Date.now());
  } else if (options.role === undefined && (played || options.once === true)) {
    await verifyOnly(await client(), story);
  }
  if (options.once === true) {
    story.step('Every step succeeded');
    return 0;
  }
  const isTerminal = deps.stdout.isTTY === true && options.role !== 'workers';
  const shown = isTerminal
    ? { token: await switchyard.issueToken(), link: await switchyard.makeSignInLink() }
    : undefined;
  invite(options, switchyard, shown, story);
  if (sandbox !== undefined && options.campaign && options.history && !played)
    void playPast(await client(), { sandbox, options, story });
  return 0;
}

/** Plays the past quarter in the background, because it takes long. */
async function playPast(
  instance: InstanceClient,
  { sandbox, options, story }: { sandbox: RunningSandbox; options: UpOptions; story: Story },
): Promise<void> {
  const data = options.data === undefined ? '' : ` --data ${options.data}`;
  story.line('');
  story.line(
    'Two closed months, one to close and an open one are being created in the background, for finance.',
  );
  const goOn = `They are not complete yet. Continue with: npx switchyard sandbox history${data}`;
  try {
    const { playHistory, historyText } = await import('../history/play-history.js');
    const stage = { instance, marketUrl: sandbox.url, now: Date.now(), log: () => undefined };
    const played = await playHistory(stage);
    story.block(played.ok ? `\n${historyText(played.value, data)}` : goOn);
  } catch {
    // The instance is stopping, or its market has died: what was played stays.
    story.line(goOn);
  }
}

/** A token and a sign-in link are printed only to a terminal: other outputs may be stored for years. */
function invite(
  options: UpOptions,
  switchyard: Switchyard,
  shown: { readonly token: string; readonly link: string } | undefined,
  story: Story,
): void {
  if (options.role === 'workers') {
    story.step('It keeps running');
    story.line(`Health ${switchyard.listensAt}/readyz`);
    story.line('Ctrl-C stops it.');
    return;
  }
  const data = options.data === undefined ? '' : ` --data ${options.data}`;
  story.step('It keeps running. Try it');
  story.line(
    shown === undefined
      ? `Console ${switchyard.url}/console/   sign in with: npx switchyard principals link operator${data}`
      : `Console ${shown.link}   (signs in once, within 15 minutes)`,
  );
  story.line(`MCP     ${switchyard.url}/mcp`);
  story.line(`A2A     ${switchyard.url}/a2a`);
  story.line(`REST    ${switchyard.url}/v1      described at ${switchyard.url}/docs`);
  story.line(
    shown === undefined ? `Token   from: npx switchyard token${data}` : `Token   ${shown.token}   (24 hours)`,
  );
  story.line('');
  if (!options.sandbox) story.line('npx switchyard sellers add --help   (how a seller is connected)');
  story.line(`npx switchyard ask "video for a bike shop"${data}`);
  story.line(`npx switchyard buys${data}`);
  story.line(`npx switchyard ledger verify${data}`);
  story.line('');
  story.line('Ctrl-C stops it. All data stays in the data folder.');
}

function complain(deps: CliDeps, failure: CliFailure): 1 {
  deps.stderr.write(
    `${plain(failure.message)}\n${failure.hint === undefined ? '' : `${plain(failure.hint)}\n`}`,
  );
  return 1;
}

function waiter(): { readonly done: Promise<void>; resolve(): void } {
  let resolveDone = (): void => undefined;
  const done = new Promise<void>((resolve) => {
    resolveDone = resolve;
  });
  return { done, resolve: () => resolveDone() };
}

export interface UpOptions {
  readonly data?: string;
  readonly port?: number;
  readonly once?: boolean;
  readonly sandbox: boolean;
  readonly campaign: boolean;
  readonly history: boolean;
  /** What this process does; if absent, everything. */
  readonly role?: 'http' | 'workers';
  /** The organization of a first start. */
  readonly organization?: string;
  readonly domain?: string;
  readonly timeZone?: string;
  readonly currency?: string;
  readonly reportingCurrency?: string;
  /** Agents of the sandbox market to start; if absent, the default ones. */
  readonly market?: readonly string[];
}
