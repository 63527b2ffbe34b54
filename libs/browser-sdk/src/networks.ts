/**
 * The partner networks: the parameter of a decorated link (interface page, section 8), and the one that the network
 * adds to the address of a landing (docs/networks.md).
 */
export const NETWORKS = [
  ['awin', 'clickref', 'awc'],
  ['cj', 'sid', 'cjevent'],
] as const;
