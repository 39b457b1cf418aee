import { randomUUID } from 'node:crypto';
import {
  applyObservation,
  type Begun,
  type OperationDraft,
  type OperationState,
  type SellerBuy,
} from '@switchyard/buys';
import type { Observation } from '@switchyard/ledger';
import type { TenantScope } from '@switchyard/tenancy';
import { createConnection, makeOperation } from '@switchyard/testing';
import { isoOf, type Instant, type JsonObject } from '@switchyard/values';
import { operationStore } from '../../buys/operation-store.js';
import type { Store } from '../../core/open-store.js';
import { invoiceRepository } from '../../finance/invoice-repository.js';
import { ledgerStore } from '../../ledger/ledger-store.js';

const dayMs = 86_400_000;

/** A buy at one seller, which its seller has accepted. */
export interface CommittedBuy {
  readonly draft: OperationDraft & { readonly buy: { readonly id: string } };
  readonly legId: string;
  readonly sellerBuyId: string;
  readonly sellerMediaBuyId: string;
}

interface Wanted {
  readonly amount: bigint;
  /** First and last instant. */
  readonly flight: readonly [start: Instant, end: Instant];
  readonly createdAt: Instant;
  /** Its start is `asap`. */
  readonly startsAsap?: boolean;
  readonly quoted?: JsonObject;
}

interface Figure {
  /** The day of the figure. */
  readonly day: Instant;
  /** All that the day cost, decimal text. */
  readonly spend: string;
  /** The last report, with final figures. */
  readonly isLast?: boolean;
  readonly source?: Observation['source'];
}

/** Buys of one organization at one seller, which accepts, delivers, reports and bills as a test says. */
export async function committedBuys(store: Store, scope: TenantScope) {
  const operations = operationStore(store);
  const ledger = ledgerStore(store);
  const { id: connectionId } = await createConnection(store, scope.organizationId);
  const [principalId, campaignId] = [randomUUID(), randomUUID()];
  let sequence = 0;
  const change = ({ legId }: CommittedBuy, decide: (state: OperationState) => OperationState) =>
    operations.change(scope, legId, decide);

  /** Requests a buy; `kind` is what the limits say. */
  async function request(wanted: Wanted): Promise<CommittedBuy & { readonly kind: Begun['kind'] }> {
    const { amount, flight, createdAt } = wanted;
    const made = makeOperation(scope, {
      ...{
        principalId,
        sellers: ['acme'],
        connectionIds: { acme: connectionId },
        packagesPerLeg: 1,
        createdAt,
      },
    });
    const [leg] = made.legs;
    const [sellerBuy] = made.sellerBuys;
    if (leg === undefined || sellerBuy === undefined) throw new Error('A draft without a leg.');
    const draft = {
      ...made,
      operation: { ...made.operation, campaignId },
      buy: {
        ...made.buy,
        startTime: wanted.startsAsap === true ? 'asap' : isoOf(flight[0]),
        endTime: isoOf(flight[1]),
      },
      packages: made.packages.map((item) => ({
        ...item,
        budgetMicros: amount,
        terms: { requested: {}, sent: {}, reported: {}, ...(wanted.quoted && { quoted: wanted.quoted }) },
      })),
      spend: { parts: [{ legId: leg.id, seller: 'acme', amount, currency: 'USD' }], quotes: [] },
    };
    const { kind } = await operations.begin(scope, draft);
    return { draft, kind, legId: leg.id, sellerBuyId: sellerBuy.id, sellerMediaBuyId: `their-${leg.id}` };
  }

  async function answer(buy: CommittedBuy, status: 'completed' | 'rejected', at: Instant): Promise<void> {
    const payload =
      status === 'completed'
        ? { media_buy_id: buy.sellerMediaBuyId, confirmed_at: isoOf(at), packages: [{ package_id: 'p1' }] }
        : {};
    const reply = { status, payload, errors: [], replayed: false };
    await change(buy, (state) => applyObservation(state, buy.legId, { source: 'inline', at, reply }));
  }

  return {
    operations,
    ledger,
    campaignId,
    request,
    answer,
    /** Requests a buy that its limits let pass, and that its seller accepts. */
    bought: async (wanted: Wanted): Promise<CommittedBuy> => {
      const { kind, ...buy } = await request(wanted);
      if (kind !== 'stored') throw new Error(`The buy is not made: ${kind}.`);
      await answer(buy, 'completed', wanted.createdAt);
      return buy;
    },
    becomes: (buy: CommittedBuy, status: SellerBuy['status'], at: Instant) =>
      change(buy, (state) => ({
        ...state,
        operation: { ...state.operation, updatedAt: at },
        sellerBuys: state.sellerBuys.map((part) => ({ ...part, status, statusAsOf: at })),
      })),
    /** Its seller accepts another budget. */
    budgeted: (buy: CommittedBuy, amount: bigint, at: Instant) =>
      change(buy, (state) => ({
        ...state,
        operation: { ...state.operation, updatedAt: at },
        packages: state.packages.map((item) => ({ ...item, budgetMicros: amount })),
      })),
    report: async (
      buy: CommittedBuy,
      { day, spend, isLast = false, source = 'webhook' }: Figure,
    ): Promise<void> => {
      sequence += 1;
      const start = Math.floor(day / dayMs) * dayMs;
      const reportedAt = start + 40 * dayMs + sequence * 1_000;
      const figure = { packageId: 'p1', spend, original: {}, ...(isLast && { isFinal: true }) };
      const observation: Observation = {
        connectionId,
        source,
        stream: `address of ${buy.legId}`,
        report: {
          notificationType: isLast ? 'final' : 'scheduled',
          sequenceNumber: sequence,
          period: { start: isoOf(start), end: isoOf(start + dayMs) },
          currency: 'USD',
          partialData: false,
          deliveries: [
            {
              ...{ mediaBuyId: buy.sellerMediaBuyId, status: 'active', isAdjusted: false },
              ...{ totals: { spend: '0', original: {} }, byPackage: [figure] },
            },
          ],
        },
        reportedAt,
        receivedAt: reportedAt + 20,
        eventId: randomUUID(),
        legId: buy.legId,
      };
      const [outcome] = await ledger.applyReports(scope, [observation], { now: reportedAt });
      if (outcome?.kind !== 'applied') throw new Error(`The report is ${outcome?.kind ?? 'lost'}.`);
    },
    /** Books an invoice of the seller that names the buy. */
    invoice: async (buy: CommittedBuy, amountMicros: bigint, at: Instant): Promise<void> => {
      const number = randomUUID();
      const line = { line: 1, sellerMediaBuyId: buy.sellerMediaBuyId, amountMicros };
      await invoiceRepository(store).book(
        scope,
        {
          connectionId,
          seller: 'acme',
          documents: [
            {
              head: {
                ...{
                  number,
                  period: isoOf(at).slice(0, 7),
                  issuedOn: isoOf(at).slice(0, 10),
                  currency: 'USD',
                },
                ...{ totalMicros: amountMicros, lineTotal: 1 },
              },
              lines: (async function* () {
                yield await Promise.resolve([line]);
              })(),
            },
          ],
          mapping: {},
          file: { name: 'invoice.csv', hash: number, bytes: Buffer.from(number) },
          importedBy: principalId,
        },
        at,
      );
    },
  };
}

export type CommittedBuys = Awaited<ReturnType<typeof committedBuys>>;
