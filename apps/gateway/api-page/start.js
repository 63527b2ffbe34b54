// A file of its own, because the page's policy allows no inline script.
/* global SwaggerUIBundle */
SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#api',
  presets: [SwaggerUIBundle.presets.apis],
  layout: 'BaseLayout',
  deepLinking: true,
  // The areas, to be opened: a list of everything is long, and above 150 rows drawn only where it is looked at.
  docExpansion: 'none',
  displayOperationId: true,
  displayRequestDuration: true,
  filter: true,
  tryItOutEnabled: true,
  // A typed key lives as long as the page.
  persistAuthorization: false,
  // The default asks another host.
  validatorUrl: null,
  defaultModelsExpandDepth: 0,
  syntaxHighlight: { activated: true },
});
