import type { Command } from 'commander';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { cell } from '../../plain.js';
import { pairs, several } from '../../read-options.js';
import { needed, request } from '../../request-command.js';

/** `clients add`, `show`, `set`: the advertisers that the organization works for. */
export function registerClients(program: Command, deps: CliDeps): void {
  const clients = program.command('clients').description('advertisers that the organization works for');
  const sellers = {
    '--seller <slug>': {
      help: 'a seller that is allowed for it; others are not; may be given several times',
      member: 'sellers',
      read: several,
    },
  };
  request(clients, deps, 'add <name>', {
    describe: 'add a client',
    of: 'name, unique in the organization',
    options: {
      '--code <system=value>': {
        ...{ help: 'its code in another system; may be given several times', member: 'codes', read: pairs },
      },
      ...sellers,
    },
    route: 'POST /v1/clients',
    text: membersOf,
  });
  request(clients, deps, 'show <client>', {
    describe: 'show one client',
    of: 'client id',
    route: 'GET /v1/clients/{id}',
    text: membersOf,
  });
  request(clients, deps, 'set <client>', {
    describe: 'change a client; an option that is left out changes nothing',
    of: 'client id',
    options: {
      '--name <name>': 'another name',
      '--code <system=value>': {
        help: 'all of its codes in other systems; may be given several times',
        read: pairs,
      },
      ...sellers,
      '--any-seller': 'allow all sellers',
      '--status <status>': { help: 'active or archived', words: ['active', 'archived'] },
    },
    route: 'POST /v1/clients/{id}',
    members: ({ name, status, code, seller, anySeller }) => ({
      ...{ name, status, codes: code, sellers: anySeller === true ? null : seller },
    }),
    text: membersOf,
  });
}

/** `brands add`, `show`, `set`: the brands of clients. */
export function registerBrands(program: Command, deps: CliDeps): void {
  const brands = program
    .command('brands')
    .description('brands of clients; a buy for a brand belongs to its client');
  request(brands, deps, 'add <domain>', {
    describe: 'add a brand to a client; existing buys for the brand are assigned to the client',
    of: 'domain of the brand',
    options: {
      '--client <id>': needed('id of the client', 'client_id'),
      '--name <name>': 'its name',
      '--brand-id <id>': {
        help: 'brand_id in requests, if the domain has several brands',
        member: 'wire_brand_id',
      },
    },
    route: 'POST /v1/brands',
    text: membersOf,
  });
  request(brands, deps, 'show <brand>', {
    describe: 'show one brand',
    of: 'brand id',
    route: 'GET /v1/brands/{id}',
    text: membersOf,
  });
  request(brands, deps, 'set <brand>', {
    describe: 'rename a brand',
    of: 'brand id',
    options: { '--name <name>': needed('its name') },
    route: 'POST /v1/brands/{id}',
    text: membersOf,
  });
}

/** One member per line; empty members are left out. */
export function membersOf(answer: JsonObject): string {
  const shown = Object.entries(answer).filter(([, value]) => value !== null);
  const width = Math.max(...shown.map(([name]) => name.length));
  const textOf = (value: JsonObject[string]): string =>
    isJsonObject(value) || Array.isArray(value) ? JSON.stringify(value) : cell(value);
  return shown.map(([name, value]) => `${name.padEnd(width)}  ${textOf(value)}`).join('\n');
}
