/** Past forms that do not end in "ed" by the rules below. */
const irregular: Readonly<Record<string, string>> = {
  find: 'found',
  follow: 'followed',
  put: 'put',
  set: 'set',
  mint: 'made',
  make: 'made',
  begin: 'began',
  hold: 'held',
  keep: 'kept',
  read: 'read',
  run: 'ran',
  send: 'sent',
  resend: 'sent again',
  reset: 'reset',
  show: 'looked at',
  list: 'listed',
  withdraw: 'withdrew',
  pay: 'paid',
  admit: 'took over',
  dismiss: 'refused',
  deny: 'denied',
  apply: 'applied',
  verify: 'verified',
  stop: 'stopped',
  sync: 'read again',
};

const pastOf = (verb: string): string => {
  const known = irregular[verb];
  if (known !== undefined) return known;
  if (verb.endsWith('e')) return `${verb}d`;
  return /[^aeiou]y$/.test(verb) ? `${verb.slice(0, -1)}ied` : `${verb}ed`;
};

/** An act of the audit as people say it: `grant_role` is "granted a role". A name that is no verb and noun stays as it is. */
export function actText(action: string): string {
  const [verb = '', ...rest] = action.split('_');
  if (!/^[a-z]+$/.test(verb)) return action.replaceAll('_', ' ');
  const noun = rest.join(' ');
  if (noun === '') return pastOf(verb);
  const isOne = !/(s|ed|again)$/.test(noun) || noun.endsWith('ss');
  return `${pastOf(verb)} ${isOne ? (/^[aeio]/.test(noun) ? 'an ' : 'a ') : ''}${noun}`;
}
