import { runRepublish } from '@truetally/service';
import { readVerificationConfig } from './config.js';
import { republishSettlements } from './storage/republish-settlements.js';

await runRepublish('publisher-analytics', readVerificationConfig(), { settlements: republishSettlements });
