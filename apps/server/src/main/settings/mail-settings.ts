import type { MailSettings } from '@switchyard/mail';
import { err, ok, Secret, type Result } from '@switchyard/values';
import type { StartFailure } from '../../platform/start-failure.js';
import { isLoopback } from '../../platform/http/access/peer-address.js';
import { readText } from './read-text.js';
import type { Settings } from './settings.js';

/** The mail server of the settings; undefined without one. The failure names what is wrong, and no secret. */
export function readMailSettings(settings: Settings): Result<MailSettings | undefined, StartFailure> {
  const {
    SWITCHYARD_SMTP_HOST: host,
    SWITCHYARD_SMTP_PORT: port,
    SWITCHYARD_SMTP_SECURITY: security,
    SWITCHYARD_SMTP_USER: user,
    SWITCHYARD_SMTP_PASSWORD: password,
    SWITCHYARD_SMTP_PASSWORD_FILE: file,
    SWITCHYARD_MAIL_FROM: from,
  } = settings;
  if (host === undefined && from === undefined && user === undefined) return ok(undefined);
  if (host === undefined || from === undefined)
    return refused('SWITCHYARD_SMTP_HOST and SWITCHYARD_MAIL_FROM should be given together.');
  if (password !== undefined && file !== undefined)
    return refused('Give SWITCHYARD_SMTP_PASSWORD or SWITCHYARD_SMTP_PASSWORD_FILE, not both.');
  if (security === 'none' && !isLoopback(host))
    return refused('SWITCHYARD_SMTP_SECURITY=none sends in plain text: only to a server on this machine.');
  const secret = file === undefined ? password : readText(file);
  if (file !== undefined && secret === undefined)
    return refused('The file of SWITCHYARD_SMTP_PASSWORD_FILE cannot be read.');
  if ((user === undefined) !== (secret === undefined))
    return refused('SWITCHYARD_SMTP_USER and its password should be given together.');
  return ok({
    host,
    port,
    security,
    from,
    ...(user !== undefined && { user }),
    ...(secret !== undefined && { password: new Secret(Buffer.from(secret, 'utf8')) }),
  });
}

const refused = (message: string): Result<never, StartFailure> => err({ code: 'settings', message });
