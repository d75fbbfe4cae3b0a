import { globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { isObject } from '../../common/json/json.ts'
import { argoManifests, guestbook, statefulSets } from '../../sandbox/modules.ts'

/** A file of manifests. */
export interface Specimen {
  readonly path: string
  readonly text: string
}

/** The manifests of the tests of Kubernetes and Argo Rollouts: the guestbook, StatefulSets and Rollouts. */
export async function builtIn(): Promise<readonly Specimen[]> {
  const texts = await guestbook()
  const sets = Object.entries(await statefulSets()).map(([app, files]) => ({
    path: `statefulset/${app}`,
    text: files.map(({ text }) => text).join('\n---\n'),
  }))
  return [{ path: 'guestbook', text: texts.join('\n---\n') }, ...sets, ...(await argoManifests())]
}

/**
 * Every manifest at `paths`; for a folder, all files below it. The files of one folder belong together, as with
 * `kubectl apply -f FOLDER`. @throws Error for a path that does not exist
 */
export function specimensAt(paths: readonly string[]): readonly Specimen[] {
  const files = paths.flatMap((path) =>
    statSync(path).isDirectory()
      ? globSync('**/*.{yaml,yml,json}', { cwd: path }).map((file) => join(path, file))
      : [path],
  )
  const folders = Map.groupBy(files.toSorted(), (file) => dirname(file))
  return [...folders].map(([folder, together]) => ({
    path: together.length === 1 ? (together[0] ?? folder) : folder,
    text: together.map((file) => readFileSync(file, 'utf8')).join('\n---\n'),
  }))
}

/** The objects of a specimen, for a namespace of our choice, without Namespaces and documents that are not objects. */
export function objectsOf({ text }: Specimen): readonly Readonly<Record<string, unknown>>[] {
  return parseAllDocuments(text, { logLevel: 'silent' }) // some files are templates of charts
    .map((document) => document.toJS() as unknown)
    .flatMap((object) => (isObject(object) && Array.isArray(object.items) ? (object.items as unknown[]) : [object]))
    .filter(isObject)
    .filter(({ kind }) => typeof kind === 'string' && kind !== 'Namespace')
    .map((object) => {
      const { namespace: _elsewhere, ...metadata } = isObject(object.metadata) ? object.metadata : {}
      return { ...object, metadata }
    })
}
