import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { MemberResource } from '@truetally/contracts/management';
import { type Answer, request, uniqueName } from '@truetally/testing';
import { sharedProduct, type Product } from '@truetally/testing-product';
import { Merchant } from '../testing/merchant.js';

interface Listed<T> {
  readonly items: readonly T[];
  readonly next_cursor: string | null;
}

describe('interface page, section 9: members', () => {
  let product: Product;
  let owner: Merchant;
  let admin: Merchant;
  let analyst: Merchant;
  let outsider: Merchant;

  beforeAll(async () => {
    product = await sharedProduct();
    [owner, outsider] = await Promise.all([Merchant.join(product), Merchant.join(product)]);
    [admin, analyst] = await Promise.all([owner.invite('admin'), owner.invite('analyst')]);
  });

  afterAll(() => product.stop());

  const members = (of = owner): string => `workspaces/${of.workspaceId}/members`;
  const add = (who: Merchant, body: object, headers = {}): Promise<Answer<MemberResource>> =>
    who.post(members(), body, headers);
  const added = async (
    role: string,
    name: object = { sub: uniqueName('member') },
  ): Promise<MemberResource> => {
    const answer = await add(owner, { ...name, role });
    expect(answer.status).toBe(201);
    return answer.body.data as MemberResource;
  };
  const itself = async (who: Merchant): Promise<MemberResource> => {
    const { body } = await who.get<Listed<MemberResource>>(`${members(who)}?limit=200`);
    return body.data?.items.find(({ sub }) => sub === who.sub) as MemberResource;
  };
  const outcome = ({ status, body }: Answer<unknown>) => [status, body.error?.code];
  const FORBIDDEN = [403, 'FORBIDDEN'];
  const bearer = async (claims: {
    readonly sub: string;
    readonly email?: string;
    readonly emailVerified?: boolean;
  }) => ({
    authorization: `Bearer ${await product.idToken(claims)}`,
  });
  const reading = async (headers: Record<string, string>): Promise<number> =>
    (await request(`${product.baseUrl}/${members()}`, { headers })).status;

  const accept = async (headers: Record<string, string>): Promise<Answer<MemberResource>> =>
    request(`${product.baseUrl}/${members()}/accept`, { method: 'POST', headers });

  it('members are invited by subject, and work as soon as they have accepted', async () => {
    const sub = uniqueName('member');
    const headers = await bearer({ sub });
    expect(await reading(headers)).toBe(404);
    const answer = await add(owner, { sub, role: 'analyst' });
    expect([answer.status, answer.headers.get('etag')]).toEqual([201, '"1"']);
    expect(answer.body.data).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      workspace_id: owner.workspaceId,
      sub,
      email: null,
      role: 'analyst',
      membership: 'invited',
      version: 1,
      created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      updated_at: answer.body.data?.created_at,
    });
    expect(await reading(headers)).toBe(404);
    const accepted = await accept(headers);
    expect([accepted.status, accepted.headers.get('etag')]).toEqual([200, '"2"']);
    expect(accepted.body.data).toMatchObject({
      ...answer.body.data,
      membership: 'accepted',
      version: 2,
      updated_at: expect.anything(),
    });
    expect(await reading(headers)).toBe(200);
  });

  it('members are invited by e-mail: the user whose token has it as verified, in any case', async () => {
    const email = `${uniqueName('person')}@Shop.example`;
    const member = await added('analyst', { email });
    expect(member).toMatchObject({ sub: null, email: email.toLowerCase() });
    const sub = uniqueName('somebody');
    for (const stranger of [
      { sub: uniqueName('liar'), email, emailVerified: false },
      { sub: uniqueName('other'), email: `x${email}`, emailVerified: true },
      { sub: uniqueName('nobody') },
    ]) {
      expect((await accept(await bearer(stranger))).status).toBe(404);
    }
    const itself = await bearer({ sub, email: email.toUpperCase(), emailVerified: true });
    expect(await reading(itself)).toBe(404);
    expect((await accept(itself)).body.data).toMatchObject({ sub, email: email.toLowerCase() });
    expect(await reading(itself)).toBe(200);
    // The user who accepted is the member, also without the address; the next owner of the address is not.
    expect(await reading(await bearer({ sub }))).toBe(200);
    expect(await reading(await bearer({ sub: uniqueName('heir'), email, emailVerified: true }))).toBe(404);
    expect((await owner.delete(`${members()}/${member.id}`)).status).toBe(200);
    expect(await reading(itself)).toBe(404);
  });

  it.each<[string, object, Readonly<Record<string, readonly string[]>>]>([
    ['neither name', { role: 'admin' }, { sub: ['must be given when email is not'] }],
    [
      'both names',
      { sub: 'auth0|x', email: 'x@shop.example', role: 'admin' },
      { email: ['must not be given beside sub'] },
    ],
    [
      'bad names, no role, and unknown fields',
      { sub: 's'.repeat(256), email: 'shop.example', version: 2 },
      {
        sub: ['must be a non-empty string of at most 255 characters; got 256 characters'],
        email: ['must be an e-mail address in ASCII of at most 254 characters; got 12 characters'],
        role: ['must be one of owner, admin, analyst; got nothing'],
        version: ['is not a known field'],
      },
    ],
    [
      'a subject that cannot be kept, and another role',
      { sub: 'a\0', role: 'guest' },
      {
        sub: ['must not contain U+0000 or an unpaired surrogate'],
        role: ['must be one of owner, admin, analyst; got 5 characters'],
      },
    ],
  ])('members with %s are refused', async (_name, body, details) => {
    const answer = await add(owner, body);
    expect([...outcome(answer), answer.body.error?.details]).toEqual([400, 'VALIDATION_ERROR', details]);
  });

  it('members who are invited again are 409, by either name', async () => {
    const { sub } = await added('analyst');
    expect((await add(owner, { sub, role: 'admin' })).body.error).toMatchObject({
      code: 'CONFLICT',
      details: { sub: ['is a member or invited already'] },
    });
    const { email } = await added('analyst', { email: `${uniqueName('p')}@shop.example` });
    expect((await add(owner, { email: email?.toUpperCase(), role: 'admin' })).body.error).toMatchObject({
      code: 'CONFLICT',
      details: { email: ['is a member or invited already'] },
    });
  });

  it('members are added once under an Idempotency-Key', async () => {
    const body = { sub: uniqueName('member'), role: 'analyst' };
    const headers = { 'idempotency-key': randomUUID() };
    const first = await add(owner, body, headers);
    const again = await add(owner, body, headers);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
    expect(again.body.data).toEqual(first.body.data);
  });

  it('members are managed by owners and admins; owners only by owners; analysts read', async () => {
    const member = await added('analyst');
    const second = await added('owner');
    const path = `${members()}/${member.id}`;
    const ofOwner = `${members()}/${second.id}`;
    expect((await admin.patch<MemberResource>(path, { role: 'admin' })).body.data).toMatchObject({
      role: 'admin',
      version: 2,
    });
    for (const refused of [
      await analyst.patch(path, { role: 'analyst' }),
      await analyst.delete(path),
      await add(analyst, { sub: uniqueName('m'), role: 'analyst' }),
      await admin.patch(path, { role: 'owner' }),
      await admin.patch(ofOwner, { role: 'admin' }),
      await admin.delete(ofOwner),
      await add(admin, { sub: uniqueName('m'), role: 'owner' }),
    ]) {
      expect(outcome(refused)).toEqual(FORBIDDEN);
    }
    expect((await analyst.get<MemberResource>(path)).body.data).toMatchObject({ role: 'admin' });
    expect((await add(admin, { sub: uniqueName('m'), role: 'admin' })).status).toBe(201);
    expect((await owner.patch(ofOwner, { role: 'analyst' })).status).toBe(200);
    expect((await admin.delete(ofOwner)).body.data).toEqual({ id: second.id, deleted: true });
    expect((await admin.delete(path)).status).toBe(200);
  });

  it('change only in their role', async () => {
    const { id } = await added('analyst');
    const path = `${members()}/${id}`;
    const refused = await owner.patch(path, { sub: 'auth0|other', email: 'x@shop.example', role: null });
    expect(refused.body.error?.details).toEqual({
      role: ['must be one of owner, admin, analyst; got nothing'],
      sub: ['is not a known field'],
      email: ['is not a known field'],
    });
    expect((await owner.patch(path, { role: 'admin' }, { 'if-match': '"2"' })).status).toBe(409);
    expect((await owner.delete(path, { 'if-match': '"2"' })).status).toBe(409);
    expect((await owner.patch(path, { role: 'admin' }, { 'if-match': '"1"' })).status).toBe(200);
    expect((await owner.delete(path, { 'if-match': '"2"' })).status).toBe(200);
    expect((await owner.get(path)).status).toBe(404);
    expect((await owner.delete(path)).status).toBe(404);
  });

  it('members may leave, whatever they are; the next request does not know them', async () => {
    const leaver = await owner.invite('analyst');
    const { id } = await itself(leaver);
    expect((await leaver.delete(`${members()}/${id}`)).body.data).toEqual({ id, deleted: true });
    expect((await leaver.get(members())).status).toBe(404);
    expect((await leaver.get('sites')).status).toBe(404);
  });

  it('a new role counts at once', async () => {
    const member = await owner.invite('analyst');
    const { id } = await itself(member);
    const create = () => member.post('sites', {});
    expect((await create()).status).toBe(403);
    await owner.patch(`${members()}/${id}`, { role: 'admin' });
    expect((await create()).status).toBe(400);
    await owner.patch(`${members()}/${id}`, { role: 'analyst' });
    expect((await create()).status).toBe(403);
  });

  it('the last owner leaving, stepping down or being removed is 409', async () => {
    const alone = await Merchant.join(product);
    const path = `${members(alone)}/${(await itself(alone)).id}`;
    expect(outcome(await alone.delete(path))).toEqual([409, 'CONFLICT']);
    expect(outcome(await alone.patch(path, { role: 'admin' }))).toEqual([409, 'CONFLICT']);
    expect((await alone.patch(path, { role: 'owner' })).status).toBe(200);
    const heir = await alone.invite('owner');
    expect((await alone.delete(path)).status).toBe(200);
    expect((await heir.get(members(heir))).status).toBe(200);
  });

  it('two owners removing each other at once: exactly one of them is removed', async () => {
    const one = await Merchant.join(product);
    const two = await one.invite('owner');
    const [first, second] = [await itself(one), await itself(two)];
    const answers = await Promise.all([
      one.delete(`${members(one)}/${second.id}`),
      two.delete(`${members(one)}/${first.id}`),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
    const [left] = answers[0].status === 200 ? [one] : [two];
    const rest = await left.get<Listed<MemberResource>>(members(one));
    expect(rest.body.data?.items.map(({ sub, role }) => [sub, role])).toEqual([[left.sub, 'owner']]);
  });

  it('members are listed newest first, page by page', async () => {
    const lister = await Merchant.join(product);
    const subs = Array.from({ length: 4 }, () => uniqueName('listed'));
    for (const sub of subs) await lister.post(members(lister), { sub, role: 'analyst' });
    const first = await lister.get<Listed<MemberResource>>(`${members(lister)}?limit=3`);
    const cursor = first.body.data?.next_cursor ?? '';
    const second = await lister.get<Listed<MemberResource>>(`${members(lister)}?limit=3&cursor=${cursor}`);
    const listed = [...(first.body.data?.items ?? []), ...(second.body.data?.items ?? [])].map(
      ({ sub }) => sub,
    );
    expect(listed).toEqual([...subs.toReversed(), lister.sub]);
    expect(second.body.data?.next_cursor).toBeNull();
  });

  it('members are 404 in another workspace, and wherever the id is none', async () => {
    const { id } = await itself(analyst);
    for (const answer of [
      await outsider.get(members()),
      await outsider.get(`${members()}/${id}`),
      await outsider.get(`${members(outsider)}/${id}`),
      await outsider.patch(`${members(outsider)}/${id}`, { role: 'admin' }),
      await outsider.delete(`${members(outsider)}/${id}`),
      await outsider.post(members(), { sub: outsider.sub, role: 'owner' }),
      await owner.get(`${members()}/${randomUUID()}`),
      await owner.delete(`${members()}/not-an-id`),
    ]) {
      expect(outcome(answer)).toEqual([404, 'NOT_FOUND']);
    }
    expect((await analyst.get(members())).status).toBe(200);
  });
});
