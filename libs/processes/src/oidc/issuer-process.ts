import { OAuth2Server } from 'oauth2-mock-server';
import { readIssuerKeys } from './issuer-keys.js';

/**
 * An OpenID Connect issuer for a developer's machine, on loopback only:
 *
 *     node libs/processes/dist/oidc/issuer-process.js <issuer URL> <file of its keys>
 */
const [url, keysFile] = process.argv.slice(2);
if (url === undefined || keysFile === undefined)
  throw new Error('Say the issuer’s URL and the file of its keys.');
const { hostname, port } = new URL(url);
const server = new OAuth2Server();
for (const key of readIssuerKeys(keysFile)) await server.issuer.keys.add({ ...key });
await server.start(Number(port), hostname);
server.issuer.url = url;
process.once('SIGTERM', () => process.exit());
