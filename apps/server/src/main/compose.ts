import { randomBytes, randomUUID } from 'node:crypto';
import {
  alarmRepository,
  answerCache,
  auditLog,
  changeLog,
  connectionDirectory,
  credentialStore,
  organizations as organizationsIn,
  principalDirectory,
} from '@switchyard/store';
import { allowedKmsKeys } from '@switchyard/kms';
import { createVault } from '@switchyard/vault';
import { makeBusiness } from '../business/business.module.js';
import { makeBuys } from '../buys/buys.module.js';
import { makeKeys } from '../keys/keys.module.js';
import { leaseSecretsFrom } from '../keys/lease-secrets.js';
import { makeLedger } from '../ledger/ledger.module.js';
import { makeNotices } from '../notices/notices.module.js';
import { makePeople } from '../people/people.module.js';
import { systemClock } from '../platform/clock.js';
import { serveCell } from '../platform/ids.js';
import type { Kernel } from '../platform/kernel.js';
import type { HandlerDeps } from '../platform/tasks/call/handler.js';
import { makeRelay } from '../relay/relay.module.js';
import { capabilitiesVersion } from '../sellers/index.js';
import { makeSellers, type Sellers } from '../sellers/sellers.module.js';
import { createTestController } from '../test-controller/create-test-controller.js';
import { makeWebhooks } from '../webhooks/webhooks.module.js';
import type { Connectors } from './load-connectors.js';
import type { Adapters } from './open-adapters.js';
import type { Configuration } from './settings/read-configuration.js';
import type { Watching } from './open-watching.js';

/** What a process has when its adapters are open. */
export interface Surroundings {
  readonly adapters: Adapters;
  readonly configuration: Configuration;
  readonly watching: Watching;
  readonly connectors: Connectors;
}

/** Everything that the process is made of. */
export type Parts = ReturnType<typeof compose>;

/** Has each capability make its own things, once per process, and gives it what it takes from others. */
export function compose(around: Surroundings) {
  const { adapters, configuration, watching, connectors } = around;
  serveCell(configuration.settings.SWITCHYARD_CELL);
  const address = { url: '' };
  const kernel = makeKernel(adapters, watching, configuration.http.profile === 'local', () => address.url);
  const { people, strangers, ...ways } = makeWays(kernel, around);
  const { keys, sellers, business, ledger, buys } = ways;
  const onEcho: (typeof sellers.echoes)['echoed'] = (by) => sellers.echoes.echoed(by);
  const webhooks = makeWebhooks(kernel, {
    ...{ ...keys, ...sellers, signerFor: keys.ownKeys.signerFor, onEcho },
    perMinute: configuration.settings.SWITCHYARD_WEBHOOKS_PER_MINUTE,
    capabilitiesVersion: (scope) => capabilitiesVersion(handlers, scope),
  });
  const relay = makeRelay(kernel, {
    ...{ ...people, ...keys, ...business, ...sellers, ...buys, onEcho },
    ...{ transport: adapters.transport, kms: adapters.keys, notice: buys.ports.notice },
  });
  const telling = makeNotices(kernel, {
    ...{ mail: watching.mail, noticeConnectors: connectors.notices, mailOfSignIn: people.mailOfSignIn },
  });
  const capabilities = { ...people, ...keys, ...sellers, ...business, ...ledger, ...buys, ...webhooks };
  const testing = kernel.isLocal && {
    testController: createTestController({ ...buys.ports, ...business, creatives: buys.creatives }),
  };
  const handlers: HandlerDeps = { ...kernel, ...capabilities, ...testing, ...ofTasks(kernel) };
  return {
    ...{ ...kernel, ...capabilities, kernel, sellers, address, strangers, relay, telling, handlers },
    ...testing,
    /** What each capability has made, apart from the others. */
    own: { people, ...ways, webhooks, relay, notices: telling },
    changeLog: changeLog(kernel.store),
  };
}

/** The capabilities on which the two ways in stand, webhooks and the relay. */
function makeWays(kernel: Kernel, { adapters, configuration }: Surroundings) {
  const { settings, rates, mail } = configuration;
  const { vault, metrics } = kernel;
  /** The organization that answers requests without a credential, once it is known. */
  const strangers: { organizationId?: string } = {};
  const people = makePeople(kernel, settings, mail !== undefined);
  const keys = makeKeys(kernel, {
    ...{ settings, issuers: configuration.issuers, signers: people.signers, service: adapters.signer },
    kmsKeys: allowedKmsKeys(settings),
    waitMs: settings.SWITCHYARD_KEY_WAIT_SECONDS * 1_000,
    querySigner: (agent) => sellers.querySigner(agent),
    strangersOf: () => strangers.organizationId,
  });
  const { ownKeys } = keys;
  const sellers: Sellers = makeSellers(kernel, {
    ...{ transport: adapters.transport, ownKeys, signers: people.signers },
    leaseWith: (renew) => leaseSecretsFrom(vault, metrics, renew),
    keyWatch: keys.keyAlarms.watch,
  });
  const business = makeBusiness(kernel, adapters);
  const ledger = makeLedger(kernel, {
    ...{ keys: adapters.keys, read: adapters.readLedger, ownKeys },
    spendLimit: settings.SWITCHYARD_SPEND_LIMIT,
  });
  const buys = makeBuys(kernel, {
    ...{ ...sellers, signerFor: ownKeys.signerFor, ledger: ledger.ledger, inserts: rates.inserts },
    endedLists: sellers.governedThings.ended,
    approvalMs: settings.SWITCHYARD_APPROVAL_HOURS * 3_600_000,
  });
  return { strangers, people, keys, sellers, business, ledger, buys };
}

/** What the handlers of tasks use of no capability. */
function ofTasks({
  store,
  isLocal,
  egress,
}: Kernel): Pick<
  HandlerDeps,
  'answers' | 'declareOnFirstUse' | 'refuseCallback' | 'takesPlaceholderSecrets'
> {
  return {
    answers: answerCache(store),
    declareOnFirstUse: isLocal,
    takesPlaceholderSecrets: isLocal,
    refuseCallback: async (url) => {
      const judged = await egress.checkUrl(url);
      return judged.ok ? undefined : judged.error.message;
    },
  };
}

function makeKernel(
  { store, egress, keys, isStopped }: Adapters,
  { metrics, tracing, onUnexpected }: Watching,
  isLocal: boolean,
  url: () => string,
): Kernel {
  const clock = systemClock;
  const newId = (): string => randomUUID();
  return {
    ...{ store, egress, isStopped, metrics, tracing, clock, newId, isLocal, url, onUnexpected },
    vault: createVault({ kms: keys, store: credentialStore(store), clock, newId, randomBytes }),
    connections: connectionDirectory(store),
    principals: principalDirectory(store),
    organizations: organizationsIn(store),
    audit: auditLog(store),
    alarms: alarmRepository(store, clock),
  };
}
