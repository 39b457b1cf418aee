export { isStanding, standingRegistration, type StandingBindings } from './standing-registration.js';
