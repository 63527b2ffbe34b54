import type { Tools } from './client.js';
import type { LoadFile } from './global.js';
import { startOnsite } from './onsite.js';

/** Name and integrity of the file that shows campaigns, set when the files are bundled. */
declare const CAMPAIGNS_FILE: string;
declare const CAMPAIGNS_INTEGRITY: string;

globalThis.truetallyPart = (tools: Tools, load: LoadFile) =>
  startOnsite(tools, () => load(CAMPAIGNS_FILE, CAMPAIGNS_INTEGRITY));
