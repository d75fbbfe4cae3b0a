import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { kubeClient } from '../../common/kube/library/client.ts'
import { realTimers } from '../../common/program/clock.ts'
import { SchemaCatalog, type SchemaSource, schemaSource } from '../../common/schema/catalog.ts'
import { WORKLOAD_KINDS } from '../../common/workload/registry.ts'
import { startControlPlane } from '../../sandbox/control-plane.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { argoCrds } from '../../sandbox/modules.ts'

const fileOf = (folder: string, path: string): string => join(folder, `${encodeURIComponent(path)}.json`)

/**
 * Writes into `folder` every document from which the schemas of our kinds are compiled. @throws Error if one is missing
 */
async function keepDocuments(folder: string, source: SchemaSource): Promise<void> {
  const keeping: SchemaSource = {
    async get(path) {
      const document = await source.get(path)
      await writeFile(fileOf(folder, path), JSON.stringify(document))
      return document
    },
  }
  await compiledFrom(keeping)
}

/** Writes into `folder` the documents of a real cluster, Argo's included. The cluster is stopped before this ends. */
export async function keepClusterDocuments(folder: string, tell: (line: string) => void): Promise<void> {
  const plane = await startControlPlane({ say: tell, crds: await argoCrds() })
  const { kubeconfig } = plane
  const kube = kubeClient({ kubeconfig, userAgent: 'bench', timers: realTimers(), random: Math.random })
  try {
    // the schemas of a new CRD are published with a delay
    await eventually('the schemas of all kinds', 30_000, () => keepDocuments(folder, schemaSource(kube)))
  } finally {
    await kube.close()
    await plane.stop() // before anything is measured
  }
}

/** A catalog, compiled from the files of `keepDocuments`. @throws Error if a kind has no schema */
export const keptCatalog = (folder: string): Promise<SchemaCatalog> =>
  compiledFrom({ get: async (path) => JSON.parse(await readFile(fileOf(folder, path), 'utf8')) })

async function compiledFrom(source: SchemaSource): Promise<SchemaCatalog> {
  const catalog = new SchemaCatalog(source, Object.values(WORKLOAD_KINDS))
  const [failure] = await catalog.refresh()
  if (failure) throw new Error(`no schemas of ${failure.apiVersion}`, { cause: failure.error })
  if (!catalog.isComplete) throw new Error('a kind of workload has no schema')
  return catalog
}
