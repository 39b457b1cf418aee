export { tooBusy } from './factors.routes.js';
export { noPrincipalCalled } from './no-principal.js';
export { isOldSession, oldSession } from './old-session.js';
export { passwordFaults } from './password-faults.js';
export { textOf } from './scope-text.js';
export { productName } from './sign-in/invitations.js';
export type { Passwords } from './sign-in/passwords.js';
