import { expect, it } from '@jest/globals';
import { accessOf, SERVICES, type ServiceEntry } from '@truetally/contracts/services';
import { ASKED_SERVICES } from './services-of-people.js';

it('a service is asked to erase a person behind those whose facts it follows, so that none comes later', () => {
  const asked = ASKED_SERVICES.map(({ name }) => name);
  const placeOf = ({ name }: ServiceEntry): number => asked.indexOf(name);
  for (const follower of SERVICES.filter((service) => placeOf(service) >= 0)) {
    const topics = accessOf(follower).follows;
    const told = SERVICES.filter(({ facts }) => Object.values(facts).some((fact) => topics.includes(fact)));
    for (const owner of told)
      expect([owner.name, placeOf(owner) <= placeOf(follower)]).toEqual([owner.name, true]);
  }
});
