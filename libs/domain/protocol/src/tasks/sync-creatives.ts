import { defined, err, ok, type JsonObject } from '@switchyard/values';
import { z } from 'zod';
import type {
  CreativeAssignment,
  SyncCreativesAnswer,
  SyncCreativesRequest,
} from '../entities/creative/creative-messages.js';
import { type Finding, notExpressible } from '../losses/finding.js';
import { taskError } from '../errors/task-error.js';
import type { TaskError } from '../errors/task-fault.js';
import type { TaskSpec } from '../task-spec.js';
import type { Form, WireProfile } from '../versions/wire-profile.js';
import { readList } from '../message/answer.js';
import {
  canCarry,
  creativeFindings,
  creativeShape,
  projectCreative,
  readCreative,
} from '../entities/creative/creative.js';
import { projectAssignments, readAssignments } from '../entities/creative/creative-assignments.js';
import { sentToSeller } from '../entities/brand/brand.js';
import { projectExtras, readExtras } from '../message/extras.js';
import { extName, is3x, withExt } from '../message/form.js';
import { inputSchemaOf, anyObject, extras, idText, readShape } from '../message/shapes.js';
import { booleanAt, listAt, objectAt, objectsAt, textAt, textsAt } from '../message/pick.js';
import { keyFaults, required } from '../message/require.js';
import { projectSynced, readSynced } from '../entities/creative/synced-creative.js';

const assignmentShape = z.looseObject({
  creative_id: idText,
  package_id: idText,
  weight: z.number().min(0).max(100).optional(),
  placement_ids: z.array(idText).min(1).max(100).optional(),
});

const shape = z.looseObject({
  ...extras,
  creatives: z.array(creativeShape).max(100),
  creative_ids: z.array(idText).min(1).max(100).optional(),
  assignments: z
    .union([z.array(assignmentShape).max(1_000), z.record(z.string(), z.array(idText).max(1_000))])
    .optional()
    .describe('A list of {creative_id, package_id}, or package ids by creative id.'),
  dry_run: z.boolean().optional(),
  delete_missing: z.boolean().optional(),
  validation_mode: z.enum(['strict', 'lenient']).optional(),
  patch: z.boolean().optional(),
  options: anyObject.optional(),
});

export const syncCreatives: TaskSpec<SyncCreativesRequest, SyncCreativesAnswer> = {
  name: 'sync_creatives',
  names: { ads: ['sync_creatives'], adcp: ['sync_creatives'] },
  access: 'credentials',
  kind: 'mutation',
  area: 'creatives',
  permission: 'write',
  serves: 'sales',
  deadlineMs: 60_000,
  mayBeAsync: true,
  inputSchema: inputSchemaOf(shape),

  readRequest(args, profile) {
    const checked = readShape(shape, args);
    if (!checked.ok) return checked;
    const creatives = objectsAt(args, 'creatives').map((value) => readCreative(value, profile.form));
    const assignments = readAssignments(args);
    const errors = [...keyFaults(args, profile.form), ...faultsOf(args, profile.form)];
    if (errors.length > 0) return err(errors);
    const only = textsAt(args, 'creative_ids');
    const sellers = textsAt(objectAt(objectAt(args, 'ext'), extName), 'sellers');
    return ok({
      ...readExtras(args),
      creatives,
      assignments,
      deleteMissing: booleanAt(args, 'delete_missing') === true,
      dryRun: booleanAt(args, 'dry_run') === true,
      validationMode: checked.value.validation_mode ?? 'strict',
      ...defined({
        creativeIds: only.length === 0 ? undefined : only,
        sellers: sellers.length === 0 ? undefined : sellers,
      }),
    });
  },

  projectRequest(request, to) {
    const carried = request.creatives.filter((creative) => canCarry(creative, to.form));
    const known = new Set(carried.map((creative) => creative.creativeId));
    const ids = request.creativeIds?.filter((id) => known.has(id));
    const isEmpty = (is3x(to.form) && carried.length === 0) || ids?.length === 0;
    const assignments = request.assignments;
    const isPlain = to.form === 'service';
    const args = {
      ...projectExtras(request, to, 'mutation'),
      creatives: carried.map((creative) => projectCreative(creative, to.form)),
      ...defined({
        assignments: projectAssignments(assignments, to.form),
        dry_run: request.dryRun ? true : undefined,
        delete_missing: request.deleteMissing ? true : undefined,
        validation_mode: isPlain || request.validationMode === 'strict' ? undefined : request.validationMode,
        creative_ids: isPlain || isEmpty ? undefined : ids,
      }),
    } as JsonObject;
    return {
      args: sentToSeller(args, to.form),
      findings: findingsOf(request, to),
      ...(isEmpty ? { notExpressible: noneLeft } : {}),
    };
  },

  readAnswer(payload, from) {
    const list = readList(payload, 'creatives', (item) => readSynced(item, from.form));
    if (!list.ok) return list;
    const dryRun = booleanAt(payload, 'dry_run') === true;
    return ok({
      answer: { creatives: list.value.items, dryRun, findings: [] },
      setAside: list.value.setAside,
    });
  },

  projectAnswer(answer, to) {
    const payload: JsonObject = {
      creatives: answer.creatives.map((creative) => projectSynced(creative, to)),
      ...(answer.dryRun ? { dry_run: true } : {}),
    };
    if (answer.findings.length === 0) return payload;
    const findings = answer.findings.map((finding) => ({ ...finding }));
    return to.form === 'service'
      ? { ...payload, findings }
      : { ...payload, ...withExt(payload, { findings }) };
  },
};

const noneLeft = notExpressible(
  'creatives',
  'None of the creatives can be sent in the protocol version of this seller.',
  'Give each creative that is meant a format_id.',
);

/**
 * Errors that the shape cannot express: members that a form requires, duplicate ids, and options that exclude each
 * other.
 */
function faultsOf(args: JsonObject, form: Form): readonly TaskError[] {
  const errors: TaskError[] = [];
  const seen = new Set<string>();
  const creatives = objectsAt(args, 'creatives');
  if (is3x(form) && creatives.length === 0) errors.push(required('creatives', 'Send at least one creative.'));
  creatives.forEach((value, at) => {
    const id = textAt(value, 'creative_id') ?? '';
    if (seen.has(id)) errors.push(twice(`creatives[${at}].creative_id`));
    seen.add(id);
    errors.push(...faultsOfCreative(value, at, form));
  });
  if (booleanAt(args, 'delete_missing') === true && listAt(args, 'creative_ids') !== undefined) {
    const message = 'delete_missing cannot be combined with creative_ids.';
    const suggestion = 'Send the whole library without creative_ids, or leave delete_missing out.';
    errors.push(taskError('INVALID_REQUEST', message, { field: 'delete_missing', suggestion }));
  }
  const assignments = objectAt(args, 'assignments');
  if (is3x(form) && assignments !== undefined) {
    const message = 'In this release assignments is a list.';
    const suggestion = 'Send [{creative_id, package_id}].';
    errors.push(taskError('VALIDATION_ERROR', message, { field: 'assignments', suggestion }));
  }
  return errors;
}

function faultsOfCreative(value: JsonObject, at: number, form: Form): readonly TaskError[] {
  const field = (name: string): string => `creatives[${at}].${name}`;
  const errors: TaskError[] = [];
  const hasFormat = objectAt(value, 'format_id') !== undefined;
  const hasKind = form === '3.1' && value['format_kind'] !== undefined;
  if (!hasFormat && !hasKind) errors.push(required(field('format_id')));
  if (hasFormat && hasKind) {
    const message = 'A creative has a format_id or a format_kind, not both.';
    const suggestion = 'Send one of the two.';
    errors.push(taskError('INVALID_REQUEST', message, { field: field('format_kind'), suggestion }));
  }
  if (form !== 'service' && value['name'] === undefined) errors.push(required(field('name')));
  return errors;
}

function twice(field: string): TaskError {
  const suggestion = 'Send each creative once.';
  return taskError('INVALID_REQUEST', 'Two creatives have the same id.', { field, suggestion });
}

function findingsOf(request: SyncCreativesRequest, to: WireProfile): readonly Finding[] {
  const findings = request.creatives.flatMap((creative): readonly Finding[] => {
    if (canCarry(creative, to.form)) return creativeFindings(creative, to.form);
    const message =
      "The seller's protocol version identifies a format by format_id, and this creative has only a kind.";
    return [{ code: 'CREATIVE_LEFT_OUT', message, field: `creatives[${creative.creativeId}].format_kind` }];
  });
  const detailed = request.assignments.some(isDetailed);
  const all: Finding[] = [...findings];
  if (!is3x(to.form) && detailed) {
    const message = "The seller's protocol version has no weights and placements in assignments.";
    all.push({ code: 'ASSIGNMENT_DETAIL_LEFT_OUT', message, field: 'assignments' });
  }
  if (to.form !== 'service') return all;
  if (request.validationMode === 'lenient') {
    const message = "The seller's protocol version has no validation mode: the seller decides.";
    all.push({ code: 'VALIDATION_MODE_LEFT_OUT', message, field: 'validation_mode' });
  }
  return all;
}

function isDetailed({ weight, placementIds }: CreativeAssignment): boolean {
  return weight !== undefined || placementIds !== undefined;
}
