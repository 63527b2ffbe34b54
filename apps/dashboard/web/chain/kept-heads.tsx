import { useMutation } from '@tanstack/react-query';
import type { ChainHeadResource, SiteResource } from '@truetally/node';
import type { Page } from '../api/pages.js';
import type { Fault, SealedRecord } from '../domain/sealed-record.js';
import { faultOfKept, type KeptHead, readKeptHead } from '../domain/verify-chain.js';
import { Faults } from '../elements/faults.js';
import style from '../elements/elements.module.css';
import { Field } from '../elements/field.js';
import { FileInput } from '../elements/file-input.js';
import { Problem } from '../elements/problem.js';
import { saveFile } from '../elements/save-file.js';
import { useWorkspace } from '../layout/workspace-context.js';
import { usePage } from '../session/page-context.js';

/** A head's file has less than 300 characters. */
const FILE_BYTES = 10_000;

interface Checked {
  readonly kept: KeptHead | undefined;
  readonly fault: Fault | undefined;
}

/** A head that somebody kept shows later that nobody sealed the chain again as a whole. */
export function KeptHeads({ site, head }: { readonly site: SiteResource; readonly head: ChainHeadResource }) {
  const { api } = usePage();
  const { workspace } = useWorkspace();
  const check = useMutation({
    mutationFn: async (file: File): Promise<Checked> => {
      const kept = file.size > FILE_BYTES ? undefined : readKeptHead(await file.text());
      if (kept === undefined || kept.website_id !== site.id) {
        return { kept, fault: kept && (await faultOfKept(kept, undefined, site.id)) };
      }
      const { items } = await api<Page<SealedRecord>>({
        path: '/partner-attribution/chain/records',
        query: { website_id: site.id, from_sequence: kept.sequence, limit: 1 },
        workspaceId: workspace.id,
      });
      return { kept, fault: await faultOfKept(kept, items[0], site.id) };
    },
  });
  return (
    <>
      <h2>Kept heads</h2>
      <p>
        Whoever can change the database could also seal the whole chain again. A head that you keep elsewhere
        shows it: as long as the chain has it at its place, everything up to it is what it was then.
      </p>
      <div className={style['actions']}>
        <button type="button" onClick={() => keep(site.id, head)}>
          Keep this head
        </button>
      </div>
      <Field label="Check a kept head" hint="The file that “Keep this head” has saved">
        <FileInput accept="application/json,.json" onFile={(file) => check.mutate(file)} />
      </Field>
      {check.error !== null && <Problem error={check.error} />}
      {check.data !== undefined && <Answer checked={check.data} />}
    </>
  );
}

function Answer({ checked: { kept, fault } }: { readonly checked: Checked }) {
  if (kept === undefined) return <Problem error="This file is no kept head." />;
  if (fault !== undefined) return <Faults faults={[fault]} what="The kept head is refused." />;
  return (
    <div className={style['notice']} role="status">
      <p>
        <strong>Found.</strong> The chain has the kept head at place {kept.sequence}: nothing up to it was
        sealed again.
      </p>
    </div>
  );
}

function keep(siteId: string, { sequence, hash, recorded_at }: ChainHeadResource): void {
  const text = JSON.stringify({ website_id: siteId, sequence, hash, recorded_at }, null, 2);
  saveFile(`ledger-head-${siteId}-${sequence}.json`, text, 'application/json');
}
