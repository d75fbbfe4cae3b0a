import { expect } from 'chai'
import { sourceOf } from '../../../cli/commands/create.ts'
import { KubeError } from '../../../common/kube/client/errors.ts'
import { aPlugin, FASTER_CART } from '../a-plugin.ts'
import { messageOf } from '../message-of.ts'

const CREATED = FASTER_CART.replace('faster-cart', 'cart-2')
const IMAGE = ['create', 'cart', '--image', 'example/cart:2'] as const

describe('create', () => {
  it('creates the experiment that the flags describe, and prints the plan beside the result', async () => {
    const { run, cluster } = aPlugin()
    cluster.warnings = ['[Plan] create Deployment cart-experiment-x']
    expect(await run(...IMAGE, '--ttl', '2h')).to.deep.equal({
      code: 0,
      out: 'experimentdeployment.experimentcontroller.example.com/cart-2 created\n',
      err: '[Plan] create Deployment cart-experiment-x\n',
    })
    expect(cluster.at(CREATED)?.spec).to.deep.include({ ttlSeconds: 7_200 })
  })

  it('sends nothing with --dry-run=client, and prints what it would send', async () => {
    const { run, cluster } = aPlugin()
    const { out } = await run(...IMAGE, '--dry-run=client', '-o', 'json')
    expect(cluster.writes).to.deep.equal([])
    await run(...IMAGE)
    expect(cluster.writes.map(([line, body]) => [line, body])).to.deep.equal([
      [`create ${FASTER_CART.replace('/faster-cart', '')}`, JSON.parse(out)],
    ])
  })

  it('asks the API server with --dry-run=server', async () => {
    const { run, cluster } = aPlugin()
    const { out } = await run(...IMAGE, '--dry-run=server')
    expect(out).to.equal('experimentdeployment.experimentcontroller.example.com/cart-2 created (server dry run)\n')
    expect(cluster.writes[0]?.[0]).to.match(/^dry run create /)
    expect(cluster.at(CREATED)).to.equal(undefined)
  })

  it('names another name as the remedy where one is taken', async () => {
    const { cluster, run } = aPlugin()
    cluster.warnings = ['[Plan] creates it']
    await run(...IMAGE)
    expect(await run(...IMAGE)).to.deep.equal({
      code: 1,
      out: '',
      err: 'error: there is an experiment cart-2 in namespace shop already\nChoose another name with --name.\n',
    })
  })

  it('looks for templates in the namespace, then in the cluster', async () => {
    const { run, cluster } = aPlugin()
    const ours = { apiVersion: 'experimentcontroller.example.com/v1alpha1', kind: 'x' }
    const root = '/apis/experimentcontroller.example.com/v1alpha1'
    cluster.put(`${root}/namespaces/shop/experimentanalysistemplates/own`, { ...ours, metadata: { name: 'own' } })
    cluster.put(`${root}/clusterexperimentanalysistemplates/http`, { ...ours, metadata: { name: 'http' } })
    await run(...IMAGE, '--analysis=own,http')
    expect(cluster.at(CREATED)?.spec).to.deep.include({
      analysis: { templates: [{ name: 'own' }, { name: 'http', scope: 'Cluster' }] },
    })
    const { code, err } = await run(...IMAGE, '--name=x', '--analysis=htp')
    expect([code, err.split('\n')[0]]).to.deep.equal([
      1,
      'error: there is no template htp, neither in namespace shop nor of the cluster',
    ])
  })

  it('does not take the next word for a template', async () => {
    const { run, cluster } = aPlugin()
    await run('create', '--analysis', 'cart')
    expect(cluster.writes[0]?.[1]).to.deep.nested.include({ 'spec.analysis': {}, 'spec.sourceRef.name': 'cart' })
  })

  it('prints no control character of a name that somebody copied', async () => {
    const { out } = await aPlugin().run('create', 'cart', '--name', 'a\u001b[2J', '--dry-run=client')
    expect(out).to.equal('experimentdeployment.experimentcontroller.example.com/a\\u001b[2J created (dry run)\n')
  })

  it('says that there is no such source, and no such kind in the cluster', async () => {
    const { run, cluster } = aPlugin()
    expect((await run('create', 'till')).err).to.contain('error: there is no deployment/till in namespace shop\n')
    cluster.request = async () => {
      throw new KubeError({ kind: 'kindAbsent', message: 'HTTP 404', attempted: 'get /apis/argoproj.io/v1alpha1/x' })
    }
    expect(await run('create', 'rollout/cart')).to.deep.equal({
      code: 1,
      out: '',
      err: 'error: this cluster does not know the kind\nInstall what serves that kind, such as Argo Rollouts.\n',
    })
  })

  for (const [written, kind] of [
    ['cart', 'Deployment'],
    ['deploy/cart', 'Deployment'],
    ['StatefulSet/cart', 'StatefulSet'],
    ['sts/cart', 'StatefulSet'],
    ['rollouts.argoproj.io/cart', 'Rollout'],
  ] as const)
    it(`takes ${written} for a ${kind}`, () => expect(sourceOf(written).kind.kind).to.equal(kind))

  for (const written of ['daemonset/cart', 'deployment/', 'deployment/a/b', ''])
    it(`refuses the source "${written}"`, () => expect(messageOf(() => sourceOf(written))).to.match(/no kind|no name/))
})
