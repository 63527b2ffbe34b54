/** Who may do what in the demo: the `sub` of each, as the local issuer's ID tokens bear it. */
export const DEMO_SUBJECTS = {
  owner: 'demo-owner',
  admin: 'demo-admin',
  analyst: 'demo-analyst',
  /** The owner of another workspace. */
  outsider: 'demo-outsider',
} as const;
