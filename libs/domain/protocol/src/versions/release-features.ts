import type { Original } from '../message/original.js';
import type { Form } from './wire-profile.js';

const from3_0: readonly Form[] = ['3.0', '3.1'];
const from3_1: readonly Form[] = ['3.1'];

/**
 * What messages of a release can say that others cannot, or have to say. Whoever needs to know asks for the feature, and
 * not for the number of a release: a new release is one more place here, and nowhere else.
 */
const features = {
  /** A token of governance in requests that change something. */
  governanceContext: from3_0,
  /** The task `report_usage`, with the account that each record bills. */
  usageReports: from3_0,
  /** A sync of creatives names at least one. */
  syncsNameCreatives: from3_0,
  /** A question for signals by their ids. */
  signalIds: from3_0,
  /** `action` of `activate_signal`, which takes a signal back. */
  signalDeactivation: from3_0,
  /** What an answer about a buy says of each package's approvals and changes. */
  buyDetails: from3_0,
  /** Buying a proposal by its id. */
  proposals: from3_0,
  /** Packages with flights and dayparts of their own. */
  packageTimes: from3_0,
  /** Capabilities that say which filters and targeting are offered. */
  declaredFilters: from3_0,
  /** Refinements of an earlier answer about products. */
  refinements: from3_0,
  /** The portfolio stands in the capabilities, and has no task of its own. */
  declaredPortfolio: from3_0,
  /** Every list says whether there is another page. */
  pagesInEveryAnswer: from3_0,
  /** Creatives as objects that can be sent on as they came. */
  wholeCreatives: from3_0,
  /** Finalizing a proposal stands alone in its request. */
  finalizesAlone: from3_1,
  /** Answers about buys list their impairments. */
  impairments: from3_1,
  /** Requests that change something are signed (RFC 9421). */
  signedChanges: from3_1,
  /** An address for news of an account. */
  accountNotices: from3_1,
  /** `comply_test_controller` answers in the envelope of every task. */
  testControllerEnvelope: from3_1,
  /** A webhook's envelope, and the registration of one, name the operation. */
  operationIds: ['service', '3.1'],
} as const satisfies Readonly<Record<string, readonly Form[]>>;

export type ReleaseFeature = keyof typeof features;

export function hasFeature(form: Original['form'], feature: ReleaseFeature): boolean {
  const having: readonly Original['form'][] = features[feature];
  return having.includes(form);
}

/** Every form, oldest first, as a setting names it. */
export const forms = ['service', '2.5', '3.0', '3.1'] as const satisfies readonly Form[];

/** The form of what we write where nobody has asked for another one. */
export const latestForm: Form = '3.1';
