import {
  getProducts,
  getSignals,
  type Capabilities,
  type Dialect,
  type SettingForm,
} from '@switchyard/protocol';
import { err, ok, type Result } from '@switchyard/values';
import { queryAgent, type AgentFailure, type Tools } from './query-agent.js';
import type { DiscoveredSeller } from './connection-directory.js';
import type { SellerKind } from './connection.js';
import type { SellerTarget, SellerTransport } from './transport.js';

/** Why a seller cannot go live, with a text for an admin about what to do. */
export interface ProbeFailure extends Omit<AgentFailure, 'code'> {
  readonly code: AgentFailure['code'] | 'sells_nothing';
}

/**
 * Probes a seller before it goes live: its tools, its capabilities, the form of requests to it
 * (docs/protocol/requests-and-versions.md#forms), and whether it sells inventory, signals or both. It only reads, so it
 * may be repeated.
 */
export async function probeSeller(
  transport: SellerTransport,
  target: SellerTarget,
  configured: SettingForm,
  signal: AbortSignal,
): Promise<Result<DiscoveredSeller, ProbeFailure>> {
  const reported = await queryAgent(transport, target, { configured, signal });
  if (!reported.ok) return reported;
  const { capabilities, form, tools } = reported.value;
  const kinds = kindsOf(capabilities, tools);
  if (kinds.length === 0) {
    return err({
      code: 'sells_nothing',
      message:
        'The seller offers neither products nor signals: it lists no such task and declares no such protocol.',
    });
  }
  return ok({
    capabilities,
    form,
    kinds,
    ...(Object.keys(tools).length === 0 ? {} : { tools }),
  });
}

function kindsOf(capabilities: Capabilities, tools: Tools): SellerKind[] {
  const kinds: SellerKind[] = [];
  if (capabilities.protocols.includes('media_buy') || offers(tools, getProducts.names)) kinds.push('sales');
  if (capabilities.protocols.includes('signals') || offers(tools, getSignals.names)) kinds.push('signals');
  return kinds;
}

function offers(tools: Tools, names: Readonly<Record<Dialect, readonly string[]>>): boolean {
  return [...names.ads, ...names.adcp].some((name) => Object.hasOwn(tools, name));
}
