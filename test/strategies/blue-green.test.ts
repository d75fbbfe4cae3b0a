import { expect } from 'chai'
import { COMMAND, EXPERIMENT_ID } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { BlueGreenStrategy } from '../../common/api/strategy.ts'
import { objectOr } from '../../common/json/json.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { WITH_CUT_OVER } from '../../sandbox/installation.ts'
import { imageOverride } from '../builders.ts'
import { canariesIn } from '../integration/canaries.ts'
import { condition, DEADLINE_MS, imagesOf } from '../integration/product.ts'
import { blueGreensIn, IMAGE, previewOf } from './blue-greens.ts'
import { ALL_KINDS, gatedForksIn, KINDS, type Kind, usesAllKinds } from './gated-forks.ts'

const SIZE = 3
const nameOf = (kind: Kind) => `blue-${kind.toLowerCase()}`

/** Three kinds at once, each with a limit of its own. */
const TIMEOUT_MS = 240_000

describe('a blue-green of each kind, on the real control plane', function () {
  this.timeout(TIMEOUT_MS)
  const place = usesAllKinds(WITH_CUT_OVER)
  const { says, shows } = canariesIn(place)
  const { aSource, aService, idOf, comesTo } = gatedForksIn(place)

  const { blueGreen, service, selectorOf, isPinned, comesBack, refusalOf } = blueGreensIn(place)

  /** The three kinds side by side. */
  const ofEachKind = (title: string, test: (name: string, kind: Kind) => Promise<void>) =>
    it(title, () => Promise.all(ALL_KINDS.map((kind) => test(nameOf(kind), kind))).then(() => undefined))

  /** An experiment whose active Service sends to its fork. */
  async function cutOver(name: string, of: Partial<BlueGreenStrategy> = {}, others: object = {}): Promise<void> {
    await aSource('Deployment', name, SIZE)
    await aService(previewOf(name), name)
    await blueGreen(name, 'Deployment', { autoPromotionEnabled: true, ...of }, others)
    await shows(name, '4/9 Paused')
  }

  ofEachKind('is reached through its preview, and gets no request of the active Service', async (name, kind) => {
    await aSource(kind, name, SIZE)
    await aService(previewOf(name), name)
    await blueGreen(name, kind)
    await shows(name, '2/10 Paused')
    await comesTo(name, { pods: 1, open: 0, listed: 0, others: SIZE })
    await comesTo(name, { listed: 1, others: 0 }, previewOf(name))
    const { spec } = await service(previewOf(name))
    expect(objectOr(spec).publishNotReadyAddresses).to.equal(true)
  })

  ofEachKind('gets all requests of the active Service when somebody says resume', async (name) => {
    await says(name, 'resume')
    await shows(name, '5/10 Paused')
    await comesTo(name, { pods: SIZE, open: SIZE, listed: SIZE, others: 0, images: IMAGE })
    expect(await isPinned(name, await idOf(name))).to.equal(true)
    expect(condition(await place().experimentAt(name), 'CutOver')?.message).to.equal(
      `service/${name} sends only to the fork`,
    )
  })

  ofEachKind('gives all requests back when somebody says abort, and loses its pods', async (name) => {
    await says(name, 'abort')
    await shows(name, '4/4 Aborted')
    await comesTo(name, { pods: 0, listed: 0, others: SIZE })
    expect(await selectorOf(name)).to.deep.equal({ app: name })
    const { spec, metadata } = await service(previewOf(name))
    expect(objectOr(spec).selector).to.deep.equal({ app: name })
    expect(JSON.stringify(metadata.managedFields)).not.to.contain('"experiment-controller"')
    expect(objectOr(spec).publishNotReadyAddresses).to.equal(undefined)
  })

  ofEachKind('is promoted behind the pin, and its fork goes', async (name, kind) => {
    await place().api.patch(place().path('experiments', name), {
      spec: { strategy: { blueGreen: { autoPromotionEnabled: true, scaleDownDelaySeconds: 1 } } },
    })
    await shows(name, '5/9 Paused')
    await says(name, 'promote')
    await shows(name, '9/9 Promoted')
    expect(imagesOf(await place().api.get(place().path(KINDS[kind], name)))).to.deep.equal([IMAGE])
    await comesTo(name, { pods: 0, others: SIZE })
    expect(await selectorOf(name)).to.deep.equal({ app: name })
  })

  ofEachKind('is undone after its promotion', async (name, kind) => {
    await says(name, 'undo')
    await shows(name, '3/3 Undone')
    expect(imagesOf(await place().api.get(place().path(KINDS[kind], name)))).to.deep.equal(['registry.example/cart:1'])
    expect(await selectorOf(name)).to.deep.equal({ app: name })
  })

  it('needs no command where autoPromotionEnabled says so', () => cutOver('automatic'))

  it('sends to the source again when the fork is deleted: Returned', async () => {
    await place().api.delete(place().path('deployments', `automatic-experiment-${await idOf('automatic')}`))
    await comesBack('automatic')
    await place().shows('automatic', 'Returned', ({ status }) => status?.strategy?.phase === 'Aborted')
    const ofIt = '--field-selector=reason=Returned,involvedObject.name=automatic'
    await eventually('the Event', DEADLINE_MS, async () =>
      expect((await place().kubectl(['get', 'events', ofIt, '-o', 'name'])).text).to.contain('event/'),
    )
  })

  it('sends to the source again when no pod of the fork is ready any more: Returned', async () => {
    await cutOver('broken')
    const pods = await place().api.list(
      `${place().path('pods')}?labelSelector=${EXPERIMENT_ID}=${await idOf('broken')}`,
    )
    // as a kubelet does when a container is not ready
    const conditions = ['ContainersReady', 'Ready'].map((type) => ({ type, status: 'False' }))
    const breakPod = ({ metadata: { name } }: KubeObject) =>
      place().api.patch(`${place().path('pods', name)}/status`, { status: { conditions } }, 'strategic')
    await Promise.all(pods.map(breakPod))
    await comesBack('broken')
    await place().shows('broken', 'Aborted', ({ status }) => status?.strategy?.phase === 'Aborted')
  })

  for (const cascade of ['background', 'foreground', 'orphan'] as const)
    it(`gives all requests back when it is deleted, --cascade=${cascade}`, async () => {
      const name = `deleted-${cascade}`
      await cutOver(name)
      const { code, text } = await place().kubectl(['delete', `expd/${name}`, `--cascade=${cascade}`, '--timeout=50s'])
      expect(code, text).to.equal(0)
      expect(await selectorOf(name)).to.deep.equal({ app: name })
      expect(await selectorOf(previewOf(name))).to.deep.equal({ app: name })
    })

  it('sets a pin again that somebody took away, and gives it up the third time: PinNotHeld', async () => {
    await cutOver('contested')
    const id = await idOf('contested')
    const takeAway = () =>
      place().api.patch(place().path('services', 'contested'), { spec: { selector: { [EXPERIMENT_ID]: null } } })
    for (let times = 1; times <= 2; times += 1) {
      await takeAway()
      await eventually('the pin to be set again', DEADLINE_MS, async () => {
        if (!(await isPinned('contested', id))) throw new Error(`the ${times}. time`)
      })
    }
    await takeAway()
    await place().shows('contested', 'PinNotHeld', ({ status }) => status?.strategy?.path === 'Abort')
    await comesTo('contested', { listed: 0, others: SIZE })
  })

  it('gives all requests back when it expires', async () => {
    await cutOver('expiring')
    await place().api.patch(place().path('experiments', 'expiring'), { spec: { ttlSeconds: 1 } })
    await comesBack('expiring')
    await place().reaches('expiring', 'Expired')
  })

  it('is not edited while it serves, and says how it can be', async () => {
    await cutOver('edited')
    const edit = { spec: { overrideSpec: imageOverride('registry.example/cart:3') } }
    expect(await refusalOf(place().api.patch(place().path('experiments', 'edited'), edit))).to.contain(
      'spec.overrideSpec: cannot be changed while service/edited sends only to the fork; give the command abort first',
    )
    await says('edited', 'abort')
    await shows('edited', '4/4 Aborted')
    await place().api.patch(place().path('experiments', 'edited'), edit)
    await shows('edited', '4/9 Paused')
    await comesTo('edited', { listed: SIZE, others: 0, images: 'registry.example/cart:3' })
  })

  it('is refused for a StatefulSet with volumeClaimTemplates', async () => {
    const volumeClaimTemplates = [
      {
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      },
    ]
    await aSource('StatefulSet', 'stateful', 1, { volumeClaimTemplates })
    expect(await refusalOf(blueGreen('stateful', 'StatefulSet'))).to.contain(
      'statefulset/stateful has volumeClaimTemplates, so the fork would serve production from empty volumes',
    )
  })

  it('is refused for an active Service that does not select the source', async () => {
    await aService('other', 'somebody-else')
    expect(
      await refusalOf(blueGreen('refused', 'Deployment', { activeService: 'other' }, { source: 'edited' })),
    ).to.contain('spec.strategy.blueGreen.activeService: service/other does not select the pods of the source')
  })

  it('needs "patch" on the Services that it changes, and an abort needs nothing', async () => {
    const { namespace, api } = place()
    const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`
    const every = (group: string, ...resources: readonly string[]) => ({ apiGroups: [group], resources, verbs: ['*'] })
    const rules = [every('apps', '*'), every('experimentcontroller.example.com', 'experimentdeployments')]
    await api.create(`${rbac}/roles`, { metadata: { name: 'bob' }, rules })
    await api.create(`${rbac}/rolebindings`, {
      metadata: { name: 'bob' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'bob' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'bob' }],
    })
    const asBob = async (command: string) =>
      (await place().kubectl(['annotate', '--overwrite', 'expd/bobs', `${COMMAND}=${command}`, '--as=bob'])).text
    await aSource('Deployment', 'bobs', SIZE)
    await aService(previewOf('bobs'), 'bobs')
    await blueGreen('bobs', 'Deployment')
    await shows('bobs', '2/10 Paused')
    await eventually('bob to have his rights', DEADLINE_MS, async () =>
      expect(await asBob('resume')).to.contain('and "patch services/bobs" in namespace "shop"'),
    )
    expect(await isPinned('bobs', await idOf('bobs'))).to.equal(false)
    expect(await asBob('abort')).to.contain('annotated')
    await shows('bobs', '4/4 Aborted')
  })

  it('waits for an active Service that does not exist', async () => {
    await aSource('Deployment', 'waiting', SIZE)
    await blueGreen('waiting', 'Deployment', { previewService: 'waiting-later', autoPromotionEnabled: true })
    await place().reaches('waiting', 'ServiceNotFound')
    await aService('waiting-later', 'waiting')
    await shows('waiting', '4/9 Paused')
  })

  it('waits while another experiment has the Service: ServiceIsTaken', async () => {
    await blueGreen(
      'second',
      'Deployment',
      { activeService: 'waiting', previewService: 'waiting-later' },
      { source: 'waiting' },
    )
    await place().reaches('second', 'ServiceIsTaken')
  })
})
