import { createTransport } from 'nodemailer';
import { err, ok, type Result, type Secret } from '@switchyard/values';

/** The server that takes our mail (RFC 5321, RFC 6409). */
export interface MailSettings {
  readonly host: string;
  readonly port: number;
  /** `tls`: from the first byte. `starttls`: the connection must be upgraded. `none`: only to this machine. */
  readonly security: 'tls' | 'starttls' | 'none';
  readonly user?: string;
  readonly password?: Secret;
  /** An address, with or without a name: `Switchyard <noreply@agency.example>`. */
  readonly from: string;
}

export interface MailMessage {
  /** One recipient. Its address has passed our own check: it contains no comma and no line break. */
  readonly to: { readonly name: string; readonly address: string };
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The left part of the Message-ID: the same at each attempt, so that a repeated message can be detected. */
  readonly id: string;
}

/** `permanent`: the server refused the message for good (5xx); a repetition does not help. */
export interface MailFailure {
  readonly code: string;
  readonly isPermanent: boolean;
}

export interface Mail {
  /** Hands a message to the server. Never throws because of the server. */
  send(message: MailMessage): Promise<Result<undefined, MailFailure>>;
  /** Connects, greets and signs in, and sends no message. */
  check(): Promise<Result<undefined, MailFailure>>;
  close(): void;
}

/** The longest wait for one step of the conversation, in milliseconds. */
const stepMs = 10_000;

/** Opens the way to the mail server. It connects with the first message. */
export function openMail({ host, port, security, user, password, from }: MailSettings): Mail {
  const auth = user === undefined ? {} : { auth: { user, pass: password?.useText((text) => text) ?? '' } };
  const transport = createTransport({
    pool: true,
    maxConnections: 2,
    host,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    connectionTimeout: stepMs,
    greetingTimeout: stepMs,
    socketTimeout: stepMs,
    // A message can name no file and no address to be read.
    disableFileAccess: true,
    disableUrlAccess: true,
    ...auth,
  });
  const domain = /@([^>\s]+)/.exec(from)?.[1] ?? 'switchyard.invalid';
  return {
    send: async ({ to, subject, text, html, id }) => {
      try {
        await transport.sendMail({
          from,
          to: { name: to.name, address: to.address },
          subject,
          text,
          html,
          messageId: `<${id}@${domain}>`,
          headers: { 'Auto-Submitted': 'auto-generated' },
        });
        return ok(undefined);
      } catch (error) {
        return err(failureOf(error));
      }
    },
    check: async () => {
      try {
        await transport.verify();
        return ok(undefined);
      } catch (error) {
        return err(failureOf(error));
      }
    },
    close: () => transport.close(),
  };
}

/** The text of the server is not passed on: it may repeat the message. */
function failureOf(error: unknown): MailFailure {
  const { code, responseCode } = error as { readonly code?: unknown; readonly responseCode?: unknown };
  if (typeof responseCode === 'number')
    // 535 is our own password: once it is right, the message can go.
    return { code: `smtp_${String(responseCode)}`, isPermanent: responseCode >= 500 && responseCode !== 535 };
  return { code: typeof code === 'string' ? code.toLowerCase() : 'failed', isPermanent: false };
}
