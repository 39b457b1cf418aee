export { openMail, type Mail, type MailMessage, type MailSettings } from './open-mail.js';
