/** Members of the demo by role: their `sub` in the local issuer's ID tokens. */
export const DEMO_SUBJECTS = {
  owner: 'demo-owner',
  admin: 'demo-admin',
  analyst: 'demo-analyst',
  /** The owner of another workspace. */
  outsider: 'demo-outsider',
} as const;
