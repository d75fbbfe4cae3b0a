import { expect } from 'chai'
import { SchemaCatalog, type SchemaSource, schemaSource } from '../../../common/schema/catalog.ts'
import { APPS_V1 } from './openapi.ts'

const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment', plural: 'deployments' }
const ROLLOUT = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', plural: 'rollouts' }

/** An API server that publishes `apps/v1`, and records what was read. */
function publisher() {
  const state = { hash: 'A', document: APPS_V1 as unknown, isDown: false, reads: [] as string[] }
  const source: SchemaSource = {
    get: async (path) => {
      state.reads.push(path)
      if (state.isDown) throw new Error('connection refused')
      if (path !== '/openapi/v3') return state.document
      return { paths: { 'apis/apps/v1': { serverRelativeURL: `/openapi/v3/apis/apps/v1?hash=${state.hash}` } } }
    },
  }
  return { state, source }
}

describe('SchemaCatalog', () => {
  it('has no schema before the first refresh, and those of the cluster after it', async () => {
    const { source } = publisher()
    const catalog = new SchemaCatalog(source, [DEPLOYMENT])
    expect(catalog.schemaOf('Deployment')).to.equal(undefined)
    expect(catalog.isComplete).to.equal(false)
    expect(await catalog.refresh()).to.deep.equal([])
    expect(catalog.isComplete).to.equal(true)
    expect(catalog.schemaOf('Deployment')?.hash).to.equal('A')
    expect(catalog.schemaOf('Deployment')?.check({ zzz: 1 }, 'Merge')).to.have.length(1)
  })

  it('can compile each check at its first use', async () => {
    const { source } = publisher()
    const catalog = new SchemaCatalog(source, [DEPLOYMENT], { compiles: 'whenUsed' })
    await catalog.refresh()
    const schema = catalog.schemaOf('Deployment')
    for (const type of ['Merge', 'Strategic'] as const) expect(schema?.check({ zzz: 1 }, type)).to.have.length(1)
    expect(schema?.checkWhole({ zzz: 1 }).length).to.be.at.least(1)
  })

  it('reads a document again only if its hash has changed', async () => {
    const { state, source } = publisher()
    const catalog = new SchemaCatalog(source, [DEPLOYMENT])
    await catalog.refresh()
    const first = catalog.schemaOf('Deployment')
    await catalog.refresh()
    expect(catalog.schemaOf('Deployment')).to.equal(first)
    state.hash = 'B'
    await catalog.refresh()
    expect(catalog.schemaOf('Deployment')?.hash).to.equal('B')
    expect(state.reads).to.deep.equal([
      '/openapi/v3',
      '/openapi/v3/apis/apps/v1?hash=A',
      '/openapi/v3',
      '/openapi/v3',
      '/openapi/v3/apis/apps/v1?hash=B',
    ])
  })

  it('keeps its schemas while the API server cannot be reached', async () => {
    const { state, source } = publisher()
    const catalog = new SchemaCatalog(source, [DEPLOYMENT])
    await catalog.refresh()
    state.isDown = true
    const failure = await catalog.refresh().catch((error: unknown) => error)
    expect(failure).to.be.an('error')
    expect(catalog.schemaOf('Deployment')?.hash).to.equal('A')
  })

  for (const compiles of ['now', 'whenUsed'] as const)
    it(`keeps its schemas if a new document cannot be compiled (${compiles}), and returns the failure`, async () => {
      const { state, source } = publisher()
      const catalog = new SchemaCatalog(source, [DEPLOYMENT], { compiles })
      await catalog.refresh()
      state.hash = 'B'
      const { schemas } = APPS_V1.components
      state.document = { components: { schemas: { ...schemas, Spec: { type: 'nonsense', properties: {} } } } }
      const failures = await catalog.refresh()
      expect(failures.map(({ apiVersion }) => apiVersion)).to.deep.equal(['apps/v1'])
      expect(catalog.schemaOf('Deployment')?.hash).to.equal('A')
    })

  it('reports an answer without schemas, such as a redirect, as a failure', async () => {
    const { state, source } = publisher()
    const catalog = new SchemaCatalog(source, [DEPLOYMENT])
    state.document = ''
    const [failure] = await catalog.refresh()
    expect(String(failure?.error)).to.include('contains no schemas')
  })

  it('rejects an answer that is not an index, instead of taking it for an empty cluster', async () => {
    const { source } = publisher()
    let isBroken = false
    const breaking = { get: async (path: string) => (isBroken ? '<html>' : source.get(path)) }
    const catalog = new SchemaCatalog(breaking, [DEPLOYMENT])
    await catalog.refresh()
    isBroken = true
    expect(String(await catalog.refresh().catch((error: unknown) => error))).to.include('not an index of schemas')
    expect(catalog.isComplete).to.equal(true)
  })

  it('has no schema of a kind whose API group does not exist', async () => {
    const { source } = publisher()
    const catalog = new SchemaCatalog(source, [DEPLOYMENT, ROLLOUT])
    expect(await catalog.refresh()).to.deep.equal([])
    expect(catalog.schemaOf('Rollout')).to.equal(undefined)
    expect(catalog.isComplete).to.equal(false)
  })

  it('calls its subscribers only if something has changed', async () => {
    const { state, source } = publisher()
    const catalog = new SchemaCatalog(source, [DEPLOYMENT])
    let woken = 0
    const end = catalog.subscribe(() => {
      woken += 1
    })
    await catalog.refresh()
    await catalog.refresh()
    expect(woken).to.equal(1)
    state.hash = 'B'
    end()
    await catalog.refresh()
    expect(woken).to.equal(1)
  })

  it('shares one reading between two calls', async () => {
    const { state, source } = publisher()
    const catalog = new SchemaCatalog(source, [DEPLOYMENT])
    await Promise.all([catalog.refresh(), catalog.refresh()])
    expect(state.reads).to.have.length(2)
  })
})

describe('schemaSource', () => {
  it('requests the path of an address with its query, until it is aborted', async () => {
    const requests: unknown[] = []
    const request = async (asked: unknown) => {
      requests.push(asked)
      return { paths: {} }
    }
    const { signal } = new AbortController()
    const source = schemaSource({ request }, signal)
    expect(await source.get('/openapi/v3')).to.deep.equal({ paths: {} })
    await source.get('/openapi/v3/apis/apps/v1?hash=A%2FB')
    expect(requests).to.deep.equal([
      { verb: 'get', path: '/openapi/v3', query: {}, signal },
      { verb: 'get', path: '/openapi/v3/apis/apps/v1', query: { hash: 'A/B' }, signal },
    ])
  })
})
