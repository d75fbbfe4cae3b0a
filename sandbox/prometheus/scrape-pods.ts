import { rename, writeFile } from 'node:fs/promises'
import type { KubeObject } from '../../common/api/object.ts'
import { at } from '../../common/json/json.ts'

/** The port where simulated pods have their metrics. */
export const METRICS_PORT = 80

/** Scrapes the pods that a file names. The Prometheus of Debian cannot ask Kubernetes for them itself. */
export const scrapePods = ({ targets, seconds }: { readonly targets: string; readonly seconds: number }) => ({
  job_name: 'pods',
  scrape_interval: `${seconds}s`,
  scrape_timeout: `${seconds}s`,
  file_sd_configs: [{ files: [targets], refresh_interval: `${seconds}s` }],
})

/** Writes the file that `scrapePods` reads. The series of a pod have the labels `namespace` and `pod`. */
export async function writeTargets(path: string, pods: readonly KubeObject[]): Promise<void> {
  const targets = pods.flatMap(({ metadata: { name, namespace }, status }) => {
    const address = at(status, 'podIP')
    return typeof address === 'string'
      ? { targets: [`${address}:${METRICS_PORT}`], labels: { namespace, pod: name } }
      : []
  })
  await writeFile(`${path}.new`, JSON.stringify(targets))
  await rename(`${path}.new`, path) // Prometheus never reads half a file
}
