import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SchemaCatalog, type SchemaSource } from '../../common/schema/catalog.ts'
import { WORKLOAD_KINDS } from '../../common/workload/registry.ts'

const fileOf = (folder: string, path: string): string => join(folder, `${encodeURIComponent(path)}.json`)

/**
 * Writes into `folder` every document from which the schemas of our kinds are compiled. @throws Error if one is missing
 */
export async function keepDocuments(folder: string, source: SchemaSource): Promise<void> {
  const keeping: SchemaSource = {
    async get(path) {
      const document = await source.get(path)
      await writeFile(fileOf(folder, path), JSON.stringify(document))
      return document
    },
  }
  await compiledFrom(keeping)
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
