import { resourceRefusals } from '@truetally/contracts/resource';
import { failure } from '@truetally/kernel';
import type { NewerChange } from './newer-change.js';

/** Every refusal of a command, with its message. */
export const refusals = {
  ...resourceRefusals,
  noWorkspace: () => failure('NOT_FOUND', 'There is no such workspace.'),
  noSite: () => failure('NOT_FOUND', 'There is no such site.'),
  noJob: () => failure('NOT_FOUND', 'There is no such job.'),
  tooManyActiveCampaigns: (most: number) =>
    failure('CONFLICT', 'The site has as many active campaigns as it may have.', {
      status: [`must not be active: the site has ${most} active campaigns already`],
    }),
  quotaExceeded: ({ quota, most }: { readonly quota: string; readonly most: number }) =>
    failure('CONFLICT', `The quota of ${quota} is used up.`, { [quota]: [`must not be more than ${most}`] }),
  ownerSuspended: () =>
    failure('FORBIDDEN', 'The owner of a suspended workspace makes no other; the platform can be asked.'),
  noCampaign: () => failure('NOT_FOUND', 'There is no such campaign.'),
  noMedia: () => failure('NOT_FOUND', 'There is no such picture.'),
  noSubmission: () => failure('NOT_FOUND', 'There is no such submission.'),
  noErasure: () => failure('NOT_FOUND', 'There is no such erasure.'),
  noProfile: () => failure('NOT_FOUND', 'There is no such profile.'),
  tooManySubmissions: (most: number) =>
    failure('RATE_LIMIT_EXCEEDED', 'The session has sent as many submissions as it may in an hour.', {
      session_id: [`must not send more than ${most} in an hour`],
    }),
  noProduct: () => failure('NOT_FOUND', 'There is no such product.'),
  noIntegration: () => failure('NOT_FOUND', 'There is no such integration.'),
  noWorkflow: () => failure('NOT_FOUND', 'There is no such workflow.'),
  tooManySecrets: (most: number) =>
    failure('CONFLICT', 'The secret was changed as often as it may be within 24 hours.', {
      'action.secret': [`must not be changed: ${most} former secrets sign for 24 hours each`],
    }),
  workflowDisabled: () =>
    failure('CONFLICT', 'The workflow is disabled.', { enabled: ['is false: enable the workflow first'] }),
  verificationUnderWay: () =>
    failure('CONFLICT', 'A verification of this ledger is under way.', {
      website_id: ['is being verified: wait for that job'],
    }),
  noApiKey: () => failure('NOT_FOUND', 'There is no such API key.'),
  noMember: () => failure('NOT_FOUND', 'There is no such member.'),
  memberTaken: (name: 'sub' | 'email') =>
    failure('CONFLICT', 'The workspace has this member already.', {
      [name]: ['is a member or invited already'],
    }),
  roleForbidden: () => failure('FORBIDDEN', 'The role in this workspace does not permit this.'),
  ownersOnly: () => failure('FORBIDDEN', 'Only owners add, change and remove owners.'),
  lastOwner: () => failure('CONFLICT', 'A workspace keeps at least one owner who has accepted.'),
  keyNotLive: () =>
    failure('CONFLICT', 'The API key is revoked or has expired; nothing makes it live again.'),
  keyTaken: () =>
    failure('CONFLICT', 'Another API key has this prefix; mint a new one.', {
      prefix: ['is already in use'],
    }),
  productTaken: () =>
    failure('CONFLICT', 'The site has a product with this product_id already.', {
      product_id: ['is already in use on this site'],
    }),
  siteFixed: () =>
    failure('VALIDATION_ERROR', 'Some fields break a rule.', { site_id: ['cannot be changed'] }),
  jobFinished: (state: string) =>
    failure('CONFLICT', 'The job is finished.', { state: [`is ${state} already`] }),
  noDeadLetter: () => failure('NOT_FOUND', 'There is no such dead letter.'),
  deadLetterHandled: (state: string) =>
    failure('CONFLICT', 'The dead letter was handled already.', { state: [`is ${state} already`] }),
  deadLetterGone: () =>
    failure('CONFLICT', 'Kafka has the message, or its topic, no more.', { id: ['cannot be replayed'] }),
  deadLetterIsState: () =>
    failure(
      'CONFLICT',
      'The message is a state by key, and a newer one may be there; publish it anew instead.',
      {
        topic: ['is compacted'],
      },
    ),
  deadLetterTooOld: () =>
    failure('CONFLICT', 'The message is too old: whether it was carried out before is not known any more.', {
      id: ['cannot be replayed'],
    }),
  deadLetterOutdated: ({ action, resource, resource_id: id, at }: NewerChange) =>
    failure('CONFLICT', 'What the message changes has a newer change, which a replay may undo.', {
      force: [`must be true to replay it after the ${action} of the ${resource} ${id} at ${at}`],
    }),
  notCancellable: () =>
    failure('CONFLICT', 'A deletion cannot be cancelled: some of it is gone already.', {
      type: ['cannot be cancelled'],
    }),
} as const;
