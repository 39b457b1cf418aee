import { defined, err, ok, type JsonObject, type Result } from '@switchyard/values';
import { answeredForm } from '../versions/seller-form.js';
import type { CreateMediaBuyAnswer, CreateMediaBuyRequest } from '../entities/media-buy/create-media-buy.js';
import { type Finding, notExpressible } from '../losses/finding.js';
import { type PackageRequest, readPackage } from '../entities/package/package-request.js';
import type { TaskError } from '../errors/task-fault.js';
import type { TaskSpec } from '../task-spec.js';
import type { Form } from '../versions/wire-profile.js';
import { unusable } from '../message/answer.js';
import { lostOfBrand, projectBrand, readBrand, sentToSeller } from '../entities/brand/brand.js';
import {
  brandFaults,
  buyShape,
  formFaults,
  sameReferences,
  totalFaults,
} from '../entities/media-buy/buy-request.js';
import {
  projectExtras,
  projectReportingWebhook,
  readExtras,
  readReportingWebhook,
} from '../message/extras.js';
import { extName, is3x } from '../message/form.js';
import { inputSchemaOf, readShape } from '../message/shapes.js';
import { lostInPackages, packageFindings, projectPackage } from '../entities/package/project-package.js';
import { envelopeArguments, lostMembers, findingsOfLost, type Carriage } from '../losses/lost-members.js';
import { readNewBuy } from '../entities/media-buy/media-buy.js';
import { booleanAt, listAt, objectAt, objectsAt, textAt, without } from '../message/pick.js';
import { projectBuy } from '../entities/media-buy/project-buy.js';
import { projectProposalPurchase, readProposalPurchase } from '../entities/media-buy/proposal-purchase.js';
import { readSchedule } from '../entities/media-buy/schedule.js';

/** Members that are written separately for each seller, or must not be sent to one. */
const ownMembers = [
  ...envelopeArguments,
  'packages',
  'context',
  'reporting_webhook',
  'ext',
  'all_or_nothing',
  'artifact_webhook',
  'proposal_id',
  'total_budget',
];

export const createMediaBuy: TaskSpec<CreateMediaBuyRequest, CreateMediaBuyAnswer> = {
  name: 'create_media_buy',
  names: { ads: ['create_media_buy'], adcp: ['create_media_buy'] },
  access: 'credentials',
  kind: 'mutation',
  area: 'media_buys',
  permission: 'write',
  serves: 'sales',
  deadlineMs: 30_000,
  mayBeAsync: true,
  inputSchema: inputSchemaOf(buyShape),

  readRequest(args, profile, exact) {
    const checked = readShape(buyShape, args);
    if (!checked.ok) return checked;
    const brand = readBrand(args);
    const schedule = readSchedule(args['start_time'] ?? null, args['end_time'] ?? null);
    const packages = objectsAt(args, 'packages').map((item, at) =>
      readPackage(item, { field: `packages[${at}]`, pointer: `/packages/${at}` }, profile.form, exact),
    );
    const wanted = packages.flatMap((item) => (item.ok ? [item.value] : []));
    const proposal = readProposalPurchase(args, profile.form, exact);
    const errors = [
      ...formFaults(args, profile.form),
      ...errorsOf(proposal),
      ...brandFaults(brand, args, profile.form),
      ...errorsOf(schedule),
      ...packages.flatMap(errorsOf),
      ...sameReferences(objectsAt(args, 'packages'), 'packages', profile.form),
      ...(wanted.length < packages.length ? [] : totalFaults(args, wanted, exact)),
    ];
    if (!schedule.ok || !proposal.ok || brand === undefined || errors.length > 0) return err(errors);
    return ok({
      ...readExtras(args),
      brand,
      packages: wanted,
      startTime: schedule.value.start,
      endTime: schedule.value.end,
      ...defined({
        buyerRef: textAt(args, 'buyer_ref'),
        proposal: proposal.value,
        poNumber: textAt(args, 'po_number'),
        reportingWebhook: readReportingWebhook(objectAt(args, 'reporting_webhook')),
        allOrNothing: readAllOrNothing(args),
      }),
      original: { form: profile.form, value: args },
    });
  },

  projectRequest(request, to) {
    const { form, value } = request.original;
    const sameFamily = form === to.form || (is3x(form) && is3x(to.form));
    const dropped = form === '3.1' && to.form === '3.0' ? [...ownMembers, 'paused'] : ownMembers;
    const brand = projectBrand(request.brand, to.form);
    const buyRef =
      request.buyerRef ?? textAt(request.context, 'buyer_ref') ?? request.idempotencyKey ?? 'buy';
    const keepsBrand = form === to.form;
    const args = {
      ...(sameFamily ? without(value, dropped) : {}),
      ...projectExtras({ ...request, ...contextFor(request, to.form) }, to, 'mutation'),
      ...(keepsBrand ? {} : brand.members),
      ...timesFor(request, to.form),
      ...defined({
        buyer_ref: is3x(to.form) ? undefined : buyRef,
        po_number: request.poNumber,
        reporting_webhook:
          request.reportingWebhook === undefined
            ? undefined
            : projectReportingWebhook(request.reportingWebhook, to),
      }),
      ...projectProposalPurchase(request.proposal, to.form),
      // A proposal without overrides has no packages, and no release allows an empty list.
      ...(request.proposal !== undefined && request.packages.length === 0
        ? {}
        : {
            packages: request.packages.map((item, at) =>
              projectPackage(item, to.form, `${buyRef}-${at + 1}`),
            ),
          }),
    } as JsonObject;
    return {
      args: sentToSeller(args, to.form),
      findings: [
        ...(keepsBrand ? [] : brand.findings),
        ...findingsOf(request.packages, to.form),
        ...lostMembers(value, args, carriage).map(inWords),
        ...lostInPackages(request.packages, objectsAt(args, 'packages'), 'packages', to.form),
        ...(keepsBrand ? [] : findingsOfLost(lostOfBrand(value, args))),
      ],
      ...defined({ notExpressible: notExpressibleIn(request, args, to.form) }),
    };
  },

  readAnswer(payload, from, exact = new Map()) {
    const reading = readNewBuy(payload, answeredForm(payload, from), exact);
    if (!reading.ok) return unusable(reading.error.message);
    if (listAt(payload, 'packages') === undefined) return unusable('it has no list named packages');
    return ok({ answer: reading.value.buy, setAside: reading.value.setAside });
  },

  projectAnswer(answer, to) {
    return projectBuy(answer, to.form);
  },
};

/** Members that are written separately for each seller are reported there; the others are compared here. */
const carriage: Carriage = {
  aliases: { buyer_ref: ['context'] },
  local: [
    'brand',
    'brand_manifest',
    'packages',
    'start_time',
    'end_time',
    'reporting_webhook',
    'all_or_nothing',
  ],
};

/** Every release has the member; what its caller can do instead is said. */
const inWords = (finding: Finding): Finding =>
  finding.field === 'artifact_webhook'
    ? {
        ...finding,
        message:
          'No seller is asked to push artifacts to this address, so nothing will come there. Leave it out. To have content ' +
          'checked, name content_standards in the targeting_overlay of the packages: what a seller pushes to this agent is ' +
          'sent to the agent of those standards, and a person is asked about failures.',
      }
    : finding;

/** The older forms have no proposals, and sellers of 2.5 and 3.x require an advertiser. */
function notExpressibleIn(request: CreateMediaBuyRequest, args: JsonObject, to: Form): TaskError | undefined {
  if (request.proposal !== undefined && !is3x(to))
    return notExpressible(
      'proposal_id',
      'The protocol version of this seller has no proposals.',
      'Buy the products of its allocations as packages.',
    );
  const name = is3x(to) ? 'brand' : 'brand_manifest';
  if (to === 'service' || args[name] !== undefined) return undefined;
  const message =
    'The brand has no domain or manifest, and the protocol version of this seller requires one.';
  return notExpressible(name, message, 'Name the advertiser by its domain.');
}

/** Our own option is in `ext.switchyard`; it is also accepted at the top level. */
function readAllOrNothing(args: JsonObject): boolean | undefined {
  const extension = objectAt(objectAt(args, 'ext'), extName);
  return booleanAt(extension, 'all_or_nothing') ?? booleanAt(args, 'all_or_nothing');
}

/** In 3.x the buyer's reference is sent in `context`. */
function contextFor(request: CreateMediaBuyRequest, to: Form): Pick<CreateMediaBuyRequest, 'context'> {
  if (!is3x(to) || request.buyerRef === undefined) return defined({ context: request.context });
  return { context: { buyer_ref: request.buyerRef, ...request.context } };
}

function timesFor(request: CreateMediaBuyRequest, to: Form): JsonObject {
  const { startTime, endTime } = request;
  if (to !== 'service') return { start_time: startTime, end_time: endTime };
  const start = startTime === 'asap' ? { type: 'asap' } : { type: 'scheduled', datetime: startTime };
  return { start_time: start, end_time: endTime };
}

function errorsOf(result: Result<unknown, readonly TaskError[]>): readonly TaskError[] {
  return result.ok ? [] : result.error;
}

function findingsOf(packages: readonly PackageRequest[], to: Form): readonly Finding[] {
  return packages.flatMap((item, at) => packageFindings(item, at, to));
}
