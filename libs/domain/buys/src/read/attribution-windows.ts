import type { MarketLeg } from '@switchyard/fanout';
import type { DeliveryReport, Finding } from '@switchyard/protocol';
import { canonicalJson, type JsonObject } from '@switchyard/values';

export interface AttributionWindows {
  /** The one that every seller counted by that names any. */
  readonly common?: JsonObject;
  /** Where they differ: each seller's own. Then conversions of two sellers are two measures. */
  readonly findings: readonly (Finding & { readonly seller: string })[];
}

/** What sellers counted conversions by (docs/protocol/delivery.md#sums): one answer has one place to say it. */
export function attributionWindows(
  legs: readonly Pick<MarketLeg<DeliveryReport>, 'seller' | 'answer'>[],
): AttributionWindows {
  const reported = legs.flatMap(({ seller, answer }) =>
    answer?.attributionWindow === undefined ? [] : [{ seller, window: answer.attributionWindow }],
  );
  const [first] = reported;
  if (first === undefined) return { findings: [] };
  if (new Set(reported.map(({ window }) => canonicalJson(window))).size === 1)
    return { common: first.window, findings: [] };
  return {
    findings: reported.map(({ seller, window }) => ({
      seller,
      code: 'ATTRIBUTION_DIFFERS',
      message: `This seller counts conversions by ${canonicalJson(window)}, and others otherwise.`.slice(
        0,
        500,
      ),
      field: 'attribution_window',
    })),
  };
}
