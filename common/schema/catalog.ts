import type { ResourceType } from '../api/object.ts'
import { sha256Of } from '../json/canonical.ts'
import { at, isObject, listOr, member, objectOr } from '../json/json.ts'
import type { KubeClient } from '../kube/client/client.ts'
import { KubeError } from '../kube/client/errors.ts'
import type { OverrideBan } from '../override/rules.ts'
import type { SpecSchema } from '../override/spec-schema.ts'
import { type Compiles, schemaCompiler } from './compile.ts'
import { knownFieldsAt, type Schemas } from './transform.ts'

/** Where schemas are read. */
export interface SchemaSource {
  /** Returns the parsed answer to a GET of `path`, which may have a query. @throws Error if there is no answer. */
  readonly get: (path: string) => Promise<unknown>
}

/** A group whose schemas could not be read or compiled. Its kinds keep their earlier schemas. */
interface SchemaFailure {
  readonly apiVersion: string
  readonly error: unknown
  /** the document is not at the address in the index, as while a kind is installed or removed */
  readonly hasMoved: boolean
}

/** A kind whose schema the catalog reads. */
interface SchemaKind extends ResourceType {
  /** group and version of the document with the PodTemplateSpec of its `template`, if not its own */
  readonly templateFrom?: string
  /** fields that messages must not suggest */
  readonly bans?: readonly OverrideBan[]
}

interface CatalogOptions {
  /** default: now */
  readonly compiles?: Compiles
}

type Entry = { readonly apiVersion: string; readonly schema: SpecSchema }

/** The schemas of the specs of `kinds` in the running cluster. Empty until the first `refresh` has ended. */
export class SchemaCatalog {
  readonly #source: SchemaSource
  readonly #kinds: readonly SchemaKind[]
  readonly #compiles: Compiles
  readonly #subscribers = new Set<() => void>()
  #entries: ReadonlyMap<string, Entry> = new Map()
  #hasRead = false
  #refreshing: Promise<readonly SchemaFailure[]> | undefined

  constructor(source: SchemaSource, kinds: readonly SchemaKind[], { compiles = 'now' }: CatalogOptions = {}) {
    this.#source = source
    this.#kinds = kinds
    this.#compiles = compiles
  }

  /** Returns the schema of `kind`, or undefined while there is none. */
  schemaOf(kind: string): SpecSchema | undefined {
    return this.#entries.get(kind)?.schema
  }

  /** Whether a refresh has succeeded. From then on, a kind without a schema does not exist in the cluster. */
  get hasRead(): boolean {
    return this.#hasRead
  }

  /** Whether every kind has its schema. */
  get isComplete(): boolean {
    return this.#kinds.every(({ kind }) => this.#entries.has(kind))
  }

  /** Calls `wake` after each refresh that changed something. Returns a function that unsubscribes. */
  subscribe(wake: () => void): () => void {
    this.#subscribers.add(wake)
    return () => this.#subscribers.delete(wake)
  }

  /**
   * Reads what has changed since the last refresh, and replaces all schemas at once. Concurrent calls share one
   * reading. Compiling blocks the event loop for some 300 ms per changed kind, unless it is done at the first use.
   * @throws Error if the API server does not return its index.
   */
  refresh(): Promise<readonly SchemaFailure[]> {
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined
    })
    return this.#refreshing
  }

  async #refresh(): Promise<readonly SchemaFailure[]> {
    const index = member(await this.#source.get('/openapi/v3'), 'paths')
    // not an empty cluster
    if (!isObject(index)) throw new Error('the answer to /openapi/v3 is not an index of schemas')
    const next = new Map<string, Entry>()
    const published = publishedIn(index, this.#source)
    const compile = schemaCompiler(this.#compiles)
    const failures: SchemaFailure[] = []
    for (const [apiVersion, kinds] of Map.groupBy(this.#kinds, (kind) => kind.apiVersion))
      try {
        for (const [kind, entry] of await this.#group(kinds, published, compile)) next.set(kind, entry)
      } catch (error) {
        failures.push({ apiVersion, error, hasMoved: isMoved(error) })
        for (const [kind, entry] of this.#entries) if (entry.apiVersion === apiVersion) next.set(kind, entry)
      }
    const isChanged = hashes(next) !== hashes(this.#entries)
    this.#entries = next
    this.#hasRead = true
    if (isChanged) for (const wake of this.#subscribers) wake()
    return failures
  }

  async #group(
    kinds: readonly SchemaKind[],
    published: Published,
    compile: Compile,
  ): Promise<ReadonlyMap<string, Entry>> {
    const entries = new Map<string, Entry>()
    for (const type of kinds) {
      const hash = hashFor(type, published)
      if (hash === undefined) continue // no such group, so no such kinds
      const known = this.#entries.get(type.kind)
      const schema = known?.schema.hash === hash ? known.schema : await compiledFrom(published, type, hash, compile)
      if (schema) entries.set(type.kind, { apiVersion: type.apiVersion, schema })
    }
    return entries
  }
}

type Compile = ReturnType<typeof schemaCompiler>

/** The schema of `type`; undefined if its group does not have it. @throws Error if it cannot be read or compiled */
async function compiledFrom({ schemasOf }: Published, type: SchemaKind, hash: string, compile: Compile) {
  const { bans, templateFrom } = type
  const schemas = await schemasOf(type.apiVersion)
  const root = specOf(schemas, type)
  if (root === undefined) return undefined
  if (templateFrom === undefined) return compile({ hash, schemas, root, bans })
  const core = await schemasOf(templateFrom)
  const whole = compile({ hash, schemas: { ...schemas, ...core }, root: withTemplate(root, core), bans })
  return { ...whole, template: knownFieldsAt(schemas, root, 'template') }
}

/** What the API server publishes. Each document is read once, and freed with the result: it takes some 10 MB. */
function publishedIn(index: Readonly<Record<string, unknown>>, source: SchemaSource) {
  const documents = new Map<string, Promise<unknown>>()
  const addressOf = (apiVersion: string): string | undefined => {
    const url = at(index, pathOfGroup(apiVersion), 'serverRelativeURL')
    return typeof url === 'string' ? url : undefined
  }
  const schemasOf = async (apiVersion: string): Promise<Schemas> => {
    const url = addressOf(apiVersion)
    if (url === undefined) throw new Error(`the API server publishes no schemas for ${apiVersion}`)
    const document = documents.get(url) ?? source.get(url)
    documents.set(url, document)
    const schemas = at(await document, 'components', 'schemas')
    if (!isObject(schemas)) throw new Error(`the answer to ${url} contains no schemas`)
    return schemas
  }
  return { addressOf, schemasOf }
}

type Published = ReturnType<typeof publishedIn>

/** The API server redirects from the address of a former document, and answers 404 for a group without documents. */
const isMoved = (error: unknown): boolean =>
  error instanceof KubeError && (error.status === 301 || error.status === 404)

const pathOfGroup = (apiVersion: string): string => `${apiVersion.includes('/') ? 'apis' : 'api'}/${apiVersion}`

/** The API server puts a hash of the document into its address. Without it, the address itself is hashed. */
function hashIn(url: string): string {
  return new URLSearchParams(url.slice(url.indexOf('?') + 1)).get('hash') ?? sha256Of(url, 64)
}

/** Changes with every document that `type` is compiled from. */
function hashFor({ apiVersion, templateFrom }: SchemaKind, { addressOf }: Published): string | undefined {
  const own = addressOf(apiVersion)
  if (own === undefined) return undefined
  const template = templateFrom === undefined ? undefined : addressOf(templateFrom)
  return template === undefined ? hashIn(own) : `${hashIn(own)}+${hashIn(template)}`
}

const POD_TEMPLATE = 'io.k8s.api.core.v1.PodTemplateSpec'

/** `root`, a schema of a spec, with the pod template of Kubernetes as the schema of its `template`. */
function withTemplate(root: unknown, core: Schemas): unknown {
  if (!isObject(root) || !Object.hasOwn(core, POD_TEMPLATE))
    throw new Error(`the API server publishes no schema of ${POD_TEMPLATE}`)
  const template = { $ref: `#/components/schemas/${POD_TEMPLATE}` }
  return { ...root, properties: { ...objectOr(root.properties), template } }
}

function specOf(schemas: Schemas, { apiVersion, kind }: ResourceType): unknown {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion]
  const isIt = (schema: unknown) =>
    listOr(member(schema, 'x-kubernetes-group-version-kind')).some(
      (gvk) => isObject(gvk) && gvk.group === group && gvk.version === version && gvk.kind === kind,
    )
  return at(Object.values(schemas).find(isIt), 'properties', 'spec')
}

const hashes = (entries: ReadonlyMap<string, Entry>): string =>
  JSON.stringify([...entries].map(([kind, { schema }]) => [kind, schema.hash]))

/** Reads the schemas that the API server publishes, until `signal` aborts. Needs no permission beyond API discovery. */
export const schemaSource = (kube: Pick<KubeClient, 'request'>, signal?: AbortSignal): SchemaSource => ({
  get: (address) => {
    const [path = '', query = ''] = address.split('?')
    return kube.request({
      verb: 'get',
      path,
      query: Object.fromEntries(new URLSearchParams(query)),
      ...(signal ? { signal } : {}),
    })
  },
})
