import { canonicalJson, err, isJsonObject, ok, type JsonObject, type Result } from '@switchyard/values';
import type { SellerAnswer, SellerTransport, TransportFailure } from '@switchyard/sellers';

/**
 * What happens to the next call. `answer`: carried out and answered. `lose`: carried out, the answer is lost. `drop`:
 * never arrives. `hang`: carried out, without an answer until the caller gives up. Otherwise: the given answer or failure,
 * nothing is carried out.
 */
export type Fate =
  | 'answer'
  | 'lose'
  | 'drop'
  | 'hang'
  | { readonly says: JsonObject }
  | { readonly fails: Omit<TransportFailure, 'message'> };

export interface MemorySeller {
  /** Buys made, in order: what this seller would invoice. */
  readonly buys: readonly JsonObject[];
  /** Every call that arrived, in order. */
  readonly received: readonly { readonly tool: string; readonly args: JsonObject }[];
  /** Fates of the next calls of a tool, in order; later calls are answered. */
  fate(tool: string, ...fates: readonly Fate[]): void;
  call(tool: string, args: JsonObject, signal: AbortSignal): Promise<Result<SellerAnswer, TransportFailure>>;
}

export interface MemorySellerOptions {
  /** Whether a repeated key makes no second buy. */
  readonly isIdempotent: boolean;
  /** Further members of its buys. */
  readonly buyMembers?: JsonObject;
  /** Whether its buys return the context of their request. */
  readonly echoesContext?: boolean;
}

const failure = (fails: Omit<TransportFailure, 'message'>) =>
  err({ ...fails, message: 'The seller in memory did as it was told.' });

/** A sales agent in memory: it makes and lists buys, and stores keys if `isIdempotent`. */
export function memorySeller(options: MemorySellerOptions): MemorySeller {
  const buys: JsonObject[] = [];
  const received: { tool: string; args: JsonObject }[] = [];
  const fates = new Map<string, Fate[]>();
  const remembered = new Map<string, { readonly body: string; readonly answer: JsonObject }>();

  const once = (args: JsonObject, work: () => JsonObject): JsonObject => {
    const key = options.isIdempotent ? args['idempotency_key'] : undefined;
    const before = typeof key === 'string' ? remembered.get(key) : undefined;
    if (before !== undefined) {
      if (before.body === canonicalJson(args)) return { ...before.answer, replayed: true };
      return { errors: [{ code: 'IDEMPOTENCY_CONFLICT', message: 'Another request had this key.' }] };
    }
    const answer = work();
    if (typeof key === 'string' && !('errors' in answer))
      remembered.set(key, { body: canonicalJson(args), answer });
    return answer;
  };
  const create = (args: JsonObject): JsonObject => {
    const made = madeOf(args, `their-${buys.length + 1}`, options);
    buys.push(made);
    return made;
  };
  const update = (args: JsonObject): JsonObject => {
    const at = buys.findIndex((buy) => buy['media_buy_id'] === args['media_buy_id']);
    const known = buys[at];
    if (known === undefined) return { errors: [{ code: 'MEDIA_BUY_NOT_FOUND', message: 'Not here.' }] };
    const changed = changedBy(known, args);
    if ('errors' in changed) return changed;
    buys[at] = changed;
    const { packages, ...answer } = changed;
    return { ...answer, affected_packages: packages ?? [] };
  };
  const carryOut = (tool: string, args: JsonObject): JsonObject => {
    if (tool === 'create_media_buy') return once(args, () => create(args));
    if (tool === 'update_media_buy') return once(args, () => update(args));
    if (tool === 'get_media_buys')
      return {
        media_buys: buys.map((buy) => ({
          ...buy,
          status: buy['media_buy_status'] ?? buy['status'] ?? 'active',
        })),
      };
    return { errors: [{ code: 'UNSUPPORTED_FEATURE', message: 'No such tool here.' }] };
  };

  return {
    buys,
    received,
    fate: (tool, ...next) => void fates.set(tool, [...(fates.get(tool) ?? []), ...next]),
    call: async (tool, args, signal) => {
      await Promise.resolve();
      const fate = fates.get(tool)?.shift() ?? 'answer';
      if (fate === 'drop') return failure({ code: 'unreachable', delivered: 'no' });
      received.push({ tool, args });
      if (typeof fate === 'object' && 'fails' in fate) return failure(fate.fails);
      if (typeof fate === 'object') return ok({ payload: fate.says, isError: 'errors' in fate.says });
      const payload = carryOut(tool, args);
      if (fate === 'lose') return failure({ code: 'unreachable', delivered: 'maybe' });
      if (fate === 'hang') return untilAborted(signal);
      return ok({ payload, isError: 'errors' in payload });
    },
  };
}

/** The transport port over sellers in memory, by connection id. A connection without a seller is not reachable. */
export function memoryTransport(sellers: ReadonlyMap<string, MemorySeller>): SellerTransport {
  return {
    call: async (target, { tool, args }, signal) =>
      sellers.get(target.connectionId)?.call(tool, args, signal) ??
      failure({ code: 'unreachable', delivered: 'no' }),
    listTools: () => Promise.resolve(ok({})),
    forget: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

function madeOf(args: JsonObject, id: string, options: MemorySellerOptions): JsonObject {
  const { packages, context, buyer_ref: reference } = args;
  const requested = Array.isArray(packages) ? packages.filter(isJsonObject) : [];
  return {
    media_buy_id: id,
    media_buy_status: 'active',
    confirmed_at: '2026-01-01T00:00:00.000Z',
    revision: 1,
    currency: 'USD',
    total_budget: 1,
    packages: requested.map((item, index) => ({
      package_id: `${id}-p${index + 1}`,
      product_id: item['product_id'] ?? '',
      pricing_option_id: item['pricing_option_id'] ?? '',
      ...(item['context'] === undefined ? {} : { context: item['context'] }),
    })),
    ...(options.echoesContext === false || context === undefined ? {} : { context }),
    ...(reference === undefined ? {} : { buyer_ref: reference }),
    ...options.buyMembers,
  };
}

/** A buy after a change: a pause, an end, a budget, one more package. An ended buy cannot be changed. */
function changedBy(buy: JsonObject, args: JsonObject): JsonObject {
  const wrapped = isJsonObject(args['updates']) ? args['updates'] : undefined;
  const requested = wrapped ?? args;
  if (buy['media_buy_status'] === 'canceled')
    return { errors: [{ code: 'NOT_CANCELLABLE', message: 'It is canceled.' }] };
  const known = Array.isArray(buy['packages']) ? buy['packages'].filter(isJsonObject) : [];
  const listed = Array.isArray(requested['packages']) ? requested['packages'].filter(isJsonObject) : [];
  const added = Array.isArray(requested['new_packages'])
    ? requested['new_packages'].filter(isJsonObject)
    : [];
  const packages = known.map((item) => {
    const change = listed.find((change) => change['package_id'] === item['package_id']);
    return change === undefined ? item : { ...item, ...change };
  });
  const fresh = added.map((item, at) => ({
    ...item,
    package_id: `${buy['media_buy_id'] as string}-p${known.length + at + 1}`,
  }));
  const status =
    requested['canceled'] === true || requested['status'] === 'canceled'
      ? 'canceled'
      : requested['paused'] === true || requested['status'] === 'paused'
        ? 'paused'
        : requested['paused'] === false || requested['status'] === 'active'
          ? 'active'
          : buy['media_buy_status'];
  return {
    ...buy,
    ...(status === undefined ? {} : { media_buy_status: status }),
    ...(requested['end_time'] === undefined ? {} : { end_time: requested['end_time'] }),
    revision: Number(buy['revision'] ?? 1) + 1,
    packages: [...packages, ...fresh],
  };
}

function untilAborted(signal: AbortSignal): Promise<Result<never, TransportFailure>> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(failure({ code: 'aborted', delivered: 'maybe' })), {
      once: true,
    });
  });
}
