import { startOnsite } from './onsite.js';

window.truetallyPart = startOnsite;
