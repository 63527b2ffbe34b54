import { skipToken, useIsMutating, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ProductBatchAnswer, SiteResource } from '@truetally/node';
import { ApiError } from '../api/api-error.js';
import { batchesOf, readProductRows } from '../domain/product-rows.js';
import { Field } from '../elements/field.js';
import { FileInput } from '../elements/file-input.js';
import { Notice, Problem } from '../elements/problem.js';
import { keyOfRead } from '../layout/use-read.js';
import { useWorkspace } from '../layout/workspace-context.js';
import { usePage } from '../session/page-context.js';
import { useDraft } from '../session/use-draft.js';

const FILE_BYTES = 32 * 1024 * 1024;
const NONE = { name: '', size: 0, changedMs: 0, sent: 0, total: 0, created: 0, updated: 0 };

/** How much of a file is stored. It is kept over a renewal of the sign-in, which may have to leave the page, and with it the file. */
type Upload = typeof NONE;

/** Products of a file, in as many requests as they need; each is stored whole or not at all. What has stopped goes on with the same file. */
export function ProductUpload({ site }: { readonly site: SiteResource }) {
  const { api } = usePage();
  const { workspace } = useWorkspace();
  const cache = useQueryClient();
  const draft = useDraft<Upload>(`product-upload:${site.id}`);
  const key = keyOfRead(workspace.id, 'product-upload', { site_id: site.id });
  const isUnderWay = useIsMutating({ mutationKey: key }) > 0;
  const { data: known = NONE } = useQuery({
    queryKey: key,
    queryFn: skipToken,
    initialData: (): Upload => ({ ...NONE, ...draft.kept }),
    staleTime: Infinity,
  });
  const note = (stored: Upload): void => {
    cache.setQueryData(key, stored);
    if (stored.sent < stored.total) draft.keep(stored);
    else draft.forget();
  };
  const upload = useMutation({
    mutationKey: key,
    mutationFn: async (file: File) => {
      let stored = begunWith(file, known);
      note(stored);
      if (file.size > FILE_BYTES)
        throw new Error('The file is larger than 32 MiB: split it, and upload its parts.');
      const rows = readProductRows(await file.text());
      if (rows?.length === 0) throw new Error('The file names no product.');
      if (rows === undefined) {
        throw new Error('The file is no list of products: JSON, or CSV with a header that has product_id.');
      }
      for (const { first, products } of batchesOf(rows)) {
        if (first < stored.sent) continue;
        const { created, updated } = await api<ProductBatchAnswer>({
          method: 'PUT',
          path: '/products/batch',
          workspaceId: workspace.id,
          body: { site_id: site.id, products },
        }).catch((error: unknown) => {
          throw error instanceof ApiError ? inFile(error, first) : error;
        });
        stored = {
          ...stored,
          sent: first + products.length,
          total: rows.length,
          created: stored.created + created,
          updated: stored.updated + updated,
        };
        note(stored);
      }
    },
    onSettled: () => cache.invalidateQueries({ queryKey: ['w', workspace.id, '/products'] }),
  });
  const { name, sent, total, created, updated } = known;
  return (
    <section aria-label="Upload of products">
      <Field
        label="Upload products"
        hint="JSON or CSV with the fields product_id, title, url, image_url, price, currency, availability. A known product_id is replaced."
      >
        <FileInput
          accept=".json,.csv,application/json,text/csv"
          isBusy={isUnderWay}
          onFile={(file) => upload.mutate(file)}
        />
      </Field>
      {sent > 0 && (
        <Notice>
          <p role="status">
            {sent.toLocaleString('en')} of {total.toLocaleString('en')} products stored:{' '}
            {created.toLocaleString('en')} created, {updated.toLocaleString('en')} updated.
            {sent < total && !isUnderWay && (
              <>
                {' '}
                The upload of <bdi>{name}</bdi> has stopped there: choose the file again, and it goes on. One
                that was changed begins anew.
              </>
            )}
          </p>
        </Notice>
      )}
      {upload.error !== null && (
        <Problem error={upload.error instanceof ApiError ? upload.error : upload.error.message} />
      )}
    </section>
  );
}

/** The same file goes on behind what is stored of it. */
function begunWith({ name, size, lastModified: changedMs }: File, known: Upload): Upload {
  const isSame = known.name === name && known.size === size && known.changedMs === changedMs;
  return isSame && known.sent < known.total ? known : { ...NONE, name, size, changedMs };
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
