export { openMail, type Mail, type MailFailure, type MailMessage, type MailSettings } from './open-mail.js';
