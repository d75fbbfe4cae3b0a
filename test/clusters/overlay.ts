import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { expect } from 'chai'
import type { KubeObject } from '../../common/api/object.ts'
import { at, listOr, objectOr } from '../../common/json/json.ts'

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

/** The container of the webhook. */
export const webhookIn = (objects: readonly KubeObject[]) => {
  const webhook = objects.find(({ kind, metadata: { name } }) => kind === 'Deployment' && name === 'experiment-webhook')
  return objectOr(listOr(at(webhook, 'spec', 'template', 'spec', 'containers'))[0])
}

/** What the volumes of an overlay need and it does not contain itself: `secret NAME`, `configMap NAME`. */
export const missingIn = (objects: readonly KubeObject[]) => {
  const text = JSON.stringify(objects.filter(({ kind }) => kind === 'Deployment'))
  const named = [...text.matchAll(/"configMap":\{"name":"([^"]+)"|(?<!"optional":true,)"secretName":"([^"]+)"/g)].map(
    ([, configMap, secret]) => configMap ?? secret ?? '',
  )
  expect(named).to.not.deep.equal([])
  return named.filter((name) => !objects.some(({ metadata }) => metadata.name === name)).sort()
}
