import { decorateLinks } from './links.js';

globalThis.truetallyLinks = decorateLinks;
