import { expect } from 'chai'
import { EXPERIMENT_DEPLOYMENT } from '../../common/api/names.ts'
import type { JsonObject } from '../../common/json/json.ts'
import { aSource, condition, DEADLINE_MS, installation, usesProduct } from './product.ts'

/** Specs that the webhook would have refused, and the field that must be named. */
const JUNK: Record<string, { readonly overrideSpec: JsonObject; readonly field: string }> = {
  'a template that is text': { overrideSpec: { template: 'x' }, field: 'spec.overrideSpec.template' },
  'a number that is text': { overrideSpec: { minReadySeconds: 'soon' }, field: 'spec.overrideSpec.minReadySeconds' },
  'containers that are a map': {
    overrideSpec: { template: { spec: { containers: { cart: 'x' } } } },
    field: 'spec.overrideSpec.template.spec.containers',
  },
  'a misspelt field': {
    overrideSpec: { template: { spec: { contaners: [] } } },
    field: 'spec.overrideSpec.template.spec.contaners',
  },
  'a prototype': {
    overrideSpec: JSON.parse('{"template": {"__proto__": {"polluted": true}}}'),
    field: 'spec.overrideSpec.template.__proto__',
  },
  'a constructor': {
    overrideSpec: { template: { metadata: { labels: { constructor: 'x' } } } },
    field: 'spec.overrideSpec.template.metadata.labels.constructor',
  },
  '1 MB of text': {
    overrideSpec: { template: { metadata: { annotations: { note: 'x'.repeat(1_000_000) } } } },
    field: 'spec.overrideSpec.template.metadata.annotations',
  },
  '6,000 keys': {
    overrideSpec: Object.fromEntries(Array.from({ length: 6_000 }, (_, index) => [`k${index}`, 1])),
    field: 'spec.overrideSpec',
  },
}

/** `levels` nested objects, as text: JSON.stringify fails at about 4,000 levels. */
const deep = (levels: number): string => `${'{"a":'.repeat(levels)}{}${'}'.repeat(levels)}`

describe('an invalid spec that was stored while the webhook was off, on the real control plane', () => {
  const place = usesProduct()
  const names = Object.keys(JUNK).map((_, index) => `junk-${index}`)
  let pid = 0

  before('it is stored', async function () {
    this.timeout(DEADLINE_MS)
    const { removeWebhooks, restoreWebhooks, controller } = await installation()
    pid = controller().pid
    await aSource(place(), 'cart')
    await removeWebhooks()
    try {
      await Promise.all(
        Object.values(JUNK).map(({ overrideSpec }, index) =>
          place().experiment(`junk-${index}`, { source: 'cart', overrideSpec }),
        ),
      )
      const { apiVersion, kind } = EXPERIMENT_DEPLOYMENT
      const head = `{"apiVersion": "${apiVersion}", "kind": "${kind}", "metadata": {"name": "abyss"}`
      const spec = `{"sourceRef": {"kind": "Deployment", "name": "cart"}, "overrideSpec": ${deep(5_000)}}`
      await place().api.create(place().path('experiments'), `${head}, "spec": ${spec}}`)
    } finally {
      await restoreWebhooks()
    }
  })

  for (const [index, [sentence, { field }]] of Object.entries(JUNK).entries())
    it(`F24: is reported Stalled with its field: ${sentence}`, async () => {
      const found = await place().reaches(`junk-${index}`, 'InvalidOverride')
      expect(condition(found, 'Stalled')?.status).to.equal('True')
      expect(condition(found, 'Stalled')?.message).to.contain(field)
    })

  it('F24: is reported Stalled with its field: 5,000 levels', async () => {
    const found = await place().reaches('abyss', 'InvalidOverride')
    expect(condition(found, 'Stalled')?.message).to.match(/^spec\.overrideSpec(\.a)+.*nested deeper than 64 levels/)
  })

  it('F24: stops neither the process nor another experiment', async () => {
    await place().experiment('sound', { source: 'cart' })
    await place().reaches('sound', 'Available')
    expect((await installation()).controller().pid).to.equal(pid)
  })

  it('F24: does not stop a controller that starts with it, and recovers when it is corrected', async () => {
    const { controller, startController } = await installation()
    await controller().stop()
    await startController()
    const [name = ''] = names
    await place().api.patch(place().path('experiments', name), { spec: { overrideSpec: { template: null } } })
    await place().reaches(name, 'Available')
  })
})
