export interface StorefrontSite {
  readonly siteId: string;
  /** Whose products stand beside the cup; without one there is no such place. */
  readonly recommended?: { readonly campaignId: string; readonly productId: string };
}

/** The page; everything that it runs is in files of its own. */
export function storefrontPage(
  sdkUrl: string,
  { siteId, recommended }: StorefrontSite,
  landing: string,
): string {
  const shelf =
    recommended === undefined
      ? ''
      : `<section hidden data-svc-recommendations="${recommended.campaignId}" data-svc-product-id="${recommended.productId}"><h2>Goes with the cup</h2></section>\n`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Cups</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/shop.css">
<script src="${sdkUrl}" data-site-id="${siteId}" data-campaigns data-decorate-links></script>
<script src="/shop.js" defer></script>
</head>
<body>
<main>
<h1>Cups</h1>
<p>This page sends its events with the browser SDK, under a policy that allows nothing inline.</p>
<p><button id="add" type="button">Add the cup to the cart</button></p>
<ul>
<li><a href="${landing}">Arrive as a visitor whom a partner has sent</a></li>
<li><a href="https://www.awin1.com/cread.php?awinmid=1001" target="_blank" rel="noopener" data-svc-partner-provider="awin" data-svc-content-id="cups">A partner link, with its click reference</a></li>
</ul>
${shelf}<h2>What became of the events</h2>
<ol id="proofs" aria-live="polite"></ol>
</main>
</body>
</html>`;
}

export const STOREFRONT_STYLE = `body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 44rem; padding: 0 1rem; }
button { font: inherit; min-height: 44px; padding: 0 1rem; }
`;

export const STOREFRONT_SCRIPT = `const list = document.getElementById('proofs');
const say = (text) => {
  const item = document.createElement('li');
  item.textContent = text;
  list.append(item);
};
const prove = async () => {
  for (const { client_event_id, status, event_id } of await truetally.flush()) {
    say(status + ': ' + client_event_id + (event_id ? ' is ' + event_id : ''));
  }
};
truetally.onError(({ code, message }) => say(code + ': ' + message));
truetally.page();
void prove();
document.getElementById('add').addEventListener('click', () => {
  truetally.track('add_to_cart', { product_id: 'cup', product_name: 'Cup', product_price: 12, currency: 'EUR' });
  void prove();
});
`;
