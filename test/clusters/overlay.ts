import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'

interface OverlayOf {
  /** folders of manifests/ */
  readonly resources: readonly string[]
  readonly components?: readonly string[]
  /** for an installation for one namespace: which, and the namespace of its programs */
  readonly watch?: { readonly namespace: string; readonly installation?: string }
}

/** Writes an overlay, as an admin would, into a new folder in `tmpdir`. Returns the folder. */
export async function anOverlay({ resources, components = [], watch }: OverlayOf): Promise<string> {
  const folder = join(await mkdtemp(join(tmpdir(), 'overlay-')), 'overlay')
  await mkdir(folder)
  const manifests = (name: string) => relative(folder, join('manifests', name))
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: [...resources.map(manifests), ...(watch ? ['watch.yaml'] : [])],
    components: components.map(manifests),
  }
  await writeFile(join(folder, 'kustomization.yaml'), JSON.stringify(kustomization))
  const annotations = { 'config.kubernetes.io/local-config': 'true' }
  const config = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'experiment-watch', annotations },
    data: watch,
  }
  if (watch) await writeFile(join(folder, 'watch.yaml'), JSON.stringify(config))
  return folder
}
