import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { MediaResource } from '@truetally/node';
import { useState } from 'react';
import type { Column } from '../elements/data-table.js';
import { ConfirmDialog } from '../elements/confirm-dialog.js';
import style from '../elements/elements.module.css';
import { Field } from '../elements/field.js';
import { FileInput } from '../elements/file-input.js';
import { Instant } from '../elements/instant.js';
import { Problem } from '../elements/problem.js';
import { RowButton } from '../elements/row-button.js';
import { List } from '../layout/list.js';
import { Screen } from '../layout/screen.js';
import { useList } from '../layout/use-read.js';
import { useWorkspace } from '../layout/workspace-context.js';
import { usePage } from '../session/page-context.js';

const BYTES_PER_KIB = 1024;

export function MediaScreen() {
  const { workspace, mayWrite, zone } = useWorkspace();
  const cache = useQueryClient();
  const [asked, setAsked] = useState<MediaResource>();
  const pictures = useList<MediaResource>('/media');
  const refresh = (): Promise<void> => cache.invalidateQueries({ queryKey: ['w', workspace.id, '/media'] });
  return (
    <Screen title="Media">
      {mayWrite && <Upload onDone={refresh} />}
      <List
        list={pictures}
        name="pictures"
        columns={columnsFor(zone, mayWrite ? setAsked : undefined)}
        keyOf={({ id }) => id}
        empty={<p>No picture yet. Pictures of this workspace stand here, with an address for each.</p>}
      />
      {asked !== undefined && (
        <DeletePicture picture={asked} onClose={() => setAsked(undefined)} onDone={refresh} />
      )}
    </Screen>
  );
}

function columnsFor(
  zone: string,
  onDelete: ((picture: MediaResource) => void) | undefined,
): readonly Column<MediaResource>[] {
  return [
    {
      title: 'Picture',
      cell: ({ url, width, height }) => (
        <img
          className={style['picture']}
          src={url}
          width={width}
          height={height}
          loading="lazy"
          alt={`${width} by ${height} pixels`}
        />
      ),
    },
    {
      title: 'Size',
      cell: ({ width, height, bytes, content_type: type }) => (
        <>
          {width} × {height} pixels
          <br />
          {(bytes / BYTES_PER_KIB).toLocaleString('en', { maximumFractionDigits: 1 })} KiB,{' '}
          {type.replace('image/', '').toUpperCase()}
        </>
      ),
    },
    { title: 'Address', cell: ({ url }) => <code>{url}</code> },
    { title: `Added (${zone})`, cell: ({ created_at: at }) => <Instant at={at} zone={zone} /> },
    ...(onDelete === undefined
      ? []
      : [
          {
            title: 'Actions',
            cell: (picture: MediaResource) => (
              <RowButton verb="Delete" row={picture.id} onClick={() => onDelete(picture)} />
            ),
          },
        ]),
  ];
}

function Upload({ onDone }: { readonly onDone: () => Promise<void> }) {
  const { api } = usePage();
  const { workspace } = useWorkspace();
  const upload = useMutation({
    mutationFn: async (picture: File) => {
      const form = new FormData();
      form.set('file', picture);
      // The browser chooses the boundary of the form's parts.
      const encoded = new Response(form);
      const type = encoded.headers.get('Content-Type') ?? '';
      const file = { content: await encoded.blob(), type };
      return api<MediaResource>({ method: 'POST', path: '/media', workspaceId: workspace.id, file });
    },
    onSuccess: onDone,
  });
  return (
    <>
      <Field
        label="Add a picture"
        hint="PNG, JPEG, WebP or GIF, at most 10 MiB; where and with what it was taken is removed"
      >
        <FileInput
          accept="image/png,image/jpeg,image/webp,image/gif"
          isBusy={upload.isPending}
          onFile={(file) => upload.mutate(file)}
        />
      </Field>
      <p role="status">
        {upload.isPending && 'Adding the picture'}
        {upload.data !== undefined && `Added: ${upload.data.width} × ${upload.data.height} pixels.`}
      </p>
      {upload.error !== null && <Problem error={upload.error} />}
    </>
  );
}

function DeletePicture({
  picture,
  onClose,
  onDone,
}: {
  readonly picture: MediaResource;
  readonly onClose: () => void;
  readonly onDone: () => Promise<void>;
}) {
  const { api } = usePage();
  const { workspace } = useWorkspace();
  const remove = useMutation({
    mutationFn: () => api({ method: 'DELETE', path: `/media/${picture.id}`, workspaceId: workspace.id }),
    onSuccess: () => {
      onClose();
      return onDone();
    },
  });
  return (
    <ConfirmDialog title="Delete the picture?" change={remove} verb="Delete it" onClose={onClose}>
      <p>Pages that show it will show nothing. This cannot be undone.</p>
    </ConfirmDialog>
  );
}
