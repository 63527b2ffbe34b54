import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { storefrontLine } from './storefront-line.js';

const GUIDE = new URL('../../../../docs/guides/browser-sdk.md', import.meta.url);

describe("the line for a shop's pages", () => {
  it("it is the guide's one line, which is tried in a browser", () => {
    const [, oneLine] = /^```html\n(.+)\n```/m.exec(readFileSync(GUIDE, 'utf8')) ?? [];
    expect(storefrontLine('https://api.example/api/v1', '<site id>')).toBe(oneLine);
  });
});
