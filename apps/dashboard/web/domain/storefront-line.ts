/** What a shop's pages need: the guide's one line, which loads the SDK beside the page and sends its view. */
export function storefrontLine(apiBaseUrl: string, siteId: string): string {
  const script = new URL('/sdk/v1/truetally.js', apiBaseUrl).href;
  return `<script>!function(w,d,t){if((w.truetally||0).setConsent)return;t=w.truetally={q:[]};"init track page identify setConsent flush attribution onError diagnostics".split(" ").forEach(function(m){t[m]=function(){var a=arguments;return new Promise(function(r){t.q.push([m,a,r])})}});w=d.createElement("script");w.async=1;w.onerror=function(){t.q.splice(0).forEach(t.q.push=function(c){c[2](c[0]=="flush"?[]:void 0)})};w.src="${script}";d.head.appendChild(w)}(window,document);truetally.init({siteId:"${siteId}",endpoint:"${apiBaseUrl}"});truetally.page()</script>`;
}
