const escaped = (text: string): string =>
  text
    .slice(0, 200)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

/** The page on which a person lets a client act at this seller. */
export function consentPage(sellerName: string, clientName: string): string {
  const [seller, client] = [escaped(sellerName), escaped(clientName)];
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Sign in at ${seller}</title>
<style>body{font:16px/1.5 system-ui;max-width:26rem;margin:15vh auto;padding:0 1rem}button{font:inherit;padding:.5rem 1rem}</style>
<h1>${seller}</h1>
<p><b>${client}</b> asks to read products and to buy here in your name.</p>
<form method="post"><button>Allow</button></form>
<p><small>A seller of the practice market: there is nothing to sign in with.</small></p>
</html>
`;
}
