import { resolve } from 'node:path';
import { Option, type Command } from 'commander';
import { err, ok, type Result } from '@switchyard/values';
import type { CliDeps } from './deps.js';
import { InstanceClient } from './instance-client.js';
import { defaultDataFolder, isAlive, readAdminSecret, readInstanceNote } from './instance-files.js';
import { finish, type CliFailure, type Outcome } from './outcome.js';

/** The instance of a command, and its output format. */
export interface TargetOptions {
  readonly data?: string;
  readonly url?: string;
  readonly token?: string;
  readonly json?: boolean;
}

/** The lifetime of the token of one command, in seconds. */
const commandTokenSeconds = 600;

/** Adds the options that every command has. */
export function withTarget(command: Command): Command {
  return command
    .addOption(
      new Option('--data <dir>', 'data folder of the instance (default: .data in this folder)').conflicts([
        'url',
      ]),
    )
    .option('--url <url>', 'address of the instance, instead of a data folder')
    .option('--token <token>', 'token to use (default: SWITCHYARD_TOKEN, else one made for this command)')
    .option('--json', 'print JSON alone on standard output')
    .option('--wide', 'print tables as wide as they are, with exact times');
}

/** Runs `work` against the instance that the options name. */
export async function onInstance(
  deps: CliDeps,
  options: TargetOptions,
  work: (instance: InstanceClient) => Promise<Outcome>,
): Promise<Outcome> {
  const instance = await connect(deps, options);
  return instance.ok ? work(instance.value) : instance;
}

/** The input of a command that works at one instance. */
export interface At<Options extends TargetOptions = TargetOptions> {
  readonly deps: CliDeps;
  readonly instance: InstanceClient;
  readonly options: Options;
}

/** The action of a command that works at the instance of its options, and prints the result. */
export function atInstance<Options extends TargetOptions, Args extends readonly unknown[]>(
  deps: CliDeps,
  work: (at: At<Options>, ...args: Args) => Promise<Outcome>,
): (...given: [...args: Args, options: Options, command: Command]) => Promise<void> {
  return async (...given) => {
    const args = given.slice(0, -2) as unknown as Args;
    // Options may also stand before the word of the command, where its group takes them too.
    const options = (given.at(-1) as Command).optsWithGlobals<Options>();
    const outcome = onInstance(deps, options, (instance) => work({ deps, instance, options }, ...args));
    finish(deps, options, await outcome);
  };
}

const tokenShown =
  'Warning: other users of this machine and the history of the shell see a token in a command line. Set SWITCHYARD_TOKEN instead of --token.';

async function connect(deps: CliDeps, options: TargetOptions): Promise<Result<InstanceClient, CliFailure>> {
  if (options.token !== undefined) deps.stderr.write(`${tokenShown}\n`);
  const token = options.token ?? deps.env['SWITCHYARD_TOKEN'];
  if (options.url !== undefined) {
    if (!/^https?:/.test(options.url) || !URL.canParse(options.url)) {
      return err({ message: `${options.url} is no http or https address.` });
    }
    return ok(new InstanceClient(options.url.replace(/\/+$/, ''), token));
  }
  const local = localInstance(deps, options);
  if (!local.ok) return local;
  if (token !== undefined) return ok(new InstanceClient(local.value.url, token));
  const issued = await issueToken(local.value, { ttl_seconds: commandTokenSeconds });
  return issued.ok ? ok(new InstanceClient(local.value.url, issued.value)) : issued;
}

interface LocalInstance {
  readonly url: string;
  readonly dataFolder: string;
}

/** The instance of a data folder, from its note there. */
export function localInstance(deps: CliDeps, options: TargetOptions): Result<LocalInstance, CliFailure> {
  const dataFolder = resolve(deps.cwd, options.data ?? defaultDataFolder);
  const note = readInstanceNote(dataFolder);
  const start = options.data === undefined ? 'npx switchyard up' : `npx switchyard up --data ${options.data}`;
  if (!note) {
    return err({
      message: `No instance is running from ${dataFolder}.`,
      hint: `Start one with: ${start}. Or name another with --data DIR, or with --url and --token.`,
    });
  }
  if (!isAlive(note.pid)) {
    return err({
      message: `The instance of ${dataFolder} (process ${note.pid}) is no longer running.`,
      hint: `Start it again with: ${start}`,
    });
  }
  return ok({ url: note.url, dataFolder });
}

/** A client with the admin secret instead of a token: valid for `POST /v1/tokens` and the routes of organizations. */
export function adminClient(local: LocalInstance): Result<InstanceClient, CliFailure> {
  const secret = readAdminSecret(local.dataFolder);
  if (!secret) {
    return err({
      message: `The admin secret in ${local.dataFolder} cannot be read.`,
      hint: 'Run the command as the user who started the instance, or give a token with --token.',
    });
  }
  return ok(
    new InstanceClient(
      local.url,
      secret.useText((text) => text),
    ),
  );
}

/** Without a token it uses the admin secret of the data folder, which is valid for the whole installation. */
export async function onInstallation(
  deps: CliDeps,
  options: TargetOptions,
  work: (instance: InstanceClient) => Promise<Outcome>,
): Promise<Outcome> {
  const hasToken = options.token !== undefined || deps.env['SWITCHYARD_TOKEN'] !== undefined;
  if (hasToken || options.url !== undefined) return onInstance(deps, options, work);
  const local = localInstance(deps, options);
  if (!local.ok) return local;
  const client = adminClient(local.value);
  return client.ok ? work(client.value) : client;
}

async function issueToken(
  local: LocalInstance,
  query: { readonly ttl_seconds: number },
): Promise<Result<string, CliFailure>> {
  const admin = adminClient(local);
  if (!admin.ok) return admin;
  const issued = await admin.value.post('/v1/tokens', query);
  if (!issued.ok) return issued;
  const { token } = issued.value;
  return typeof token === 'string' ? ok(token) : err({ message: 'The instance did not return a token.' });
}
