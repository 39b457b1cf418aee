import { sentToSeller } from '../brand/brand.js';
import { defined, type JsonObject } from '@switchyard/values';
import { type Finding, notExpressible } from '../../losses/finding.js';
import type { UpdateMediaBuyRequest } from './update-media-buy.js';
import type { ProjectedRequest } from '../../task-spec.js';
import type { Form, WireProfile } from '../../versions/wire-profile.js';
import { numberOf } from '../../message/amount.js';
import { projectExtras, projectPush, projectReportingWebhook } from '../../message/extras.js';
import { is3x } from '../../message/form.js';
import { fittedTerms } from '../package/fitted-terms.js';
import { envelopeArguments, lostBeside, withPaths } from '../../losses/lost-members.js';
import { cancelAsPause, projectPackageUpdate } from '../package/package-update.js';
import { objectAt, objectsAt, without } from '../../message/pick.js';
import { lostInPackages, packageFindings, projectPackage } from '../package/project-package.js';

/** Members that are written separately for each seller, or must not be sent to one. */
const ownMembers = [
  ...envelopeArguments,
  'media_buy_id',
  'buyer_ref',
  'revision',
  'packages',
  'new_packages',
  'paused',
  'canceled',
  'cancellation_reason',
  'start_time',
  'end_time',
  'invoice_recipient',
  'updates',
  'context',
  'reporting_webhook',
  'ext',
];

/** An update in the form of a seller. Each member that the form does not have becomes a finding. */
export function projectUpdate(request: UpdateMediaBuyRequest, to: WireProfile): ProjectedRequest {
  const { form, value } = request.original;
  const isSameFamily = form === to.form || (is3x(form) && is3x(to.form));
  const around = {
    ...(isSameFamily ? without(value, ownMembers) : {}),
    ...projectExtras(request, to, 'mutation'),
    ...defined({
      media_buy_id: request.mediaBuyId,
      buyer_ref: to.form === '2.5' && request.mediaBuyId === undefined ? request.buyerRef : undefined,
    }),
  };
  const projected = projectedTo(request, to, around);
  const findings = [...projected.findings, ...lostElse(request, projected, to.form)];
  return { ...projected, args: sentToSeller(projected.args, to.form), findings };
}

function projectedTo(request: UpdateMediaBuyRequest, to: WireProfile, around: JsonObject): ProjectedRequest {
  if (to.form === 'service') return wrapped(request, to, around);
  return to.form === '2.5' ? as25(request, around) : modern(request, to, around);
}

/** Findings for other losses, of each package and of the request around them. */
function lostElse(
  request: UpdateMediaBuyRequest,
  { args, findings }: ProjectedRequest,
  to: Form,
): readonly Finding[] {
  const updates = objectAt(args, 'updates') ?? args;
  const written = objectsAt(updates, 'packages');
  return request.packages.flatMap(({ original }, at) => {
    const place = `packages[${at}].`;
    const here = findings.filter(({ field }) => field?.startsWith(place) === true);
    const { form, value } = original;
    const unfit = form === '3.1' ? fittedTerms(value, to).lost.map((path) => `${place}${path}`) : [];
    const lost = lostBeside(here, {
      reported: value,
      written: written[at] ?? {},
      carriage: packageCarriage,
      place,
    });
    return withPaths([...here, ...lost], unfit).slice(here.length);
  });
}

/** Packages are named by the seller's ids; targeting losses are reported elsewhere, and a context is ours. */
const packageCarriage = {
  aliases: {
    buyer_ref: ['package_id'],
    creative_ids: ['creative_assignments'],
    creative_assignments: ['creative_ids'],
  },
  local: ['context', 'targeting_overlay'],
};

function modern(request: UpdateMediaBuyRequest, to: WireProfile, around: JsonObject): ProjectedRequest {
  const { packages, findings } = packagesOf(request, to.form);
  const args = {
    ...around,
    ...defined({
      revision: request.revision,
      paused: request.paused,
      canceled: request.canceled,
      cancellation_reason: request.cancellationReason,
      start_time: request.startTime,
      end_time: request.endTime,
      packages: packages.length === 0 ? undefined : packages,
      new_packages: newPackagesOf(request, to.form),
      invoice_recipient: copyOf(request.invoiceRecipient),
      reporting_webhook: reportingOf(request, to),
    }),
  } as JsonObject;
  return { args, findings: [...findings, ...wholeBuyFindings(request, to.form)] };
}

function as25(request: UpdateMediaBuyRequest, around: JsonObject): ProjectedRequest {
  const { packages, findings } = packagesOf(request, '2.5');
  const lost = defined({
    revision: request.revision,
    new_packages: request.newPackages.length > 0 ? true : undefined,
    cancellation_reason: request.cancellationReason,
    invoice_recipient: request.invoiceRecipient,
    reporting_webhook: request.reportingWebhook,
  });
  const args = {
    ...around,
    ...defined({
      paused: request.canceled === true ? true : request.paused,
      start_time: request.startTime,
      end_time: request.endTime,
      packages: packages.length === 0 ? undefined : packages,
    }),
  } as JsonObject;
  const asPause = request.canceled === true ? [{ ...cancelAsPause, field: 'canceled' }] : [];
  const losses = [
    ...Object.keys(lost).map((name) => notCarried(name, '2.5')),
    ...wholeBuyFindings(request, '2.5'),
  ];
  const allFindings = [...findings, ...asPause, ...losses];
  const isStated =
    ['paused', 'start_time', 'end_time'].some((name) => name in args) || packages.some(isChange);
  return { args, findings: allFindings, ...(isStated ? {} : nothingLeft(allFindings)) };
}

/** The `service` form has changes under `updates`, and one member for the buy's state. */
function wrapped(request: UpdateMediaBuyRequest, to: WireProfile, around: JsonObject): ProjectedRequest {
  const { packages, findings } = packagesOf(request, 'service');
  const asap = request.startTime === 'asap' ? { type: 'asap' } : undefined;
  const updates = defined({
    status: request.canceled === true ? 'canceled' : pauseWord(request.paused),
    cancellation_reason: request.cancellationReason,
    start_time:
      request.startTime === undefined
        ? undefined
        : (asap ?? { type: 'scheduled', datetime: request.startTime }),
    end_time: request.endTime,
    budget_change: request.budget === undefined ? undefined : { absolute: numberOf(request.budget) },
    targeting: copyOf(request.targetingOverlay),
    packages: packages.length === 0 ? undefined : packages,
    new_packages: newPackagesOf(request, 'service'),
  });
  const lost = defined({ revision: request.revision, invoice_recipient: request.invoiceRecipient });
  const args = {
    ...around,
    updates,
    ...defined({
      push_notification_config: request.push === undefined ? undefined : projectPush(request.push, to),
      reporting_webhook: reportingOf(request, to),
    }),
  } as JsonObject;
  const losses = Object.keys(lost).map((name) => notCarried(name, 'service'));
  const isStated = Object.keys(updates).length > 0 || request.reportingWebhook !== undefined;
  return { args, findings: [...findings, ...losses], ...(isStated ? {} : nothingLeft(losses)) };
}

/** Whether a package has any change, beside its id, reference and context. */
function isChange(change: JsonObject): boolean {
  return Object.keys(change).some((name) => !['package_id', 'buyer_ref', 'context'].includes(name));
}

/** The error for an update of which nothing can be sent: it would change nothing, and succeed. */
function nothingLeft([first]: readonly Finding[]): Pick<ProjectedRequest, 'notExpressible'> {
  if (first?.field === undefined) return {};
  const suggestion = 'Ask the seller for it in another way, or leave it out.';
  return {
    notExpressible: notExpressible(
      first.field,
      'This change cannot be sent in the protocol version of this seller.',
      suggestion,
    ),
  };
}

function pauseWord(paused: boolean | undefined): string | undefined {
  if (paused === undefined) return undefined;
  return paused ? 'paused' : 'active';
}

function packagesOf(
  request: UpdateMediaBuyRequest,
  to: Form,
): { readonly packages: JsonObject[]; readonly findings: readonly Finding[] } {
  const projected = request.packages.map((item, at) => projectPackageUpdate(item, to, at));
  const added =
    to === '2.5'
      ? []
      : [
          ...request.newPackages.flatMap((newPackage, at) =>
            packageFindings(newPackage, at, to, 'new_packages'),
          ),
          ...lostInPackages(request.newPackages, newPackagesOf(request, to) ?? [], 'new_packages', to),
        ];
  return {
    packages: projected.map(({ args }) => args),
    findings: [...projected.flatMap(({ findings }) => findings), ...added],
  };
}

function newPackagesOf(request: UpdateMediaBuyRequest, to: Form): JsonObject[] | undefined {
  if (request.newPackages.length === 0) return undefined;
  return request.newPackages.map((newPackage, at) => projectPackage(newPackage, to, `new-${at + 1}`));
}

function reportingOf({ reportingWebhook }: UpdateMediaBuyRequest, to: WireProfile): JsonObject | undefined {
  return reportingWebhook === undefined ? undefined : projectReportingWebhook(reportingWebhook, to);
}

/** Schema forms have no budget or targeting of the whole buy: it must be split over the packages first. */
function wholeBuyFindings(request: UpdateMediaBuyRequest, to: Form): readonly Finding[] {
  const lost = defined({ budget_change: request.budget, targeting: request.targetingOverlay });
  return Object.keys(lost).map((name) => notCarried(name, to));
}

function notCarried(field: string, to: Form): Finding {
  return {
    code: 'NOT_CARRIED_OVER',
    message: `A seller that speaks ${to} has no place for ${field}.`,
    field,
  };
}

function copyOf(value: JsonObject | undefined): JsonObject | undefined {
  return value === undefined ? undefined : structuredClone(value);
}
