import { InvalidArgumentError, Option, type Command } from 'commander';
import type { CliDeps } from '../deps.js';
import type { UpOptions } from '../up/up.js';

/** `up`: starts everything with one command. Runs in the foreground until it is stopped. */
export function registerUp(program: Command, deps: CliDeps): void {
  program
    .command('up')
    .description('start everything: database, server, the sandbox market, and on fresh data a first campaign')
    .option('--data <dir>', 'data folder (default: .data in this folder)')
    .option('--port <n>', 'port of the server (default: 7420, or the next free port)', portNumber)
    .option('--once', 'stop after the campaign: exit 0 if every step succeeded')
    .option('--no-sandbox', 'without the sandbox market and its campaign')
    .option('--market <slugs>', 'only these agents of the sandbox market, for example prompt,courier', slugs)
    .option('--no-campaign', 'without the first campaign')
    .option('--no-history', 'without the data of the past quarter')
    .option('--organization <name>', 'on fresh data: name of the organization (default: Practice Agency)')
    .option('--domain <domain>', 'its domain, under which it acts at sellers (default: agency.example)')
    .option('--time-zone <zone>', 'where its days begin (default: UTC)')
    .option('--currency <code>', 'of its new campaigns and limits (default: USD)')
    .option('--reporting-currency <code>', 'of its reports (default: the same)')
    .addOption(
      new Option(
        '--role <role>',
        'role of this process: http answers requests, workers run the jobs (default: both)',
      ).choices(['http', 'workers']),
    )
    .addHelpText('after', '\nEnvironment variables: npx switchyard settings')
    .action(async (options: UpOptions) => {
      // Loads the server only here, so that other commands start fast.
      const { up } = await import('../up/of-server.js');
      deps.exitWith(await up(deps, options));
    });
}

function slugs(text: string): readonly string[] {
  const listed = text.split(',');
  if (listed.some((slug) => !/^[a-z0-9-]+$/.test(slug)))
    throw new InvalidArgumentError('Give the names of sandbox agents, separated by commas.');
  return listed;
}

function portNumber(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new InvalidArgumentError('Give a port, 1 to 65535, or 0 for any free one.');
  return port;
}
