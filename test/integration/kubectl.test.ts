import { expect } from 'chai'
import { stringify } from 'yaml'
import { EXPERIMENT_DEPLOYMENT, REQUESTED_BY } from '../../common/api/names.ts'
import { at, type JsonObject, listOr } from '../../common/json/json.ts'
import { RESOURCES, resourcePath } from '../../common/kube/client/resources.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { aSource, condition, DEADLINE_MS, installation, usesProduct } from './product.ts'

describe('kubectl, with the product', () => {
  const place = usesProduct()
  before('there is a source, with its pod behind the Service', async () => {
    await aSource(place(), 'cart')
    await eventually('the endpoint of the source', DEADLINE_MS, async () => {
      const slices = resourcePath(RESOURCES.EndpointSlice, { namespace: place().namespace })
      const endpoints = (await place().api.list(slices)).flatMap((slice) => listOr(slice.endpoints))
      expect(endpoints.map((endpoint) => at(endpoint, 'conditions', 'ready'))).to.deep.equal([true])
    })
  })

  const manifest = (name: string, spec: JsonObject = {}, source = 'cart'): string => {
    const { apiVersion, kind } = EXPERIMENT_DEPLOYMENT
    const sourceRef = { kind: 'Deployment', name: source }
    return stringify({ apiVersion, kind, metadata: { name }, spec: { sourceRef, overrideSpec: {}, ...spec } })
  }
  const kubectl = (args: readonly string[], input?: string) => place().kubectl(args, input)
  const apply = (input: string, ...args: readonly string[]) => kubectl(['apply', ...args, '-f', '-'], input)
  /** Applies an experiment on a new source and waits for its last status write: kubectl reads, then writes. */
  async function isSettled(name: string): Promise<void> {
    await aSource(place(), name)
    await apply(manifest(name, {}, name))
    await place().shows(
      name,
      'its last status',
      (found) =>
        condition(found, 'Ready')?.reason === 'Available' &&
        found.status?.share === '50%' &&
        found.status.source?.revision === '1',
    )
  }
  const changing = (image: string): JsonObject => ({
    template: { spec: { containers: [{ name: 'cart', image }] } },
  })

  it('A server-side dry run gets the same answer, and stores nothing.', async () => {
    const dry = await apply(manifest('dry', { ttlSeconds: 3_600 }), '--dry-run=server')
    expect(dry.text).to.contain('[Plan] creates deployment/cart-experiment-<id>').and.to.contain('(in 1h)')
    expect((await kubectl(['get', 'expd/dry'])).code).to.equal(1)
    const real = await apply(manifest('dry', { ttlSeconds: 3_600 }))
    const plain = (text: string) => text.replace(/cart-experiment-\S+/g, 'FORK').replace(' (server dry run)', '')
    expect(plain(real.text)).to.equal(plain(dry.text))
  })

  it('diff shows the change, and exits with 1 as usual', async () => {
    await isSettled('diffed')
    const { code, text } = await kubectl(['diff', '-f', '-'], manifest('diffed', { replicas: 2 }, 'diffed'))
    expect(code).to.equal(1)
    expect(text).to.contain('-  replicas: 1\n+  replicas: 2')
    const same = await kubectl(['diff', '-f', '-'], manifest('diffed', {}, 'diffed'))
    expect(same.code).to.equal(0)
  })

  it('U2: get shows the pods and, when wide, the fields that the override changes', async () => {
    await apply(manifest('columns', { overrideSpec: changing('registry.example/cart:2') }))
    await place().shows('columns', 'its pod', ({ status }) => status?.pods === '1/1')
    const [header = '', row = ''] = (await kubectl(['get', 'expd/columns', '--output=wide'])).text.split('\n')
    expect(header).to.match(
      /^NAME +SOURCE +PODS +READY +SHARE +STEP +VERDICT +STATUS +EXPIRES +AGE +IMAGE +CHANGES +EXPERIMENT +PAUSED +BY$/,
    )
    expect(row)
      .to.match(/^columns +Deployment\/cart +1\/1 +/)
      .and.to.match(/ +containers\[cart\]\.image +cart-experiment-/)
  })

  it('scale works, and needs no permission for the source', async () => {
    await apply(manifest('scaled'))
    const { code, text } = await kubectl(['scale', 'expd/scaled', '--replicas=2'])
    expect([code, text.trim()]).to.deep.equal([
      0,
      'experimentdeployment.experimentcontroller.example.com/scaled scaled',
    ])
    const { spec } = await place().shows('scaled', 'two replicas', ({ status }) => status?.replicas === 2)
    expect(spec.replicas).to.equal(2)
  })

  it('server-side apply by two managers conflicts only in fields that both set', async () => {
    const by = (manager: string) => ['--server-side', `--field-manager=${manager}`]
    await apply(manifest('shared', { replicas: 1 }), ...by('one'))
    const { apiVersion, kind } = EXPERIMENT_DEPLOYMENT
    const partial = (spec: JsonObject) => stringify({ apiVersion, kind, metadata: { name: 'shared' }, spec })
    const sourceRef = { kind: 'Deployment', name: 'cart' }
    const other = await apply(partial({ sourceRef, overrideSpec: {}, ttlSeconds: 600 }), ...by('two'))
    expect(other.text).to.contain('serverside-applied')
    const conflict = await apply(partial({ sourceRef, overrideSpec: {}, replicas: 3 }), ...by('two'))
    expect(conflict.text).to.contain('conflict with "one": .spec.replicas')
  })

  it('replace works without the namespace of the source', async () => {
    await isSettled('replaced')
    const { code, text } = await kubectl(['replace', '-f', '-'], manifest('replaced', { replicas: 2 }, 'replaced'))
    expect(code, text).to.equal(0)
    expect((await place().experimentAt('replaced')).spec.sourceRef.namespace).to.equal(place().namespace)
  })

  it('labels and annotations change without a review, but not the requester', async () => {
    await apply(manifest('labelled'))
    await kubectl(['label', 'expd/labelled', 'team=a'])
    const forged = await kubectl(['annotate', '--overwrite', 'expd/labelled', `${REQUESTED_BY}=root`])
    expect(forged.code).to.equal(0)
    const { metadata } = await place().experimentAt('labelled')
    expect(metadata.labels?.team).to.equal('a')
    expect(metadata.annotations?.[REQUESTED_BY]).to.not.equal('root')
  })

  it('edit of a stored, now invalid resource checks only the change', async () => {
    const { removeWebhooks, restoreWebhooks } = await installation()
    await removeWebhooks()
    await place().experiment('old', { source: 'cart', overrideSpec: { ...changing('x'), zzz: 1 } })
    await restoreWebhooks()
    const edit = (path: string, value: unknown) =>
      kubectl(['patch', 'expd/old', '--type=json', '-p', JSON.stringify([{ op: 'add', path, value }])])
    const other = await edit('/spec/overrideSpec/minReadySeconds', 3)
    expect(other.text).to.contain('[InvalidOverride] spec.overrideSpec.zzz: unknown field')
    expect(other.code).to.equal(0)
    const same = await edit('/spec/overrideSpec/zzz', 2)
    expect(same.text).to.contain('spec.overrideSpec.zzz: unknown field')
    expect(same.code).to.equal(1)
  })
})
