import { projectCapabilities, type GetCapabilitiesRequest } from '@switchyard/protocol';
import type { Handled, HandledCall, HandlerParts } from '../handler.js';

const replayTtlSeconds = 86_400;
const inFlightMaxSeconds = 120;

/** What this agent can do: what is built, over what is connected. Nothing is claimed that no seller backs. */
export async function getCapabilities(
  { ports }: HandlerParts,
  { scope, version }: HandledCall<GetCapabilitiesRequest>,
): Promise<Handled> {
  const live = (await ports.connections.list(scope)).filter((connection) => connection.state === 'live');
  const known = live.flatMap((connection) => connection.capabilities ?? []);
  const all = (read: (capabilities: (typeof known)[number]) => readonly string[]): string[] =>
    [...new Set(known.flatMap(read))].sort();
  const sells = live.some((connection) => connection.kinds.includes('sales'));
  const signals = live.some((connection) => connection.kinds.includes('signals'));
  const payload = projectCapabilities(
    {
      protocols: [
        ...(sells || !signals ? ['media_buy' as const] : []),
        ...(signals ? ['signals' as const] : []),
      ],
      publisherDomains: all((capabilities) => capabilities.publisherDomains),
      pricingModels: all((capabilities) => capabilities.pricingModels),
      idempotencyTtlSeconds: replayTtlSeconds,
      inFlightMaxSeconds,
      requestSigning: { supported: false },
      propagationSurfaces: ['snapshot'],
      requireOperatorAuth: false,
      supportedBilling: ['operator'],
    },
    version.voice,
  );
  return { kind: 'done', status: 'completed', payload };
}
