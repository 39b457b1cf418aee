import type { Buy, BuyPackage } from './buy.js';
import { isObject, objectOf, textOf, type JsonObject } from '../json.js';

/** The smallest variance that this agent accepts between its count and another one, in per cent. */
const variancePromised = 10;

/** A haggling agent's answer to the terms of a package: it spends evenly, counts roughly, and accepts the rest. */
export function counteredTerms(requested: JsonObject): JsonObject {
  const { pacing, performance_standards: standards } = requested;
  const terms = objectOf(requested['measurement_terms']);
  const measured = objectOf(terms?.['billing_measurement']);
  const counted = {
    ...terms,
    billing_measurement: { ...measured, max_variance_percent: variancePromised },
  };
  return {
    ...(textOf(pacing) === undefined ? {} : { pacing: 'even' }),
    ...(measured === undefined ? {} : { measurement_terms: counted }),
    ...(Array.isArray(standards) && standards.every(isObject) ? { performance_standards: standards } : {}),
  };
}

/** What it does to the packages of a buy by itself after making it: it pauses the first and withdraws the last. */
export function secondThoughts(buy: Buy, part: BuyPackage): JsonObject {
  const at = buy.packages.indexOf(part);
  if (at === 0) return { paused: true };
  if (at < buy.packages.length - 1) return {};
  const canceled_at = new Date(buy.createdAt).toISOString();
  return {
    canceled: true,
    cancellation: { canceled_at, canceled_by: 'seller', reason: 'The place was withdrawn.' },
  };
}
