import { useNavigate } from '@tanstack/react-router';
import type { SiteResource } from '@truetally/node';
import { SiteScreen } from '../layout/site-screen.js';
import { useWorkspace } from '../layout/workspace-context.js';
import { ExperimentEditor } from './experiment-editor.js';

export function NewExperimentScreen() {
  return (
    <SiteScreen title="Draft an experiment" roles={['owner', 'admin']}>
      {(site) => <NewExperiment key={site.id} site={site} />}
    </SiteScreen>
  );
}

function NewExperiment({ site }: { readonly site: SiteResource }) {
  const { workspace } = useWorkspace();
  const navigate = useNavigate();
  return (
    <ExperimentEditor
      site={site}
      experiment={undefined}
      onSaved={({ id }) =>
        navigate({
          to: '/w/$workspaceId/partner-experiments/$experimentId',
          params: { workspaceId: workspace.id, experimentId: id },
          search: { site: site.id },
        })
      }
    />
  );
}
