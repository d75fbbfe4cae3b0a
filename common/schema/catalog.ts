import { hashOf } from '../api/canonical.ts'
import { at, isObject, listOr, member, objectOr } from '../api/object.ts'
import type { ResourceType } from '../api/resource.ts'
import type { OverrideBan, SpecSchema } from '../workload/kind.ts'
import { compile } from './compile.ts'
import { knownBelow } from './known.ts'
import type { Schemas } from './transform.ts'

/** The API server as far as the catalog cares. */
export interface SchemaSource {
  /** The parsed answer to a GET of `path`, which may have a query. @throws Error if there is none. */
  readonly get: (path: string) => Promise<unknown>
}

/** A group whose schemas could not be read or compiled; what was known of its kinds is kept. */
export interface SchemaFailure {
  readonly apiVersion: string
  readonly error: unknown
}

/** A kind whose schema is wanted. */
export interface SchemaKind extends ResourceType {
  /** the group and version in whose document the PodTemplateSpec of its `template` is, if not in its own */
  readonly templateFrom?: string
  /** what messages must not suggest */
  readonly bans?: readonly OverrideBan[]
}

/** What the API server publishes at the time of one refresh. */
interface Published {
  readonly addressOf: (apiVersion: string) => string | undefined
  readonly schemasOf: (apiVersion: string) => Promise<Schemas>
}

interface Entry {
  readonly apiVersion: string
  readonly schema: SpecSchema
}

/** What the running cluster says the specs of `kinds` may hold. Empty until the first `refresh` has ended. */
export class SchemaCatalog {
  readonly #source: SchemaSource
  readonly #kinds: readonly SchemaKind[]
  readonly #subscribers = new Set<() => void>()
  #entries: ReadonlyMap<string, Entry> = new Map()
  #hasRead = false
  #refreshing: Promise<readonly SchemaFailure[]> | undefined

  constructor(source: SchemaSource, kinds: readonly SchemaKind[]) {
    this.#source = source
    this.#kinds = kinds
  }

  /** The schema of `kind`, or undefined while there is none. */
  schemaOf(kind: string): SpecSchema | undefined {
    return this.#entries.get(kind)?.schema
  }

  /** Whether it was read at all: from then on a kind without schema is one that the cluster does not have. */
  get hasRead(): boolean {
    return this.#hasRead
  }

  /** Whether every kind has its schema. */
  get isComplete(): boolean {
    return this.#kinds.every(({ kind }) => this.#entries.has(kind))
  }

  /** Calls `wake` after each refresh that changed something; the result ends that. */
  subscribe(wake: () => void): () => void {
    this.#subscribers.add(wake)
    return () => this.#subscribers.delete(wake)
  }

  /**
   * Reads what changed since the last time and swaps it in at once. Two calls at a time share one reading. Compiles:
   * blocks the event loop for 60 to 220 ms per changed kind.
   * @throws Error if the API server does not tell its index.
   */
  refresh(): Promise<readonly SchemaFailure[]> {
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined
    })
    return this.#refreshing
  }

  async #refresh(): Promise<readonly SchemaFailure[]> {
    const index = member(await this.#source.get('/openapi/v3'), 'paths')
    if (!isObject(index)) throw new Error('the answer to /openapi/v3 is no index of schemas') // not: no kind is there
    const next = new Map<string, Entry>()
    const published = this.#published(index)
    const failures: SchemaFailure[] = []
    for (const apiVersion of new Set(this.#kinds.map((kind) => kind.apiVersion)))
      try {
        for (const [kind, entry] of await this.#group(apiVersion, published)) next.set(kind, entry)
      } catch (error) {
        failures.push({ apiVersion, error })
        for (const [kind, entry] of this.#known(apiVersion)) next.set(kind, entry)
      }
    const isChanged = hashes(next) !== hashes(this.#entries)
    this.#entries = next
    this.#hasRead = true
    if (isChanged) for (const wake of this.#subscribers) wake()
    return failures
  }

  async #group(apiVersion: string, published: Published): Promise<readonly (readonly [string, Entry])[]> {
    const entries: (readonly [string, Entry])[] = []
    for (const type of this.#kinds.filter((kind) => kind.apiVersion === apiVersion)) {
      const hash = hashFor(type, published)
      if (hash === undefined) continue // no such group: its kinds are not there
      const known = this.#entries.get(type.kind)
      const schema = known?.schema.hash === hash ? known.schema : await compiled(type, hash, published)
      if (schema) entries.push([type.kind, { apiVersion, schema }])
    }
    return entries
  }

  /** Each document is read once, and forgotten with the result: parsed, one takes some 10 MB. */
  #published(index: Readonly<Record<string, unknown>>): Published {
    const documents = new Map<string, Promise<unknown>>()
    const addressOf = (apiVersion: string): string | undefined => {
      const url = at(index, pathOfGroup(apiVersion), 'serverRelativeURL')
      return typeof url === 'string' ? url : undefined
    }
    const schemasOf = async (apiVersion: string): Promise<Schemas> => {
      const url = addressOf(apiVersion)
      if (url === undefined) throw new Error(`the API server publishes no schemas of ${apiVersion}`)
      const document = documents.get(url) ?? this.#source.get(url)
      documents.set(url, document)
      const schemas = at(await document, 'components', 'schemas')
      if (!isObject(schemas)) throw new Error(`the answer to ${url} holds no schemas`)
      return schemas
    }
    return { addressOf, schemasOf }
  }

  #known(apiVersion: string): readonly (readonly [string, Entry])[] {
    return [...this.#entries].filter(([, entry]) => entry.apiVersion === apiVersion)
  }
}

const pathOfGroup = (apiVersion: string): string => `${apiVersion.includes('/') ? 'apis' : 'api'}/${apiVersion}`

/** The API server puts a hash of the document into its address; without one the address itself must do. */
function hashIn(url: string): string {
  return new URLSearchParams(url.slice(url.indexOf('?') + 1)).get('hash') ?? hashOf(url, 64)
}

/** Another one whenever a document that `type` is compiled from has changed. */
function hashFor({ apiVersion, templateFrom }: SchemaKind, { addressOf }: Published): string | undefined {
  const own = addressOf(apiVersion)
  if (own === undefined) return undefined
  const template = templateFrom === undefined ? undefined : addressOf(templateFrom)
  return template === undefined ? hashIn(own) : `${hashIn(own)}+${hashIn(template)}`
}

async function compiled(type: SchemaKind, hash: string, { schemasOf }: Published): Promise<SpecSchema | undefined> {
  const schemas = await schemasOf(type.apiVersion)
  const root = specOf(schemas, type)
  if (root === undefined) return undefined
  if (type.templateFrom === undefined) return compile(hash, schemas, root, type)
  const core = await schemasOf(type.templateFrom)
  const whole = compile(hash, { ...schemas, ...core }, withTemplate(root, core), type)
  return { ...whole, template: knownBelow(schemas, root, 'template') }
}

const POD_TEMPLATE = 'io.k8s.api.core.v1.PodTemplateSpec'

/** `root`, a schema of a spec, with Kubernetes' own schema of a pod template for its `template`. */
function withTemplate(root: unknown, core: Schemas): unknown {
  if (!isObject(root) || !Object.hasOwn(core, POD_TEMPLATE)) throw new Error(`no schema of ${POD_TEMPLATE}`)
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
