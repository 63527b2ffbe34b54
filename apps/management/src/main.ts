import '@truetally/platform/late-collection';
import '@truetally/platform/lean-http';

const { serve } = await import('./serve.js');
await serve();
