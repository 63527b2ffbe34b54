import { ApiError } from './api-error.js';

/** What the service says of each field, by the paths that the form uses as well; `rest` belongs to none of them. */
export function fieldErrors(error: unknown, fields: readonly string[]) {
  const details = error instanceof ApiError ? error.details : {};
  const byField = (name: string): string | undefined => {
    const messages = Object.entries(details).flatMap(([path, said]) => {
      if (path === name) return said;
      if (!path.startsWith(`${name}.`)) return [];
      const place = Number(path.slice(name.length + 1));
      // One of several that are typed into one field.
      return Number.isNaN(place) ? said : said.map((one) => `entry ${place + 1} ${one}`);
    });
    return messages.length === 0 ? undefined : messages.join('; ');
  };
  const rest = Object.entries(details).filter(
    ([path]) => !fields.some((name) => path === name || path.startsWith(`${name}.`)),
  );
  const isFullyShown = error instanceof ApiError && Object.keys(details).length > 0 && rest.length === 0;
  return { byField, rest, isFullyShown };
}
