import { expect } from 'chai'
import { SchemaCatalog, type SchemaSource } from '../../../common/schema/catalog.ts'
import { APPS_V1 } from './openapi.ts'

const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment', plural: 'deployments' }
const ROLLOUT = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', plural: 'rollouts' }

/** An API server that publishes `apps/v1`, with a diary of what was read. */
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
  it('knows nothing before the first refresh, then what the cluster says', async () => {
    const { source } = publisher()
    const catalog = new SchemaCatalog(source, [DEPLOYMENT])
    expect(catalog.schemaOf('Deployment')).to.equal(undefined)
    expect(catalog.isComplete).to.equal(false)
    expect(await catalog.refresh()).to.deep.equal([])
    expect(catalog.isComplete).to.equal(true)
    expect(catalog.schemaOf('Deployment')?.hash).to.equal('A')
    expect(catalog.schemaOf('Deployment')?.check({ zzz: 1 }, 'Merge')).to.have.length(1)
  })

  it('reads the document again only when its hash is another', async () => {
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

  it('keeps what it has when the API server is away', async () => {
    const { state, source } = publisher()
    const catalog = new SchemaCatalog(source, [DEPLOYMENT])
    await catalog.refresh()
    state.isDown = true
    const failure = await catalog.refresh().catch((error: unknown) => error)
    expect(failure).to.be.an('error')
    expect(catalog.schemaOf('Deployment')?.hash).to.equal('A')
  })

  it('keeps what it has when the new document cannot be compiled, and says so', async () => {
    const { state, source } = publisher()
    const catalog = new SchemaCatalog(source, [DEPLOYMENT])
    await catalog.refresh()
    state.hash = 'B'
    const { schemas } = APPS_V1.components
    state.document = { components: { schemas: { ...schemas, Spec: { type: 'nonsense', properties: {} } } } }
    const failures = await catalog.refresh()
    expect(failures.map(({ apiVersion }) => apiVersion)).to.deep.equal(['apps/v1'])
    expect(catalog.schemaOf('Deployment')?.hash).to.equal('A')
  })

  it('takes an answer without schemas, such as a redirect, for a failure', async () => {
    const { state, source } = publisher()
    const catalog = new SchemaCatalog(source, [DEPLOYMENT])
    state.document = ''
    const [failure] = await catalog.refresh()
    expect(String(failure?.error)).to.include('holds no schemas')
  })

  it('takes an index that is none for a failure, and not for an empty cluster', async () => {
    const { source } = publisher()
    let isBroken = false
    const breaking = { get: async (path: string) => (isBroken ? '<html>' : source.get(path)) }
    const catalog = new SchemaCatalog(breaking, [DEPLOYMENT])
    await catalog.refresh()
    isBroken = true
    expect(String(await catalog.refresh().catch((error: unknown) => error))).to.include('no index of schemas')
    expect(catalog.isComplete).to.equal(true)
  })

  it('has no schema of a kind whose group is not there', async () => {
    const { source } = publisher()
    const catalog = new SchemaCatalog(source, [DEPLOYMENT, ROLLOUT])
    expect(await catalog.refresh()).to.deep.equal([])
    expect(catalog.schemaOf('Rollout')).to.equal(undefined)
    expect(catalog.isComplete).to.equal(false)
  })

  it('wakes its subscribers when something changed, and only then', async () => {
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

  it('reads once for two who ask at a time', async () => {
    const { state, source } = publisher()
    const catalog = new SchemaCatalog(source, [DEPLOYMENT])
    await Promise.all([catalog.refresh(), catalog.refresh()])
    expect(state.reads).to.have.length(2)
  })
})
