import { readIssuerKeys } from './issuer-keys.js';
import { issuerServer } from './issuer-server.js';

/**
 * An OpenID Connect issuer for a developer's machine, on loopback only:
 *
 *     node libs/processes/dist/oidc/issuer-process.js <issuer URL> <file of its keys> <client id> <origins, by commas>
 */
const [url, keysFile, clientId = '', origins = ''] = process.argv.slice(2);
if (url === undefined || keysFile === undefined)
  throw new Error('Say the issuer’s URL and the file of its keys.');
const { hostname, port } = new URL(url);
const dashboardOrigins = origins.split(',').filter((origin) => origin !== '');
const server = issuerServer({ url, keys: readIssuerKeys(keysFile), clientId, dashboardOrigins });
server.listen(Number(port), hostname);
process.once('SIGTERM', () => process.exit());
