import { createHash } from 'node:crypto';

/**
 * The order in which sellers take their turns in the answer to one question. It is drawn from the question's words, so
 * that whoever asks again finds the same order, one that also stands when a seller falls out; and over many questions no
 * seller comes first because of its name.
 */
export function drawTurns<Offer extends { readonly seller: string }>(
  offers: readonly Offer[],
  question: string,
): Offer[] {
  return offers
    .map((offer) => ({ offer, lot: lotOf(question, offer.seller) }))
    .sort((one, other) => Buffer.compare(one.lot, other.lot))
    .map(({ offer }) => offer);
}

function lotOf(question: string, seller: string): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([question, seller]))
    .digest();
}
