import { useParams } from '@tanstack/react-router';
import { JobProgress } from '../layout/job-progress.js';
import { SiteScreen } from '../layout/site-screen.js';

export function JobScreen() {
  const { jobId } = useParams({ from: '/w/$workspaceId/jobs/$jobId' });
  return (
    <SiteScreen title="Job">
      {() => (
        <>
          <p>
            <code>{jobId}</code>
          </p>
          <JobProgress jobId={jobId} />
        </>
      )}
    </SiteScreen>
  );
}
