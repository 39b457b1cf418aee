import type { DialectNames } from '@switchyard/protocol';
import { activateSignal, getSignals } from '../signals/signals-tasks.js';
import { complyTestController } from '../test-controller/comply-test-controller.js';
import { listAccounts, syncAccounts } from '../accounts/accounts-tasks.js';
import { cancelTask } from './cancel-task.js';
import { createMediaBuy } from '../buys/create-media-buy.js';
import { showFormats } from '../creatives/formats.js';
import { getDelivery } from '../delivery/get-delivery.js';
import { getMediaBuys } from '../buys/get-media-buys.js';
import { getProducts } from '../buys/get-products.js';
import { getTask } from './get-task.js';
import { inputSchema } from './input-schema.js';
import { listOf, objectOf, textOf, textsOf } from '../json.js';
import { done } from './outcome.js';
import { listGivenAccounts } from '../accounts/given-accounts.js';
import { listCreatives } from '../creatives/list-creatives.js';
import type { Personality } from '../personalities.js';
import { showCapabilities } from './show-capabilities.js';
import { syncCreatives } from '../creatives/sync-creatives.js';
import { takeUsage, takeFeedback } from '../delivery/take-usage.js';
import type { Tool } from './tool.js';
import { updateMediaBuy } from '../buys/update-media-buy.js';

/** The tasks that an agent of this personality serves: one row each. */
export function toolsOf(personality: Personality, names: DialectNames): readonly Tool[] {
  const row = (tool: Omit<Tool, 'inputSchema'>, schemaOf = tool.name): Tool => ({
    ...tool,
    inputSchema: inputSchema(schemaOf, personality.form, names),
  });
  const shared = [
    row(
      {
        name: names.capabilitiesTask,
        description: 'What this agent can do.',
        access: 'public',
        mutates: false,
        run: (agent) => done(showCapabilities(agent)),
      },
      'capabilities',
    ),
    row({
      name: 'tasks/get',
      description: 'Where a long-running task stands.',
      access: 'credentials',
      mutates: false,
      run: getTask,
    }),
    row({
      name: 'tasks/cancel',
      description: 'Calls a long-running task off.',
      access: 'credentials',
      mutates: true,
      run: cancelTask,
    }),
  ];
  const own = ownRows(personality, row);
  // Since 3.0 the portfolio is in the capabilities, and the task no longer exists.
  const isOlder = personality.kind === 'sales' && personality.form === 'service';
  const older = isOlder ? [propertiesRow(row)] : [];
  const accounts = personality.keepsAccounts ? accountsRows(row) : [];
  return [
    ...shared,
    ...own,
    ...older,
    ...accounts,
    ...(personality.hasTestController ? [testControllerRow(row)] : []),
  ];
}

/** What it sells by; agents that decide sell nothing. */
function ownRows({ kind, accounts }: Personality, row: Row): readonly Tool[] {
  if (kind === 'signals') return signalsRows(row);
  if (kind !== 'sales') return [];
  return [...salesRows(row), ...(accounts.length === 0 ? [] : [givenAccountsRow(row)])];
}

function givenAccountsRow(row: Row): Tool {
  return row({
    name: 'list_accounts',
    description: 'Your accounts here.',
    access: 'credentials',
    mutates: false,
    run: listGivenAccounts,
  });
}

type Row = (tool: Omit<Tool, 'inputSchema'>) => Tool;

function testControllerRow(row: Row): Tool {
  return row({
    name: 'comply_test_controller',
    description: 'Puts this sandbox agent into a state that a test needs.',
    access: 'credentials',
    mutates: false,
    run: complyTestController,
  });
}

function accountsRows(row: Row): readonly Tool[] {
  return [
    row({
      name: 'list_accounts',
      description: 'The accounts of this buyer.',
      access: 'credentials',
      mutates: false,
      run: listAccounts,
    }),
    row({
      name: 'sync_accounts',
      description: 'Declares accounts, and who is told of their events.',
      access: 'credentials',
      mutates: true,
      run: syncAccounts,
    }),
  ];
}

function propertiesRow(row: Row): Tool {
  return row({
    name: 'list_authorized_properties',
    description: 'The publishers whose supply is sold here.',
    access: 'public',
    mutates: false,
    run: ({ products }) =>
      done({ publisher_domains: [...new Set(products.map((product) => product.publisherDomain))] }),
  });
}

function salesRows(row: Row): readonly Tool[] {
  return [
    row({
      name: 'get_products',
      description: 'Products that fit a brief.',
      access: 'public',
      mutates: false,
      run: (agent, args, caller, native) => getProducts(agent, args, caller, native),
    }),
    row({
      name: 'list_creative_formats',
      description: 'Creative formats that the products take.',
      access: 'public',
      mutates: false,
      run: (agent, args) =>
        done({
          formats: showFormats(
            agent,
            textsOf(args['format_types'] ?? args['type']),
            listOf(args['format_ids'])?.map((each) => textOf(objectOf(each)?.['id']) ?? ''),
          ),
        }),
    }),
    row({
      name: 'sync_creatives',
      description: 'Takes creatives into the library.',
      access: 'credentials',
      mutates: true,
      run: (agent, args, _caller, native) => syncCreatives(agent, args, native),
    }),
    row({
      name: 'list_creatives',
      description: 'The library of creatives.',
      access: 'credentials',
      mutates: false,
      run: listCreatives,
    }),
    row({
      name: 'create_media_buy',
      description: 'Buys packages of products.',
      access: 'credentials',
      mutates: true,
      run: (agent, args, _caller, native) => createMediaBuy(agent, args, native),
    }),
    row({
      name: 'update_media_buy',
      description: 'Pauses, resumes, cancels or changes a buy and its packages.',
      access: 'credentials',
      mutates: true,
      run: (agent, args, _caller, native) => updateMediaBuy(agent, args, native),
    }),
    row({
      name: 'get_media_buys',
      description: 'Buys and their states.',
      access: 'credentials',
      mutates: false,
      run: getMediaBuys,
    }),
    row({
      name: 'get_media_buy_delivery',
      description: 'What was delivered.',
      access: 'credentials',
      mutates: false,
      run: getDelivery,
    }),
    row({
      name: 'provide_performance_feedback',
      description: 'How well a buy did, as its buyer sees it.',
      access: 'credentials',
      mutates: true,
      run: takeFeedback,
    }),
  ];
}

function signalsRows(row: Row): readonly Tool[] {
  return [
    row({
      name: 'get_signals',
      description: 'Audience signals that fit a wish.',
      access: 'credentials',
      mutates: false,
      run: getSignals,
    }),
    row({
      name: 'activate_signal',
      description: 'Makes a signal work at a target.',
      access: 'credentials',
      mutates: true,
      run: (agent, args, _caller, native) => activateSignal(agent, args, native),
    }),
    row({
      name: 'report_usage',
      description: 'What was used of the signals, and what is owed.',
      access: 'credentials',
      mutates: true,
      run: takeUsage,
    }),
  ];
}
