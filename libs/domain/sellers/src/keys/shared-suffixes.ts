/**
 * Names below which somebody else lets names out, as of November 2026: each name directly below one is a customer of
 * its own. Not the whole list of public suffixes, which is ten thousand lines and changes every week, but where agents
 * and their documents are put most often. What is missing here counts as one site, and is still held to the agent's
 * URL byte for byte.
 */
const rented: ReadonlySet<string> = new Set([
  ...['github.io', 'gitlab.io', 'pages.dev', 'workers.dev', 'r2.dev', 'vercel.app', 'now.sh'],
  ...['netlify.app', 'onrender.com', 'fly.dev', 'up.railway.app', 'deno.dev', 'surge.sh', 'glitch.me'],
  ...['herokuapp.com', 'web.app', 'firebaseapp.com', 'appspot.com', 'cloudfunctions.net', 'hosted.app'],
  ...['azurewebsites.net', 'azurestaticapps.net', 'azurefd.net', 'azureedge.net', 'azure-api.net'],
  ...['cloudfront.net', 'elasticbeanstalk.com', 'amplifyapp.com', 'awsapprunner.com', 'ondigitalocean.app'],
  ...['replit.app', 'replit.dev', 'repl.co', 'hf.space', 'streamlit.app', 'supabase.co', 'lovable.app'],
  ...['ngrok.io', 'ngrok.app', 'ngrok.dev', 'ngrok-free.app', 'ngrok-free.dev', 'trycloudflare.com'],
  ...['blogspot.com', 'wordpress.com', 'wixsite.com', 'webflow.io', 'myshopify.com', 'bubbleapps.io'],
  ...['duckdns.org', 'dyndns.org', 'nip.io', 'sslip.io', 'bitbucket.io', 'loca.lt', 'zeabur.app'],
]);

/** Providers below whose names nobody can tell from outside at which depth a customer begins. */
const ofProviders: readonly string[] = [
  ...['amazonaws.com', 'on.aws', 'windows.net', 'azure.com', 'cloudapp.net', 'run.app'],
  ...['googleusercontent.com', 'oraclecloud.com', 'digitaloceanspaces.com', 'backblazeb2.com'],
];

/** Second-level names under which others register, in countries that do so. */
const ofCountries: ReadonlySet<string> = new Set([
  ...['ac', 'co', 'com', 'edu', 'go', 'gov', 'gr', 'ne', 'net', 'or', 'org', 'ad', 'asn', 'asso', 'biz'],
  ...[
    'ed',
    'gob',
    'gouv',
    'id',
    'ind',
    'info',
    'lg',
    'ltd',
    'me',
    'mil',
    'nhs',
    'nom',
    'plc',
    'police',
    'sch',
  ],
]);

/**
 * How many labels at the end of a host are not its owner's: one for `.com`, two for `.co.uk` and `.github.io`. All of
 * them where only its provider knows whose a host is.
 */
export function sharedLabels(host: string): number {
  const labels = host.split('.');
  if (ofProviders.some((name) => host === name || host.endsWith(`.${name}`))) return labels.length;
  for (const count of [3, 2]) if (rented.has(labels.slice(-count).join('.'))) return count;
  const [top = '', second = ''] = [labels.at(-1), labels.at(-2)];
  return top.length === 2 && ofCountries.has(second) ? 2 : 1;
}
