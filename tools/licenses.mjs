// Says whether every production package of the lockfile has a licence that was reviewed: `npm run licenses:check`. The list is
// tools/licenses.json: licences that any package may have, and packages whose licence was looked at by somebody.
import './takes-no-arguments.mjs';
import { readFileSync } from 'node:fs';

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const reviewed = JSON.parse(readFileSync('tools/licenses.json', 'utf8'));

const PREFIX = /^.*node_modules\//;
const thirdParty = Object.entries(packages).filter(
  ([path, entry]) => PREFIX.test(path) && entry.link !== true && entry.dev !== true,
);
const used = new Set();

function isReviewed(path, { license = 'none' }) {
  if (reviewed.licenses.includes(license)) return true;
  const name = path.replace(PREFIX, '');
  const found = Object.keys(reviewed.packages).find(
    (one) => name === one || (one.endsWith('*') && name.startsWith(one.slice(0, -1))),
  );
  if (found === undefined) return false;
  used.add(found);
  return reviewed.packages[found].license === license;
}

const faults = thirdParty
  .filter(([path, entry]) => !isReviewed(path, entry))
  .map(
    ([path, { license = 'none' }]) => `${path.replace(PREFIX, '')}: ${license} is not in tools/licenses.json`,
  );
const idle = Object.keys(reviewed.packages)
  .filter((name) => !used.has(name))
  .map((name) => `${name}: is in tools/licenses.json, and no production package`);

if (thirdParty.length === 0) faults.push('The lockfile has no production packages.');
console.log(
  [...faults, ...idle].join('\n') || `${thirdParty.length} production packages have reviewed licences.`,
);
process.exit(faults.length + idle.length === 0 ? 0 : 1);
