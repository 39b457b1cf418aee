import type { SignInPolicies, SignInPolicy } from '@switchyard/tenancy';
import { defined, ok, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { plainName } from '../platform/routes/fields.js';
import { aloneMember, aloneOf, takeControl, type ControlDeps } from '../platform/routes/control.js';
import { routesOn, type WaitsForApproval } from '../platform/routes/route.js';

interface SignInPolicyDeps extends ControlDeps {
  readonly policies: SignInPolicies;
  readonly defaultPolicy: SignInPolicy;
}

const minute = 60_000;
/** A session lasts 12 hours. */
const longest = 12 * 60;

const secondFactor = z.enum(['nobody', 'approvers', 'everybody']);
const members = {
  second_factor: secondFactor.describe(
    'Who must sign in with a second factor: nobody, whoever may approve something or change people, or everybody.',
  ),
  second_factor_roles: z.array(plainName).max(50).describe('Also whoever has one of these roles.'),
  recent_minutes: z
    .int()
    .min(1)
    .max(longest)
    .describe(
      'How long a sign-in counts as recent; acts on ways in, grants, limits and keys need a recent one.',
    ),
  idle_minutes: z.int().min(5).max(longest).describe('A session ends after so long without a request.'),
};
const policy = z.strictObject(members);
const changed = z.strictObject({
  ...members,
  looser: z.boolean().describe('Whether it now asks less of somebody than before.'),
  ...aloneMember,
});

const route = routesOn<SignInPolicyDeps>();

/** How the people of an organization sign in. */
export const signInPolicyRoutes = [
  route({
    method: 'get',
    path: '/v1/sign-in-policy',
    id: 'show_sign_in_policy',
    summary: 'How the people of the organization sign in',
    needs: 'principals.read',
    answer: policy,
    example: { second_factor: 'approvers', second_factor_roles: [], recent_minutes: 15, idle_minutes: 480 },
    handle: async (deps, { caller }) => ok(viewOf(await policyOf(deps, caller))),
  }),
  route({
    method: 'post',
    path: '/v1/sign-in-policy',
    id: 'set_sign_in_policy',
    summary:
      'Change how the people of the organization sign in; counts from the next sign-in of each, times at once. Another person approves what asks less of somebody',
    needs: 'principals.write',
    body: z.strictObject({
      second_factor: members.second_factor.exactOptional(),
      second_factor_roles: members.second_factor_roles.exactOptional(),
      recent_minutes: members.recent_minutes.exactOptional(),
      idle_minutes: members.idle_minutes.exactOptional(),
    }),
    answer: changed,
    mayWait: true,
    handle: (deps, { caller, body }) => setSignInPolicy(deps, caller, body),
  }),
];

/** The only way to change a policy. */
async function setSignInPolicy(
  deps: SignInPolicyDeps,
  caller: PrincipalCaller,
  wanted: Partial<z.output<typeof policy>>,
): Promise<Result<z.output<typeof changed> | WaitsForApproval, AdminFailure>> {
  const msOf = (minutes: number | undefined) => (minutes === undefined ? undefined : minutes * minute);
  const change = defined({
    secondFactor: wanted.second_factor,
    secondFactorRoles: wanted.second_factor_roles,
    stepUpMs: msOf(wanted.recent_minutes),
    idleMs: msOf(wanted.idle_minutes),
  });
  const act = { kind: 'set_sign_in_policy', change, usual: deps.defaultPolicy } as const;
  const taken = await takeControl(deps, caller, act);
  if ('answer' in taken) return taken.answer;
  return ok({ ...viewOf(taken.done.policy), looser: taken.done.isLooser, ...aloneOf(taken) });
}

const policyOf = async (
  { policies, defaultPolicy }: SignInPolicyDeps,
  caller: PrincipalCaller,
): Promise<SignInPolicy> => ({ ...defaultPolicy, ...(await policies.of(caller)) });

function viewOf({ secondFactor: of, secondFactorRoles, stepUpMs, idleMs }: SignInPolicy) {
  return {
    second_factor: of,
    second_factor_roles: [...secondFactorRoles],
    recent_minutes: stepUpMs / minute,
    idle_minutes: idleMs / minute,
  };
}
