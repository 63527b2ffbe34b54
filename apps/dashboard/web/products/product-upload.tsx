import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ProductBatchAnswer, SiteResource } from '@truetally/node';
import { useState } from 'react';
import { ApiError } from '../api/api-error.js';
import { batchesOf, readProductRows } from '../domain/product-rows.js';
import { Field } from '../elements/field.js';
import { FileInput } from '../elements/file-input.js';
import { Notice, Problem } from '../elements/problem.js';
import { useWorkspace } from '../layout/workspace-context.js';
import { usePage } from '../session/page-context.js';

const FILE_BYTES = 32 * 1024 * 1024;
const NONE = { sent: 0, total: 0, created: 0, updated: 0 };

/** Products of a file, in as many requests as they need; each is stored whole or not at all. */
export function ProductUpload({ site }: { readonly site: SiteResource }) {
  const { api } = usePage();
  const { workspace } = useWorkspace();
  const cache = useQueryClient();
  const [counts, setCounts] = useState(NONE);
  const upload = useMutation({
    mutationFn: async (file: File) => {
      setCounts(NONE);
      if (file.size > FILE_BYTES)
        throw new Error('The file is larger than 32 MiB: split it, and upload its parts.');
      const rows = readProductRows(await file.text());
      if (rows === undefined) {
        throw new Error('The file is no list of products: JSON, or CSV with a header that has product_id.');
      }
      for (const { first, products } of batchesOf(rows)) {
        const { created, updated } = await api<ProductBatchAnswer>({
          method: 'PUT',
          path: '/products/batch',
          workspaceId: workspace.id,
          body: { site_id: site.id, products },
        }).catch((error: unknown) => {
          throw error instanceof ApiError ? inFile(error, first) : error;
        });
        setCounts((before) => ({
          sent: before.sent + products.length,
          total: rows.length,
          created: before.created + created,
          updated: before.updated + updated,
        }));
      }
    },
    onSettled: () => cache.invalidateQueries({ queryKey: ['w', workspace.id, '/products'] }),
  });
  const { sent, total, created, updated } = counts;
  return (
    <section aria-label="Upload of products">
      <Field
        label="Upload products"
        hint="JSON or CSV with the fields product_id, title, url, image_url, price, currency, availability. A known product_id is replaced."
      >
        <FileInput
          accept=".json,.csv,application/json,text/csv"
          isBusy={upload.isPending}
          onFile={(file) => upload.mutate(file)}
        />
      </Field>
      {sent > 0 && (
        <Notice>
          <p role="status">
            {sent.toLocaleString('en')} of {total.toLocaleString('en')} products stored:{' '}
            {created.toLocaleString('en')} created, {updated.toLocaleString('en')} updated.
          </p>
        </Notice>
      )}
      {upload.error !== null && (
        <Problem error={upload.error instanceof ApiError ? upload.error : upload.error.message} />
      )}
    </section>
  );
}

/** The service counts from the start of its batch, the reader from the start of the file. */
function inFile(error: ApiError, first: number): ApiError {
  const details = Object.entries(error.details).map(([path, said]) => [
    path.replace(/^products\.(\d+)/, (_, place: string) => `products.${first + Number(place)}`),
    said.map((text) =>
      text.replace(/products\.(\d+)/g, (_, place: string) => `products.${first + Number(place)}`),
    ),
  ]);
  const { status, code, message, requestId, retryAfterMs } = error;
  return new ApiError(status, code, message, Object.fromEntries(details), requestId, retryAfterMs);
}
