import type { Original } from '../message/original.js';
import type { Form } from './wire-profile.js';

const from3_0: readonly Form[] = ['3.0', '3.1'];
const from3_1: readonly Form[] = ['3.1'];

/**
 * Features and requirements that differ by release. Code checks a feature and not a release number, so that a new
 * release is added only here.
 */
const features = {
  /** A governance token in requests that change data. */
  governanceContext: from3_0,
  /** The task `report_usage`, with the account that each record bills. */
  usageReports: from3_0,
  /** A sync of creatives requires at least one creative. */
  syncsNameCreatives: from3_0,
  /** Requests for signals by their ids. */
  signalIds: from3_0,
  /** `action` of `activate_signal`, which can deactivate a signal. */
  signalDeactivation: from3_0,
  /** Answers about a buy include approvals and changes of each package. */
  buyDetails: from3_0,
  /** Buying a proposal by its id. */
  proposals: from3_0,
  /** Packages with their own flights and dayparts. */
  packageTimes: from3_0,
  /** Capabilities that list the supported filters and targeting. */
  declaredFilters: from3_0,
  /** Refinements of an earlier answer about products. */
  refinements: from3_0,
  /** The portfolio is in the capabilities; there is no task for it. */
  declaredPortfolio: from3_0,
  /** Every list states whether there is another page. */
  pagesInEveryAnswer: from3_0,
  /** Creatives are objects that can be sent on unchanged. */
  wholeCreatives: from3_0,
  /** A request that finalizes a proposal must contain no other change. */
  finalizesAlone: from3_1,
  /** Answers about buys list their impairments. */
  impairments: from3_1,
  /** Requests that change data are signed (RFC 9421). */
  signedChanges: from3_1,
  /** An address for notifications about an account. */
  accountNotices: from3_1,
  /** `comply_test_controller` answers in the envelope of every task. */
  testControllerEnvelope: from3_1,
  /** A webhook's envelope and its registration contain an operation id. */
  operationIds: ['service', '3.1'],
} as const satisfies Readonly<Record<string, readonly Form[]>>;

type ReleaseFeature = keyof typeof features;

export function hasFeature(form: Original['form'], feature: ReleaseFeature): boolean {
  const having: readonly Original['form'][] = features[feature];
  return having.includes(form);
}

/** Every form, oldest first, by its name in settings. */
export const forms = ['service', '2.5', '3.0', '3.1'] as const satisfies readonly Form[];

/** The form that is written if no other one is requested. */
export const latestForm: Form = '3.1';
