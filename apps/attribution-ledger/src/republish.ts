import { runRepublish } from '@truetally/service';
import { readRepublishConfig } from './config.js';
import { republishRecords } from './republish-facts/republish-records.js';
import { republishTouches } from './republish-facts/republish-touches.js';

await runRepublish('attribution-ledger', readRepublishConfig(), {
  conversions: republishRecords,
  touches: republishTouches,
});
