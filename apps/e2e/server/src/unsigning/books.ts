import { randomUUID } from 'node:crypto';
import type { Json } from '../harness/buy-request.js';
import { capabilities, product } from './declared.js';
import { objectOf } from './http-json.js';

/** The webhook addresses in a create request. */
export interface RequestedBuy {
  readonly mediaBuyId: string;
  readonly taskId: string;
  readonly packageId: string;
  /** `push_notification_config` and `reporting_webhook` of the arguments. */
  readonly push: Json;
  readonly reporting: Json;
  /** The native A2A configuration. */
  readonly native: Json;
}

/** The seller's buys, and its answers to all tasks except `create_media_buy`. */
export class Books {
  url = '';
  how: 'at once' | 'later' = 'later';
  spend = '0';
  readonly requested: RequestedBuy[] = [];
  readonly calls: Record<string, number> = {};
  readonly completed = new Set<string>();
  readonly #packages = new Map<string, Json>();

  count(name: string): void {
    this.calls[name] = (this.calls[name] ?? 0) + 1;
  }

  isDone({ taskId }: RequestedBuy): boolean {
    return this.completed.has(taskId);
  }

  take(args: Json, native: Json): RequestedBuy {
    const id = randomUUID().slice(0, 8);
    const requested: RequestedBuy = {
      mediaBuyId: `mb_${id}`,
      taskId: `task_${id}`,
      packageId: `pkg_${id}`,
      push: objectOf(args['push_notification_config']),
      reporting: objectOf(args['reporting_webhook']),
      native,
    };
    const [first] = Array.isArray(args['packages']) ? (args['packages'] as Json[]) : [];
    this.#packages.set(requested.packageId, first ?? {});
    this.requested.push(requested);
    if (this.how === 'at once') this.completed.add(requested.taskId);
    return requested;
  }

  resultOf({ mediaBuyId, packageId }: RequestedBuy): Json {
    const { product_id, pricing_option_id, budget, context } = this.#packages.get(packageId) ?? {};
    return {
      adcp_version: '3.1',
      status: 'completed',
      media_buy_id: mediaBuyId,
      media_buy_status: 'active',
      confirmed_at: new Date().toISOString(),
      revision: 1,
      currency: 'USD',
      packages: [{ package_id: packageId, product_id, pricing_option_id, budget, context }],
    };
  }

  delivered({ mediaBuyId, packageId }: RequestedBuy): Json {
    const spend = Number(this.spend);
    return {
      reporting_period: dayOf(Date.now()),
      currency: 'USD',
      media_buy_deliveries: [
        {
          media_buy_id: mediaBuyId,
          status: 'active',
          totals: { spend, impressions: 1000 },
          by_package: [
            {
              package_id: packageId,
              spend,
              impressions: 1000,
              pricing_model: 'cpm',
              rate: 5,
              currency: 'USD',
            },
          ],
        },
      ],
    };
  }

  reportOf(requested: RequestedBuy, sequence: number, type: string): Json {
    return { notification_type: type, sequence_number: sequence, ...this.delivered(requested) };
  }

  /** `create_media_buy` is answered differently in each protocol; other tasks are equal in both. */
  answer(task: string, args: Json): Json {
    switch (task) {
      case 'get_adcp_capabilities':
        return capabilities;
      case 'get_products':
        return { adcp_version: '3.1', status: 'completed', products: [product] };
      case 'get_task_status': {
        const requested = this.requested.find(({ taskId }) => taskId === args['task_id']);
        if (requested === undefined) return failure('TASK_NOT_FOUND');
        const base = { task_id: requested.taskId, task_type: 'create_media_buy', protocol: 'media-buy' };
        return this.isDone(requested)
          ? { ...base, status: 'completed', result: this.resultOf(requested) }
          : { ...base, status: 'working' };
      }
      case 'get_media_buys':
        return {
          status: 'completed',
          media_buys: this.requested
            .filter((request) => this.isDone(request))
            .map((request) => ({ ...this.resultOf(request), status: 'active' })),
        };
      case 'get_media_buy_delivery': {
        const ids: unknown = args['media_buy_ids'];
        const requested = this.requested.find(
          (request) => Array.isArray(ids) && ids.includes(request.mediaBuyId),
        );
        return requested === undefined
          ? failure('MEDIA_BUY_NOT_FOUND')
          : { status: 'completed', ...this.delivered(requested) };
      }
      default:
        return failure('UNSUPPORTED_FEATURE');
    }
  }
}

function dayOf(instant: number): Json {
  const start = Math.floor(instant / 86_400_000) * 86_400_000;
  return { start: new Date(start).toISOString(), end: new Date(start + 86_400_000).toISOString() };
}

function failure(code: string): Json {
  return { status: 'failed', errors: [{ code, message: code }] };
}
