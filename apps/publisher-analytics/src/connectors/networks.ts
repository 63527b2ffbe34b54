import type { NetworkProvider } from '@truetally/contracts/management';
import { AWIN } from './awin.js';
import { CJ } from './cj.js';
import type { NetworkConnector } from './network-connector.js';

/** Every network that settlements are pulled from. A new one is a file beside these and a line here. */
export const NETWORKS: Readonly<Record<NetworkProvider, NetworkConnector>> = { awin: AWIN, cj: CJ };
