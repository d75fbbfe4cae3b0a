import { globSync, readFileSync } from 'node:fs'
import { parseAllDocuments } from 'yaml'
import type { KubeObject } from '../../common/api/object.ts'

/** Every object in the files of `folder` below manifests/, as they are: kustomize has not seen them. */
export const shipped = (folder: string): readonly KubeObject[] =>
  globSync(`manifests/${folder}/*.yaml`)
    .sort()
    .flatMap((file) => parseAllDocuments(readFileSync(file, 'utf8')).map((document): KubeObject => document.toJS()))
    .filter(({ kind }) => kind !== 'Kustomization' && kind !== 'Component')

/** The one object of `kind` and `name` among what `folder` holds. @throws Error where there is none */
export function shippedOne(folder: string, kind: string, name: string): KubeObject {
  const found = shipped(folder).find((object) => object.kind === kind && object.metadata.name === name)
  if (!found) throw new Error(`manifests/${folder} has no ${kind} ${name}`)
  return found
}
