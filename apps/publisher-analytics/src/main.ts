import '@truetally/platform/lean-http';

await import('./serve.js');
