import type { Finding, MediaBuyDelivery } from '@switchyard/protocol';

/** A part of a row and the seller that it came from. */
export interface DeliveryPart {
  readonly seller: string;
  readonly delivery: MediaBuyDelivery;
}

export interface PricingModels {
  /** What all of the sellers are paid by. */
  readonly common?: string;
  readonly findings: readonly (Finding & { readonly seller: string })[];
}

/** What a buy is paid by at its sellers: a row has room for one model, and packages name their own. */
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
