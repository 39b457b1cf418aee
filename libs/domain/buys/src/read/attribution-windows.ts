import type { MarketLeg } from '@switchyard/fanout';
import type { DeliveryReport, Finding } from '@switchyard/protocol';
import { canonicalJson, type JsonObject } from '@switchyard/values';

interface AttributionWindows {
  /** The window that every seller reports that reports one. */
  readonly common?: JsonObject;
  /** Where they differ: the window of each seller. Conversions of two sellers are then not comparable. */
  readonly findings: readonly (Finding & { readonly seller: string })[];
}

/** The attribution windows of sellers (docs/protocol/delivery.md#sums). An answer has one member for them. */
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
