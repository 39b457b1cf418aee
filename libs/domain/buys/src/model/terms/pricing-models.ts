import type { Finding, MediaBuyDelivery } from '@switchyard/protocol';

/** One seller's part of a row. */
export interface DeliveryPart {
  readonly seller: string;
  readonly delivery: MediaBuyDelivery;
}

interface PricingModels {
  /** The pricing model that all sellers share. */
  readonly common?: string;
  readonly findings: readonly (Finding & { readonly seller: string })[];
}

/** The pricing model of a buy over its sellers: a row has one, and packages have their own. */
export function pricingModels(parts: readonly DeliveryPart[]): PricingModels {
  const models = new Set(parts.map(({ delivery }) => delivery.pricingModel));
  const [first] = models;
  if (models.size === 1) return { ...(first === undefined ? {} : { common: first }), findings: [] };
  const findings = parts.flatMap(({ seller, delivery: { pricingModel } }) =>
    pricingModel === undefined
      ? []
      : [
          {
            seller,
            code: 'PRICING_MODEL_DIFFERS',
            message: `This seller is paid by ${pricingModel.slice(0, 64)}, and not all of the buy's others are.`,
            field: 'media_buy_deliveries[].pricing_model',
          },
        ],
  );
  return { findings };
}
