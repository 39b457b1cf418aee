import type { Notice, NoticeStore, Organizations } from '@switchyard/store';
import type { MailMessage } from '@switchyard/mail';
import {
  hashOfScheme,
  type AddressDirectory,
  type InvitationRepository,
  type PasswordRepository,
  type PrincipalDirectory,
  type TenantScope,
} from '@switchyard/tenancy';
import { type Clock } from '@switchyard/values';
import { escapeHtml } from '../../platform/http/escape-html.js';
import type { LinkSecrets } from './link-secrets.js';
import type { Steps } from './steps.js';

interface SignInMailsDeps {
  readonly secrets: LinkSecrets;
  readonly notices: Pick<NoticeStore, 'add'>;
  readonly invited: Pick<InvitationRepository, 'open'>;
  readonly passwords: Pick<PasswordRepository, 'holders' | 'of'>;
  readonly addresses: Pick<AddressDirectory, 'holders'>;
  readonly principals: Pick<PrincipalDirectory, 'find' | 'names'>;
  readonly organizations: Pick<Organizations, 'byId'>;
  readonly steps: Pick<Steps, 'find' | 'startWith'>;
  readonly clock: Clock;
  readonly url: () => string;
}

/** Mails with a link that lets somebody in: invitations, and new passwords. */
export interface SignInMails {
  /**
   * Requests a mail with a link for a new password, for everybody who has a password under the address and has proved
   * it; at most one each five minutes. The caller learns nothing about the address.
   */
  requestReset(email: string): Promise<void>;
  /** The mail of a notice; undefined if its link lets nobody in any more. */
  write(scope: TenantScope, notice: Notice): Promise<Omit<MailMessage, 'id'> | undefined>;
}

/** How long a link for a new password is valid, in milliseconds. */
const resetMs = 15 * 60_000;
/** One mail for a new password in so many milliseconds. */
const resetEveryMs = 5 * 60_000;

export function createSignInMails(deps: SignInMailsDeps): SignInMails {
  const { clock, notices, passwords, addresses } = deps;
  return {
    requestReset: async (email) => {
      const address = email.trim().toLowerCase();
      const at = clock.now();
      const [holders, proved] = await Promise.all([passwords.holders(address), addresses.holders(address)]);
      for (const { organizationId, principalId } of holders.slice(0, 20)) {
        if (!proved.some((one) => one.organizationId === organizationId && one.principalId === principalId))
          continue;
        const dedupeKey = `password.reset:${principalId}:${String(Math.floor(at / resetEveryMs))}`;
        const about = { objectKind: 'principal', objectId: principalId, addresseeId: principalId };
        await notices.add({ organizationId }, { kind: 'password.reset', ...about, data: {}, dedupeKey, at });
      }
    },
    write: (scope, notice) =>
      notice.kind === 'password.reset' ? resetMail(deps, scope, notice) : invitationMail(deps, scope, notice),
  };
}

async function invitationMail(
  { secrets, invited, principals, organizations, clock, url }: SignInMailsDeps,
  scope: TenantScope,
  { objectId }: Notice,
): Promise<Omit<MailMessage, 'id'> | undefined> {
  const secret = await secrets.of(scope, `invitation ${objectId}`);
  if (secret === undefined) throw new Error('The link of an invitation cannot be derived now.');
  const [open] = await invited.open({ hash: hashOfScheme('invitation', secret) }, clock.now());
  if (open === undefined) return undefined;
  const organization = (await organizations.byId(scope.organizationId))?.name ?? '';
  const inviter = (await principals.names(scope, [open.invitedBy])).get(open.invitedBy) ?? 'Somebody';
  return messageOf(open.email, `You are invited to ${organization}`, [
    `${inviter} invites you to ${organization} on Switchyard, with the role ${open.role}.`,
    'Open this link and choose a password:',
    `${url()}/console/#invitation=${secret}`,
    `The link lets you in once, until ${new Date(open.expiresAt).toISOString().slice(0, 10)}. If you expected no invitation, delete this mail.`,
  ]);
}

async function resetMail(
  { secrets, passwords, principals, steps, clock, url }: SignInMailsDeps,
  scope: TenantScope,
  { id, at, addresseeId = '' }: Notice,
): Promise<Omit<MailMessage, 'id'> | undefined> {
  const left = at + resetMs - clock.now();
  const principal = await principals.find(scope, addresseeId);
  const stored = await passwords.of(scope, addresseeId);
  if (left <= 0 || principal === undefined || stored === undefined) return undefined;
  const secret = await secrets.of(scope, `password ${id}`);
  if (secret === undefined) throw new Error('The link for a new password cannot be derived now.');
  // A mail that is sent again has the same link, and does not make a used one valid again.
  const about = { organizationId: scope.organizationId, principalId: addresseeId };
  if ((await steps.find('PasswordReset', secret)) === undefined)
    await steps.startWith('PasswordReset', secret, about, left);
  return messageOf(stored.email, 'A new password for Switchyard', [
    `Somebody asked for a new password for ${principal.name}.`,
    'Open this link within 15 minutes and choose one:',
    `${url()}/console/#reset=${secret}`,
    'If you did not ask for it, delete this mail: your password stays as it is.',
  ]);
}

function messageOf(address: string, subject: string, lines: readonly string[]): Omit<MailMessage, 'id'> {
  const html = lines.map((line) =>
    /^https?:/.test(line)
      ? `<p><a href="${escapeHtml(line)}">${escapeHtml(line)}</a></p>`
      : `<p>${escapeHtml(line)}</p>`,
  );
  return {
    to: { name: '', address },
    subject,
    text: `${lines.join('\n\n')}\n`,
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>
<body style="font:16px/1.5 sans-serif;max-width:36rem;margin:0 auto;padding:1rem">
${html.join('\n')}
</body></html>`,
  };
}
