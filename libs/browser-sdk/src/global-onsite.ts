import { startOnsite } from './onsite.js';

globalThis.truetallyPart = startOnsite;
