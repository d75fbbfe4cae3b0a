import { expect } from 'chai'
import { COMMAND, EXPERIMENT_POLICY, IS_PREVIEW, REQUESTED_BY } from '../../common/api/names.ts'
import type { BlueGreenStrategy } from '../../common/api/strategy.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { WITH_CUT_OVER } from '../../sandbox/installation.ts'
import { usesOwnProduct } from '../clusters/own-product.ts'
import { canariesIn } from '../integration/canaries.ts'
import { DEADLINE_MS } from '../integration/product.ts'
import { blueGreensIn, previewOf } from './blue-greens.ts'
import { gatedForksIn } from './gated-forks.ts'

const CUT_OVER = 'nobody else is asked before the cut-over of service/cart; set it to false; another user gives resume'
const PREVIEW = `nobody else is asked before service/${previewOf('cart')} sends only to the fork`

describe('a blue-green under a policy that wants another approver', function () {
  this.timeout(300_000)
  const { plane, place } = usesOwnProduct(() => WITH_CUT_OVER)
  const { shows } = canariesIn(place)
  const { aSource, aService, idOf } = gatedForksIn(place)
  const { blueGreen, isPinned, refusalOf } = blueGreensIn(place)
  const refused = (of: Partial<BlueGreenStrategy>) => refusalOf(blueGreen('cart', 'Deployment', of))
  const deletes = (name: string) => place().kubectl(['delete', `expd/${name}`, '--timeout=50s'])
  const resumes = (...as: readonly string[]) =>
    place().kubectl(['annotate', '--overwrite', 'expd/cart', `${COMMAND}=resume`, ...as])

  before('the policy holds', async () => {
    await aSource('Deployment', 'cart', 2)
    await aService(previewOf('cart'), 'cart')
    const { apiVersion, kind } = EXPERIMENT_POLICY
    const policy = { apiVersion, kind, metadata: { name: 'eyes' }, spec: { approverNotRequester: true } }
    await plane().api.create(resourcePath(EXPERIMENT_POLICY), policy)
    await eventually('a refusal', DEADLINE_MS, async () => {
      const said = await refused({ autoPromotionEnabled: true })
      if (said === 'it was accepted') await deletes('cart')
      expect(said).to.contain(CUT_OVER)
    })
  })

  it('N34: is refused where its author alone would cut over, or limit a Service as its preview', async () => {
    const both = await refused({ autoPromotionEnabled: true })
    expect(both).to.contain(CUT_OVER).and.to.contain(PREVIEW)
    expect(await refused({}))
      .to.contain(PREVIEW)
      .and.not.to.contain(CUT_OVER)
  })

  it('N34: is previewed once the owner of that Service declared it, and another user cuts over', async () => {
    const declared = { metadata: { annotations: { [IS_PREVIEW]: 'true' } } }
    await place().api.patch(place().path('services', previewOf('cart')), declared)
    await eventually('the Service to be read again', DEADLINE_MS, async () =>
      expect(await refused({})).to.equal('it was accepted'),
    )
    await shows('cart', '2/10 Paused')
    const { code, text } = await resumes()
    expect(code, text).to.equal(1)
    expect(text).to.contain(
      'somebody other than "admin", who last changed the spec, must resume it, because it cuts over',
    )
    expect(await isPinned('cart', await idOf('cart'))).to.equal(false)
    const byBob = await resumes('--as=bob', '--as-group=system:masters')
    expect(byBob.code, byBob.text).to.equal(0)
    await shows('cart', '5/10 Paused')
    expect(await isPinned('cart', await idOf('cart'))).to.equal(true)
  })

  it('N37e: a change of ttlSeconds alone makes nobody the requester', async () => {
    const changes = ['patch', 'expd/cart', '--type=merge', '-p', '{"spec":{"ttlSeconds":86400}}']
    const { code, text } = await place().kubectl([...changes, '--as=bob', '--as-group=system:masters'])
    expect(code, text).to.equal(0)
    const { metadata, spec } = await place().experimentAt('cart')
    expect({ ...metadata.annotations, ttl: spec.ttlSeconds }).to.include({ ttl: 86_400, [REQUESTED_BY]: 'admin' })
  })
})
